/** Property test of invariant I1 under concurrent calls: opening balance + credits - charges - open holds = available quota, to the unit. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { runs } from "../../../tests/support/soak/short-or-long.ts";
import { auditDatabase } from "./audit.ts";
import type { Billing, Hold } from "./billing.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "./testing.ts";

type Command =
  | { kind: "hold"; amount: number; isWithToken: boolean }
  | { kind: "extend" | "settle"; which: number; amount: number }
  | { kind: "void"; which: number }
  | { kind: "move"; quota: number; tokenQuota: number };

const amount = fc.nat(400);
const which = fc.nat(50);
const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("hold" as const), amount, isWithToken: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("extend" as const), which, amount }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("settle" as const), which, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("void" as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      quota: fc.integer({ min: -300, max: 300 }),
      tokenQuota: fc.integer({ min: -300, max: 300 }),
    }),
  },
);

interface Model {
  holds: Hold[];
  charged: number;
  credited: number;
}

async function settle(billing: Billing, scene: Scene, hold: Hold, charge: number): Promise<number> {
  const own = { ...scene, tokenId: hold.tokenId };
  const outcome = await billing.settle(hold, {
    ...settlementOf(own, hold.requestId, charge),
    isTokenLimited: hold.isTokenLimited,
  });
  return outcome === "committed" ? charge : 0;
}

async function act(billing: Billing, scene: Scene, model: Model, command: Command): Promise<void> {
  if (command.kind === "hold") {
    const hold = await tryHold(billing, command.isWithToken ? scene : { ...scene, tokenId: 0 }, command.amount);
    if (typeof hold !== "string") model.holds.push(hold);
    return;
  }
  if (command.kind === "move") {
    const { userId, tokenId } = scene;
    const adjustment = { entryId: randomUUID(), kind: "adjustment", userId, tokenId, detail: "{}" } as const;
    await billing.move({ ...adjustment, quotaDelta: command.quota, tokenQuotaDelta: command.tokenQuota });
    model.credited += command.quota;
    return;
  }
  const hold = model.holds[command.which % Math.max(1, model.holds.length)];
  if (hold === undefined) return;
  if (command.kind === "extend") await billing.extend(hold, command.amount);
  else if (command.kind === "void") await billing.void(hold);
  else {
    // Not `+=` with await in it: that reads the sum before it waits.
    const charged = await settle(billing, scene, hold, command.amount);
    model.charged += charged;
  }
}

const START = 1_000;

describe.each(await engines())("any interleaving on %s", (engine) => {
  let place: TestDatabase;
  let billing: Billing;

  beforeAll(async () => {
    place = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
    billing = await openTestBilling(place.database, place.config.dataDir);
  });

  afterAll(async () => {
    await billing.close();
    await place.close();
  });

  test("keeps I1, and the audit passes", { timeout: 120_000 }, async () => {
    const waves = fc.array(fc.array(commands, { maxLength: 12 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(waves, async (plan) => {
        const scene = await setScene(place.database, billing, START, START);
        const model: Model = { holds: [], charged: 0, credited: 0 };
        for (const wave of plan) await Promise.all(wave.map((command) => act(billing, scene, model, command)));
        const open = model.holds.filter(({ isOpen }) => isOpen).reduce((sum, hold) => sum + hold.amount, 0);
        expect(await billing.available(scene.userId)).toBe(START + model.credited - model.charged - open);
        for (const hold of model.holds) await billing.void(hold);
        expect(await billing.available(scene.userId)).toBe(START + model.credited - model.charged);
      }),
      { numRuns: runs(engine === "sqlite" ? 60 : 20) },
    );
    expect((await auditDatabase(place.database)).faults).toEqual([]);
  });
});
