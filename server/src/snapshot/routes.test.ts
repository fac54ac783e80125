/** Tests of incremental routes: after any changes, one channel at a time, they equal those built from all channels at once. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { RouteIndex } from "./routes.ts";
import type { SnapshotChannel } from "./snapshot.ts";

const GROUPS = ["a", "b", "c"];
const MODELS = ["m1", "m2", "m3", "m4"];

const channel = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  status: fc.constantFrom(1, 1, 1, 2),
  priority: fc.integer({ min: -1, max: 1 }),
  groupNames: fc.uniqueArray(fc.constantFrom(...GROUPS)),
  models: fc.uniqueArray(fc.constantFrom(...MODELS)).map((models) => new Set(models)),
  isDeleted: fc.boolean(),
});

/** By definition: groups x models of the enabled ones, priorities from the highest, ids from the lowest. */
function expected(channels: readonly SnapshotChannel[], group: string, model: string) {
  const offering = channels.filter(
    ({ status, groupNames, models }) => status === 1 && groupNames.includes(group) && models.has(model),
  );
  const priorities = [...new Set(offering.map(({ priority }) => priority))].sort((left, right) => right - left);
  return priorities.map((priority) => ({
    priority,
    channels: offering.filter((each) => each.priority === priority).toSorted((left, right) => left.id - right.id),
  }));
}

test("one change after the other leads to the same tiers and models as everything at once", () => {
  fc.assert(
    fc.property(fc.array(channel, { maxLength: 30 }), (changes) => {
      const index = new RouteIndex();
      const known = new Map<number, SnapshotChannel>();
      for (const { isDeleted, ...change } of changes) {
        const before = known.get(change.id);
        const after = isDeleted ? undefined : (change as unknown as SnapshotChannel);
        index.replace(before, after);
        if (after === undefined) known.delete(change.id);
        else known.set(change.id, after);
        for (const group of GROUPS) {
          const offered = MODELS.filter((model) => expected([...known.values()], group, model).length > 0);
          expect(index.modelsFor([group])).toEqual(offered);
          for (const model of MODELS)
            expect(index.tiersFor(group, model)).toEqual(expected([...known.values()], group, model));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("lists that were handed out stay as they were, and are the same until a channel in them changes", () => {
  const index = new RouteIndex();
  const of = (id: number, priority = 0) =>
    ({ id, status: 1, priority, groupNames: ["a"], models: new Set(["m1"]) }) as unknown as SnapshotChannel;
  const [first, second] = [of(1), of(2)];
  index.replace(undefined, first);
  const held = index.tiersFor("a", "m1");
  expect(index.tiersFor("a", "m1")).toBe(held);
  index.replace(undefined, second);
  expect([held[0]?.channels, index.tiersFor("a", "m1")[0]?.channels]).toEqual([[first], [first, second]]);
});
