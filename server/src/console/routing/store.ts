/** What an explanation of routing reads: the user of a name, and the row of a past call. */
import type { Selectable } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import type { LogTable } from "../../db/schema.ts";

/** Id of the user with this name; undefined where there is none. */
export async function findUserId({ kysely }: Database, username: string): Promise<number | undefined> {
  const query = kysely.selectFrom("users").select("id").where("username", "=", username);
  return (await query.where("deleted_at", "is", null).executeTakeFirst())?.id;
}

/** The newest row of the call with this request id; undefined where it has none. */
export function findCall({ kysely }: Database, requestId: string): Promise<Selectable<LogTable> | undefined> {
  return kysely
    .selectFrom("logs")
    .selectAll()
    .where("request_id", "=", requestId)
    .where("type", "in", [LOG_TYPE.consumption, LOG_TYPE.error])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}
