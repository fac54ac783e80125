/** Reads the security log, twenty rows at a time: of one account, or of all accounts and strangers. */
import { SECURITY_EVENTS_PAGE, type SecurityEventRow } from "../../../contract/src/features/personal.ts";
import type { SecurityEventKind } from "../../../contract/src/security-events.ts";
import type { ConsoleContext } from "./http/handlers.ts";

/** The newest rows older than the one with the id `before`. @param userId whose; undefined for all. */
export async function securityEvents(
  { database }: Pick<ConsoleContext, "database">,
  before: number | undefined,
  userId: number | undefined,
): Promise<SecurityEventRow[]> {
  const rows = await database.kysely
    .selectFrom("security_events as event")
    .leftJoin("users", "users.id", "event.user_id")
    .select(["event.id", "event.kind", "event.user_id", "event.actor_id", "event.network", "event.way", "event.reason"])
    .select(["event.count", "event.created_time", "event.last_time", "users.username"])
    .$if(userId !== undefined, (query) => query.where("event.user_id", "=", userId ?? 0))
    .$if(before !== undefined, (query) => query.where("event.id", "<", before ?? 0))
    .orderBy("event.id", "desc")
    .limit(SECURITY_EVENTS_PAGE)
    .execute();
  // The kinds that are written are those of the contract.
  return rows.map((row) => ({ ...row, kind: row.kind as SecurityEventKind, username: row.username ?? "" }));
}
