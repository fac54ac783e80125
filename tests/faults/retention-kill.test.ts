/** Fault: the retention of the log goes on in the next server after kill -9, counts each row once, and does not touch the ledger. */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { SAMPLE_ROWS } from "../engines/columns.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { type UpstreamProcess, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { engines } from "../support/databases/databases.ts";
import { type Site, dataOf, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const FIRST = 1_250;
const BATCH = 250;
/** More than go before the kill: a chunk is of a few hundred, and pauses follow it. */
const ROWS = 20_000;
/** All rows are of this moment; Unix seconds. */
const OLD = 1_600_000_000;

const COPIED = sql.raw(
  "request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, group_name, quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, ip, content, other",
);

let upstream: UpstreamProcess;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

async function withDatabase<T>(site: Site, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(site.place.config);
  return work(database).finally(() => database.close());
}

async function addRows({ kysely }: Database): Promise<void> {
  const rows = Array.from({ length: BATCH }, () => ({ ...SAMPLE_ROWS.logs, type: 4, created_at: OLD }));
  for (let start = 0; start < FIRST; start += BATCH) await kysely.insertInto("logs").values(rows).execute();
  for (let count = FIRST; count < ROWS; count *= 2)
    await sql`insert into logs (${COPIED}) select ${COPIED} from logs where created_at = ${OLD}`.execute(kysely);
}

// At once, since each waits most of its time for the next round of the job.
test.concurrent.each(oneInShort("retention-kill", await engines()))(
  "retention on %s goes on after kill -9",
  async (engine) => {
    const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [] });
    await withDatabase(site, addRows);
    const first = await startServer(site.env);
    const root = await loggedIn(first.url, "root", ROOT_PASSWORD);
    await dataOf(root.put("/api/option/", { key: "LogRetentionDays", value: "30" }));
    const books = await openTestLedger(site);
    const oldRows = async (): Promise<number> =>
      Number((await books.rows(`SELECT COUNT(*) AS total FROM logs WHERE created_at = ${OLD}`))[0]?.["total"]);
    await until(async () => (await oldRows()) < ROWS, "the first rows to go", 60_000);
    await first.end("SIGKILL");
    expect(await oldRows()).toBeGreaterThan(0);
    // As the clock would: a process that was killed cannot give its lease back.
    await withDatabase(site, ({ kysely }) => kysely.updateTable("leases").set({ expires_time: 1 }).execute());
    const second = await startServer(site.env);
    const recorded = async () =>
      (await books.rows("SELECT event FROM audit_entries WHERE actor = 'log retention'")).length;
    await until(async () => (await recorded()) > 0, "the entry of the audit trail", 120_000);
    expect(await oldRows()).toBe(0);
    const [entry] = await books.rows("SELECT event FROM audit_entries WHERE actor = 'log retention'");
    expect(JSON.parse(String(entry?.["event"]))).toMatchObject({
      code: "logs_expired",
      values: { count: ROWS, days: 30 },
    });
    expect(await second.end()).toEqual({ code: 0, signal: null });
    await books.close();
    expect(await withDatabase(site, auditDatabase)).toMatchObject({ faults: [] });
    await site.remove();
  },
);
