/** The last known balance of each day, for the curve on a channel's page: of the account that the channel has now, for 90 days. */
import { createHash } from "node:crypto";
import { BALANCE_DAYS, type BalancePoint } from "../../../../contract/src/channels/page.ts";
import type { Database } from "../../db/database.ts";
import { upsert } from "../../db/portable.ts";
import type { StoredChannel } from "./store.ts";

const DAY_SECONDS = 86_400;
const MICROS = 1_000_000;
const CURRENCY_MAX = 16;

/** First second of a day by UTC. */
export const dayOf = (seconds: number): number => seconds - (seconds % DAY_SECONDS);

/** Distinguishes accounts without revealing them: balances of another one are no part of the curve. */
const accountOf = ({ type, base_url, key_hash }: Pick<StoredChannel, "type" | "base_url" | "key_hash">): string =>
  createHash("sha256").update(`${type}\n${base_url}\n${key_hash}`).digest("hex");

interface Known {
  micros: number;
  currency: string;
  /** Unix seconds. */
  time: number;
}

/** Stores a balance as that of its day, and ends what is older than the curve. */
export async function recordBalance(database: Database, id: number, { micros, currency, time }: Known): Promise<void> {
  const { kysely } = database;
  const channel = await kysely
    .selectFrom("channels")
    .select(["type", "base_url", "key_hash"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (channel === undefined) return;
  const day = dayOf(time);
  const change = { account: accountOf(channel), balance_micros: micros, currency: currency.slice(0, CURRENCY_MAX) };
  await upsert(database, kysely, "channel_balances", { channel_id: id, day, ...change }, ["channel_id", "day"], change);
  // Of all channels: no other code removes rows of deleted channels.
  await kysely
    .deleteFrom("channel_balances")
    .where("day", "<=", day - BALANCE_DAYS * DAY_SECONDS)
    .execute();
}

/** The stored balances of the channel's present account, in its present unit, oldest first. */
export async function balancesOf(
  { kysely }: Pick<Database, "kysely">,
  channel: StoredChannel,
): Promise<BalancePoint[]> {
  const rows = await kysely
    .selectFrom("channel_balances")
    .select(["day", "balance_micros"])
    .where("channel_id", "=", channel.id)
    .where("account", "=", accountOf(channel))
    .where("currency", "=", channel.balance_currency.slice(0, CURRENCY_MAX))
    .orderBy("day")
    .execute();
  return rows.map(({ day, balance_micros }) => ({ day: Number(day), balance: Number(balance_micros) / MICROS }));
}
