/** Fault: the retention of the log goes on in the next server after kill -9, counts each row once, and does not touch the ledger. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { type UpstreamProcess, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { engines } from "../support/databases/databases.ts";
import { addOldRows, expireLeases, oldRows, withSiteDatabase } from "../support/systems/old-logs.ts";
import { dataOf, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

/** More than go before the kill: a chunk is of a few hundred, and pauses follow it. */
const ROWS = 20_000;

let upstream: UpstreamProcess;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

// At once, since each waits most of its time for the next round of the job.
test.concurrent.each(oneInShort("retention-kill", await engines()))(
  "retention on %s goes on after kill -9",
  async (engine) => {
    const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [] });
    await withSiteDatabase(site, (database) => addOldRows(database, ROWS));
    const first = await startServer(site.env);
    const root = await loggedIn(first.url, "root", ROOT_PASSWORD);
    await dataOf(root.put("/api/option/", { key: "LogRetentionDays", value: "30" }));
    const books = await openTestLedger(site);
    await until(async () => (await oldRows(books)) < ROWS, "the first rows to go", 60_000);
    await first.end("SIGKILL");
    expect(await oldRows(books)).toBeGreaterThan(0);
    await expireLeases(site);
    const second = await startServer(site.env);
    const recorded = async () =>
      (await books.rows("SELECT event FROM audit_entries WHERE actor = 'log retention'")).length;
    await until(async () => (await recorded()) > 0, "the entry of the audit trail", 120_000);
    expect(await oldRows(books)).toBe(0);
    const [entry] = await books.rows("SELECT event FROM audit_entries WHERE actor = 'log retention'");
    expect(JSON.parse(String(entry?.["event"]))).toMatchObject({
      code: "logs_expired",
      values: { count: ROWS, days: 30 },
    });
    expect(await second.end()).toEqual({ code: 0, signal: null });
    await books.close();
    expect(await withSiteDatabase(site, auditDatabase)).toMatchObject({ faults: [] });
    await site.remove();
  },
);
