/** Many rows of the log from one long past moment on a site without a server, for tests of their deletion across kills. */
import { sql } from "kysely";
import { type Database, openDatabase } from "../../../server/src/db/database.ts";
import { SAMPLE_ROWS } from "../../engines/columns.ts";
import type { Site, TestLedger } from "./site.ts";

/** All rows are of this moment; Unix seconds. */
export const OLD = 1_600_000_000;
const FIRST = 1_250;
const BATCH = 250;

const COPIED = sql.raw(
  "request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, group_name, quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, ip, content, other",
);

/** Opens the site's database beside its servers for the work. */
export async function withSiteDatabase<T>(site: Site, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(site.place.config);
  return work(database).finally(() => database.close());
}

/** Adds so many rows: 1,250 times a power of 2. */
export async function addOldRows({ kysely }: Database, count: number): Promise<void> {
  const rows = Array.from({ length: BATCH }, () => ({ ...SAMPLE_ROWS.logs, type: 4, created_at: OLD }));
  for (let start = 0; start < FIRST; start += BATCH) await kysely.insertInto("logs").values(rows).execute();
  for (let added = FIRST; added < count; added *= 2)
    await sql`insert into logs (${COPIED}) select ${COPIED} from logs where created_at = ${OLD}`.execute(kysely);
}

/** How many of them are left. */
export const oldRows = async (ledger: TestLedger): Promise<number> =>
  Number((await ledger.rows(`SELECT COUNT(*) AS total FROM logs WHERE created_at = ${OLD}`))[0]?.["total"]);

/** Expires the leases of all jobs, or of the one named: a process that was killed cannot give its lease back. */
export const expireLeases = (site: Site, name?: string): Promise<unknown> =>
  withSiteDatabase(site, ({ kysely }) => {
    const expired = kysely.updateTable("leases").set({ expires_time: 1 });
    return (name === undefined ? expired : expired.where("name", "=", name)).execute();
  });
