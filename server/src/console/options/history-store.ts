/** Rows of the administrators' log about options, along the log's index by type. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { OptionHistoryEntry } from "../../../../contract/src/features/options.ts";
import type { Database } from "../../db/database.ts";

/** How a row of an event begins, as kit/audit.ts writes it. `_` in a name matches any character: who reads the rows looks again. */
const beginningOf = (event: OptionHistoryEntry["event"], option: string): string =>
  event === "option_changed"
    ? `{"event":{"code":"${event}","values":{"option":"${option}"%`
    : `{"event":{"code":"${event}"%`;

/** The newest rows whose event may be about the option. Of the log only rows of this type are looked at, which administrators alone write. */
export function readAuditRows(
  { kysely }: Pick<Database, "kysely">,
  option: string,
  events: readonly OptionHistoryEntry["event"][],
  limit: number,
) {
  return kysely
    .selectFrom("logs")
    .select(["created_at", "username", "other"])
    .where("type", "=", LOG_TYPE.admin)
    .where((is) => is.or(events.map((event) => is("other", "like", beginningOf(event, option)))))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
