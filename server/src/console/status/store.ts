/** The question whether the database answers. */
import type { Database } from "../../db/database.ts";

/** Throws what the driver throws where it does not. */
export async function ping(database: Database): Promise<void> {
  await database.kysely.selectFrom("versions").select("name").limit(1).execute();
}
