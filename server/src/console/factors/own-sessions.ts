/** Lists and revokes the sessions of the own account. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { OwnSession } from "../../../../contract/src/features/factors.ts";
import { affectedRows } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { endSignIns, idleSince } from "../session-store.ts";

/** More than a person looks through; the rest still ends with all others. */
const MOST_LISTED = 100;

export async function listOwnSessions(context: ConsoleContext, { user, sessionId }: Session): Promise<OwnSession[]> {
  const now = nowSeconds(context.clock);
  const rows = await context.database.kysely
    .selectFrom("sessions")
    .select(["id", "way", "ip", "user_agent", "created_time", "seen_time"])
    .where("user_id", "=", user.id)
    .where("expires_time", ">", now)
    .where("seen_time", ">", idleSince(context.snapshot.options, now))
    .orderBy("seen_time", "desc")
    .orderBy("id")
    .limit(MOST_LISTED)
    .execute();
  return rows.map((row) => ({ ...row, is_current: row.id === sessionId }));
}

/** Ends one; from the next call on it is refused by every process. @throws AppError not_found where it is not theirs. */
export async function endOwnSession({ database }: ConsoleContext, { user }: Session, id: string): Promise<void> {
  const ended = await database.kysely
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where("user_id", "=", user.id)
    .executeTakeFirstOrThrow();
  if (affectedRows(ended) === 0) throw new AppError("not_found");
}

/** Ends all but the one that asks, with every access token and login under way. @returns how many sessions. @throws AppError session_required. */
export async function endOtherSessions({ database }: ConsoleContext, { user, sessionId }: Session): Promise<number> {
  if (sessionId === undefined) throw new AppError("session_required");
  return database.kysely.transaction().execute(async (transaction) => {
    // The order of all others who end sessions: the lock of users first.
    await bumpVersion(transaction, "users");
    return endSignIns(transaction, user.id, sessionId);
  });
}
