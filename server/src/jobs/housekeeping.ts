/** Periodic clean-up of the database: ended sessions, codes and share links, old guesses and messages, and calls by token that no dashboard reads any more. */
import { setTimeout as delay } from "node:timers/promises";
import { OVERVIEW_SPAN_SECONDS } from "../../../contract/src/features/dashboard.ts";
import type { Database } from "../db/database.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import type { Job } from "./scheduler.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** The dashboard's longest range, and the one before it. */
const TOKEN_CALLS_KEPT_SECONDS = 2 * OVERVIEW_SPAN_SECONDS;
/** A day after the last wrong password no login is delayed any more. */
const GUESSES_KEPT_MS = 86_400_000;
/** Messages that were sent or given up. */
const MESSAGES_KEPT_SECONDS = 30 * 86_400;
/** As long as OpenAI stores them (platform.openai.com/docs/guides/your-data). */
const RESPONSES_KEPT_SECONDS = 30 * DAY_SECONDS;
/** Responses that were made in the background; OpenAI keeps those for polling some ten minutes (developers.openai.com/api/docs/guides/background). */
const BACKGROUND_KEPT_SECONDS = DAY_SECONDS;
/** Between two deletions, for the settlements. */
const PAUSE_MS = 100;

/** `clock` gives Unix milliseconds, `idleDays` after how many a session that is not used has ended, 0 for never. */
export function housekeepingJobs(database: Database, clock: Clock, idleDays: () => number): readonly Job[] {
  const deleteEndedSessions = async () => {
    const now = nowSeconds(clock);
    await database.kysely.deleteFrom("sessions").where("expires_time", "<=", now).execute();
    const days = idleDays();
    if (days === 0) return;
    await database.kysely
      .deleteFrom("sessions")
      .where("seen_time", "<=", now - days * DAY_SECONDS)
      .execute();
  };
  const deleteOldTokenCalls = async () => {
    const oldest = nowSeconds(clock) - TOKEN_CALLS_KEPT_SECONDS;
    for (;;) {
      const row = await database.kysely
        .selectFrom("token_call_hours")
        .select("hour")
        .where("hour", "<", oldest)
        .orderBy("hour")
        .limit(1)
        .executeTakeFirst();
      if (row === undefined) return;
      // One hour has a row for each token that called in it: enough for one statement.
      await database.kysely.deleteFrom("token_call_hours").where("hour", "=", row.hour).execute();
      await delay(PAUSE_MS);
    }
  };
  const deleteOldGuesses = async () => {
    const oldest_ms = clock() - GUESSES_KEPT_MS;
    await database.kysely.deleteFrom("guesses").where("last_time_ms", "<", oldest_ms).execute();
  };
  const deleteOldCodes = async () => {
    const now = nowSeconds(clock);
    await database.kysely.deleteFrom("one_time_codes").where("expires_time", "<=", now).execute();
  };
  const deleteExpiredShares = async () => {
    const now = nowSeconds(clock);
    await database.kysely.deleteFrom("chat_shares").where("expires_time", "<=", now).execute();
  };
  const deleteOldResponses = async () => {
    const oldest = nowSeconds(clock) - RESPONSES_KEPT_SECONDS;
    await database.kysely.deleteFrom("stored_responses").where("created_time", "<=", oldest).execute();
  };
  const deleteOldBackground = async () => {
    const oldest = nowSeconds(clock) - BACKGROUND_KEPT_SECONDS;
    for (const table of ["background_events", "background_responses"] as const)
      await database.kysely.deleteFrom(table).where("created_time", "<=", oldest).execute();
  };
  const deleteEndedSetupLinks = async () => {
    const now = nowSeconds(clock);
    await database.kysely.deleteFrom("setup_links").where("expires_time", "<=", now).execute();
  };
  const deleteOldMessages = async () => {
    const oldest = nowSeconds(clock) - MESSAGES_KEPT_SECONDS;
    await database.kysely
      .deleteFrom("outbox")
      .where("status", "in", ["sent", "failed"])
      .where("next_time", "<", oldest)
      .execute();
  };
  return [
    { name: "old_messages", everySeconds: HOUR_SECONDS, run: deleteOldMessages },
    { name: "old_guesses", everySeconds: HOUR_SECONDS, run: deleteOldGuesses },
    { name: "old_codes", everySeconds: HOUR_SECONDS, run: deleteOldCodes },
    { name: "old_stored_responses", everySeconds: HOUR_SECONDS, run: deleteOldResponses },
    { name: "old_background_responses", everySeconds: HOUR_SECONDS, run: deleteOldBackground },
    { name: "expired_chat_shares", everySeconds: HOUR_SECONDS, run: deleteExpiredShares },
    { name: "ended_setup_links", everySeconds: HOUR_SECONDS, run: deleteEndedSetupLinks },
    { name: "expired_sessions", everySeconds: HOUR_SECONDS, run: deleteEndedSessions },
    { name: "old_token_calls", everySeconds: HOUR_SECONDS, run: deleteOldTokenCalls },
  ];
}
