/** Tests of queues: large work is done piece by piece with pauses for other calls, small work at once; a failure delays no other piece. */
import { expect, test } from "vitest";
import { PacedWork } from "./queues.ts";

const LARGE = 1_000_000;
const busy = (ms: number): void => {
  for (const startMs = performance.now(); performance.now() - startMs < ms;);
};

test("what is small is done at once, without a promise", () =>
  expect(new PacedWork().run(10, () => "done")).toBe("done"));

test("between large pieces everything else has as long as they took, and a failing one holds no other up", async () => {
  const largeWork = new PacedWork();
  const order: string[] = [];
  const pieces = ["one", "two", "three"].map((name) =>
    Promise.resolve(
      largeWork.run(LARGE, () => {
        busy(30);
        order.push(name);
        if (name === "two") throw new Error("it cannot be translated");
        return name;
      }),
    ),
  );
  // Other work, which may run with every round of the loop.
  const other = setInterval(() => order.push("other"), 1);
  const ends = await Promise.allSettled(pieces);
  clearInterval(other);
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const [one, two, three] = ["one", "two", "three"].map((name) => order.indexOf(name));
  expect(order.slice((one ?? 0) + 1, two)).toContain("other");
  expect(order.slice((two ?? 0) + 1, three)).toContain("other");
});
