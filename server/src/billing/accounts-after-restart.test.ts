/** Tests of SQLite's account cache after a restart: it equals the table, whichever comes first: a refund, a duplicate refund, or a read of the balance. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import type { Billing, Hold, Refund } from "./billing.ts";
import { BLANK_ENTRY } from "./log-row.ts";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "./testing.ts";

const PEOPLE = 50;
const CHARGE = 400;

interface Charged {
  scene: Scene;
  requestId: string;
}

async function charged(billing: Billing, scene: Scene): Promise<Charged> {
  const requestId = randomUUID();
  const hold = (await tryHold(billing, scene, CHARGE, requestId)) as Hold;
  await billing.settle(hold, settlementOf(scene, requestId, CHARGE));
  return { scene, requestId };
}

const refundOf = ({ scene: { userId, tokenId, channelId }, requestId }: Charged): Refund => ({
  userId,
  tokenId,
  channelId,
  groupName: "default",
  entryId: `refund:${requestId}`,
  model: "test-model",
  quota: CHARGE,
  tokenQuota: CHARGE,
  hasCost: false,
  createdAt: 1,
  detail: "{}",
  log: { ...BLANK_ENTRY, type: 4, userId, requestId, createdAt: 1 },
});

test("a refund counts once in memory too, beside a read, and when it is posted again after a restart", async () => {
  const place = await openTestDatabase("sqlite", { writerModules: SQLITE_WRITER_MODULES });
  const restarted = () => openTestBilling(place.database, place.config.dataDir);
  const first = await restarted();
  const people: Charged[] = [];
  for (let at = 0; at < PEOPLE; at += 1)
    people.push(await charged(first, await setScene(place.database, first, 1_000, 1_000)));
  await first.close();
  for (const outcome of ["committed", "already_settled"]) {
    const billing = await restarted();
    const answers = await Promise.all(
      people.map((each) => Promise.all([billing.refund(refundOf(each)), billing.available(each.scene.userId)])),
    );
    expect(answers.map(([posted]) => posted)).toEqual(people.map(() => outcome));
    const inMemory = await Promise.all(people.map(({ scene }) => billing.available(scene.userId)));
    expect(inMemory).toEqual(people.map(() => 1_000));
    // The token's memory too: all of it can be held, and no more.
    for (const { scene } of people) {
      const hold = await tryHold(billing, scene, 1_000);
      expect(hold).toMatchObject({ isOpen: true });
      await billing.void(hold as Hold);
      expect(await tryHold(billing, scene, 1_001)).toBe("token_quota");
    }
    await billing.close();
  }
  await place.close();
});
