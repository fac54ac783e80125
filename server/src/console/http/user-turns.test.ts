/** Tests of the queue for each user: its concurrency, first in first out, refusals when it is full, and a place that is released when a reader disconnects. */
import { expect, test } from "vitest";
import { UserTurns } from "./user-turns.ts";

test("one user has so many turns at once, others their own, and whoever is one too many is refused", async () => {
  const turns = new UserTurns({ atOnce: 2, waiting: 1, inAll: 100 });
  const [first, second] = [await turns.take(1), await turns.take(1)];
  const order: string[] = [];
  const third = turns.take(1).then((end) => (order.push("third"), end));
  await expect(turns.take(1)).rejects.toMatchObject({ status: 429 });
  (await turns.take(2))();
  order.push("other");
  first();
  (await third)();
  expect(order).toEqual(["other", "third"]);
  second();
  const again = [await turns.take(1), await turns.take(1)];
  for (const end of again) end();
});

test("all together have a bound, and a stream's turn ends with it, read to its end or not", async () => {
  const turns = new UserTurns({ atOnce: 5, waiting: 0, inAll: 2 });
  async function* pieces(): AsyncGenerator<string> {
    yield "one";
    yield "two";
  }
  const [first, second] = [await turns.stream(1, pieces()), await turns.stream(2, pieces())];
  await expect(turns.stream(3, pieces())).rejects.toMatchObject({ status: 429 });
  await first.next();
  await first.return(undefined);
  const seen: string[] = [];
  for await (const piece of await turns.stream(3, pieces())) seen.push(piece);
  expect(seen).toEqual(["one", "two"]);
  expect((await second.next()).value).toBe("one");
});
