/** Queries about one person for administrators: tokens without their keys, ledger rows that are no call, sessions, and what signs them in. */
import type { Database } from "../../db/database.ts";
import type { Queries } from "../../db/portable.ts";

/** Sessions that are listed; an account may be allowed more. */
const SESSIONS_LISTED = 100;

const countOf = (row: { total: number | string } | undefined): number => Number(row?.total ?? 0);

interface LivingAt {
  /** Unix seconds. */
  now: number;
  /** A session that was used last then or before has ended. */
  since: number;
}

const livingSessions = (queries: Queries, userId: number, { now, since }: LivingAt) =>
  queries
    .selectFrom("sessions")
    .where("user_id", "=", userId)
    .where("expires_time", ">", now)
    .where("seen_time", ">", since);

/** The living sessions, the latest seen first. */
export const sessionsOf = (queries: Queries, userId: number, at: LivingAt) =>
  livingSessions(queries, userId, at)
    .select(["way", "ip", "user_agent", "created_time", "seen_time"])
    .orderBy("seen_time", "desc")
    .orderBy("id")
    .limit(SESSIONS_LISTED)
    .execute();

const liveTokens = ({ kysely }: Pick<Database, "kysely">, userId: number) =>
  kysely.selectFrom("tokens").where("user_id", "=", userId).where("deleted_at", "is", null);

/** One page of the tokens that are not deleted, newest first. No column that holds a key or a part of one is read. */
export const tokensOf = (database: Pick<Database, "kysely">, userId: number, page: { offset: number; limit: number }) =>
  liveTokens(database, userId)
    .select(["id", "name", "status", "group_name", "created_time", "accessed_time", "expired_time"])
    .select(["remain_quota", "used_quota", "unlimited_quota"])
    .orderBy("id", "desc")
    .offset(page.offset)
    .limit(page.limit)
    .execute();

export async function countTokensOf(database: Pick<Database, "kysely">, userId: number): Promise<number> {
  return countOf(
    await liveTokens(database, userId)
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirst(),
  );
}

/** Ways of an account to sign in, and its number of live sessions. */
export async function signInFacts({ kysely }: Pick<Database, "kysely">, userId: number, at: LivingAt) {
  const [app, passkeys, codes, sessions] = await Promise.all([
    kysely
      .selectFrom("totp_factors")
      .select("user_id")
      .where("user_id", "=", userId)
      .where("confirmed_time", ">", 0)
      .executeTakeFirst(),
    kysely
      .selectFrom("passkeys")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("user_id", "=", userId)
      .executeTakeFirst(),
    kysely
      .selectFrom("recovery_codes")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("user_id", "=", userId)
      .where("used_time", "=", 0)
      .executeTakeFirst(),
    livingSessions(kysely, userId, at)
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirst(),
  ]);
  return {
    has_totp: app !== undefined,
    passkeys: countOf(passkeys),
    recovery_codes: countOf(codes),
    sessions: countOf(sessions),
  };
}

/** Every kind of entry that is no call and moves a balance. */
const KINDS = [
  "opening",
  "gift",
  "redemption",
  "checkin",
  "top_up",
  "reversal",
  "adjustment",
  "transfer",
  "reward",
  "refund",
] as const;

/** The newest rows with an id below `before` that moved the balance beside calls. */
export function ledgerOf(queries: Queries, userId: number, before: number | undefined, limit: number) {
  const rows = queries
    .selectFrom("ledger")
    .select(["id", "kind", "created_at", "quota_delta", "detail"])
    .where("user_id", "=", userId)
    .where("kind", "in", [...KINDS])
    .where("quota_delta", "!=", 0);
  return (before === undefined ? rows : rows.where("id", "<", before)).orderBy("id", "desc").limit(limit).execute();
}
