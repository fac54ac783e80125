/** Redemption codes of a scenario, made and redeemed through the console API, then dated back to when it says. */
import type { Foundation } from "../../server/src/composition/foundation.ts";
import type { ConsoleClient } from "./console-client.ts";

/** Codes of one name and quota. */
export interface SeedCodes {
  name: string;
  quota: number;
  count: number;
  daysAgo: number;
  /** User names of those who redeemed one each, a day later. */
  usedBy?: readonly string[];
  /** How many of the others were disabled. */
  disabled?: number;
}

const DAY_SECONDS = 86_400;

async function dateBack({ database }: Foundation, codes: SeedCodes, nowSeconds: number): Promise<void> {
  const created_time = nowSeconds - codes.daysAgo * DAY_SECONDS;
  const { kysely } = database;
  const rows = await kysely.selectFrom("redemptions").select(["id", "status"]).where("name", "=", codes.name).execute();
  for (const [index, { id, status }] of rows.entries()) {
    const usedAt = created_time + DAY_SECONDS + index * 4_000;
    const redeemed_time = status === 3 ? usedAt : 0;
    await kysely.updateTable("redemptions").set({ created_time, redeemed_time }).where("id", "=", id).execute();
    const entry = `redemption:${id}`;
    await kysely.updateTable("ledger").set({ created_at: usedAt }).where("entry_id", "=", entry).execute();
    await kysely.updateTable("logs").set({ created_at: usedAt }).where("request_id", "=", entry).execute();
  }
}

/** Makes them as the administrator; `clientOf` gives the session of who redeems one. Throws with the console's own message if it refuses. */
export async function addCodes(
  foundation: Foundation,
  admin: ConsoleClient,
  codes: SeedCodes,
  clientOf: (username: string) => ConsoleClient,
  nowSeconds: number,
): Promise<void> {
  const { name, quota, count, usedBy = [], disabled = 0 } = codes;
  const keys = (await admin.call("POST", "/api/redemption", { name, quota, count })) as string[];
  for (const [index, username] of usedBy.entries())
    await clientOf(username).call("POST", "/api/user/topup", { key: keys[index] });
  const { kysely } = foundation.database;
  const unused = await kysely
    .selectFrom("redemptions")
    .select("id")
    .where("name", "=", name)
    .where("status", "=", 1)
    .limit(disabled)
    .execute();
  for (const { id } of unused) await admin.call("PUT", "/api/redemption?status_only=true", { id, status: 2 });
  await dateBack(foundation, codes, nowSeconds);
}
