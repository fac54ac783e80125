/** Sends low-balance warnings to users who keep calling: read from the ledger periodically, so that calls have no extra cost. */
import type { Logger } from "pino";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import type { KeyValueStore } from "../db/key-value-store.ts";
import { nowSeconds } from "../util/clock.ts";
import { notifyUser } from "./notify-user.ts";
import type { NotifyContext } from "./notify-user.ts";
import { readSetting } from "./user-setting.ts";

export interface WarningContext extends NotifyContext {
  logger: Logger;
  facts: Pick<KeyValueStore, "read" | "write">;
  options(): OptionValues;
}

const FACT = "quota_warning_ledger_id";
/** Minimum interval between two warnings of an account. */
const PAUSE_SECONDS = 7200;
/** Ledger rows read at once; after a long stop older ones are skipped, since users who still call have newer ones. */
const ROWS_MOST = 200_000;
const USERS_A_PAGE = 500;

interface Candidate {
  id: number;
  quota: number;
  setting: string;
}

/** Enabled accounts that were charged in these ledger rows, in pages by id. */
async function chargedAccounts(
  { database }: WarningContext,
  rows: { after: number; upTo: number },
  afterId: number,
): Promise<readonly Candidate[]> {
  const charged = database.kysely
    .selectFrom("ledger")
    .select("user_id")
    .where("id", ">", rows.after)
    .where("id", "<=", rows.upTo)
    .where("quota_delta", "<", 0);
  return database.kysely
    .selectFrom("users")
    .select(["id", "quota", "setting"])
    .where("id", "in", charged)
    .where("id", ">", afterId)
    .where("status", "=", USER_STATUS.enabled)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(USERS_A_PAGE)
    .execute();
}

/** Below which balance an account is warned, in quota: its own threshold, else the site's. @param setting as stored in `users` */
export const warningThreshold = (setting: string, options: Pick<OptionValues, "QuotaRemindThreshold">): number => {
  const own = readSetting(setting).quota_warning_threshold;
  return own > 0 ? own : options.QuotaRemindThreshold;
};

/** Those of them that were warned within the interval. */
async function warnedLately({ database }: WarningContext, ids: readonly number[], now: number): Promise<Set<number>> {
  const rows = await database.kysely
    .selectFrom("outbox")
    .select("user_id")
    .where("user_id", "in", ids)
    .where("event", "=", "quota_warning")
    .where("created_time", ">", now - PAUSE_SECONDS)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Where to top up: the operator's link, else the wallet; "" if the site's address is unknown. */
const balanceAddress = ({ TopUpLink, ServerAddress }: OptionValues): string =>
  TopUpLink !== "" || ServerAddress === "" ? TopUpLink : `${ServerAddress.replace(/\/+$/, "")}/topup`;

async function warn(context: WarningContext, low: readonly Candidate[]): Promise<void> {
  if (low.length === 0) return;
  const now = nowSeconds(context.clock);
  const options = context.options();
  const warned = await warnedLately(
    context,
    low.map(({ id }) => id),
    now,
  );
  for (const { id, quota, setting } of low.filter((user) => !warned.has(user.id))) {
    const threshold = warningThreshold(setting, options);
    const values = { remaining: quota, threshold, address: balanceAddress(options) };
    // The key prevents a second warning if two processes consider each other dead.
    const onceKey = `quota_warning:${id}:${Math.floor(now / PAUSE_SECONDS)}`;
    await notifyUser(context, context.database.kysely, {
      userId: id,
      notification: { code: "quota_warning", values },
      onceKey,
    });
  }
}

/** Checks the accounts that were charged since the last check, and warns those whose balance is below their threshold. */
export async function warnOfLowBalances(context: WarningContext): Promise<void> {
  const { database, facts } = context;
  const newest = await database.kysely
    .selectFrom("ledger")
    .select("id")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const upTo = newest?.id ?? 0;
  const stored = await facts.read(FACT);
  const seen = Number(stored ?? upTo);
  const rows = { after: Math.max(seen, upTo - ROWS_MOST), upTo };
  const options = context.options();
  for (let last = 0; rows.after < upTo;) {
    const page = await chargedAccounts(context, rows, last);
    await warn(
      context,
      page.filter(({ quota, setting }) => quota < warningThreshold(setting, options)),
    );
    last = page.at(-1)?.id ?? 0;
    if (page.length < USERS_A_PAGE) break;
  }
  if (String(upTo) !== stored) await facts.write(FACT, String(upTo));
}
