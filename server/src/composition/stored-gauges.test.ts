/** Tests of gauges from the database: one reading serves all scrapes, none waits for it long, and a failure keeps the last values. */
import { expect, test } from "vitest";
import { sharedFigures } from "./stored-gauges.ts";

const LONG_MS = 3_600_000;

/** Readings that end as the test says. */
function readings(times: { freshMs: number; waitMs: number }) {
  const begun: PromiseWithResolvers<number>[] = [];
  const failures: unknown[] = [];
  const read = (): Promise<number> => {
    const reading = Promise.withResolvers<number>();
    begun.push(reading);
    return reading.promise;
  };
  const ask = sharedFigures({ read, nothing: 0, onFailure: (error) => failures.push(error), ...times });
  return { begun, failures, ask };
}

test("scrapes at the same time, and those soon after, share one reading", async () => {
  const { begun, ask } = readings({ freshMs: LONG_MS, waitMs: LONG_MS });
  const both = Promise.all([ask(), ask()]);
  begun[0]?.resolve(7);
  expect(await both).toEqual([7, 7]);
  expect([await ask(), begun.length]).toEqual([7, 1]);
});

test("a database that hangs holds no scrape up, and is asked once until it answers", async () => {
  const { begun, ask } = readings({ freshMs: 0, waitMs: 1 });
  expect([await ask(), await ask(), begun.length]).toEqual([0, 0, 1]);
  begun[0]?.resolve(7);
  await begun[0]?.promise;
  expect(await ask()).toBe(7);
});

test("a reading that fails is named once, and what was known stays", async () => {
  const { begun, failures, ask } = readings({ freshMs: 0, waitMs: LONG_MS });
  const step = async (end: (reading: PromiseWithResolvers<number>) => void): Promise<number> => {
    const asked = ask();
    const reading = begun.at(-1);
    if (reading === undefined) throw new Error("nothing was read");
    end(reading);
    return asked;
  };
  expect(await step(({ resolve }) => resolve(7))).toBe(7);
  expect(await step(({ reject }) => reject(new Error("away")))).toBe(7);
  expect(await step(({ reject }) => reject(new Error("away still")))).toBe(7);
  expect(failures).toEqual([new Error("away")]);
  expect(await step(({ resolve }) => resolve(8))).toBe(8);
  expect(await step(({ reject }) => reject(new Error("away again")))).toBe(8);
  expect(failures).toHaveLength(2);
});
