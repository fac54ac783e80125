/** Fault: a deletion of old log rows continues in the next server after a restart and after kill -9, and does not touch the ledger. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClearProgress } from "../../contract/src/features/logs.ts";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { type UpstreamProcess, startServer, startUpstream, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";
import { engines } from "../support/databases/databases.ts";
import { addOldRows, expireLeases, OLD, oldRows, withSiteDatabase } from "../support/systems/old-logs.ts";
import { dataOf, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const ROWS = 80_000;

const found = await engines();
let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.end());

const progressOf = (root: TestClient) => dataOf<ClearProgress>(root.get("/api/log/clear/progress"));

/** In the short form each signal once: the embedded database has no second process to take over, a server has. */
const SHORT = new Set(["sqlite SIGKILL", "postgres SIGTERM"]);
const ends = found
  .flatMap((engine) => (["SIGTERM", "SIGKILL"] as const).map((signal) => [engine, signal] as const))
  .filter((end) => IS_LONG || SHORT.has(end.join(" ")));

test.each(ends)("a deletion on %s continues after %s", async (engine, signal) => {
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [] });
  await withSiteDatabase(site, (database) => addOldRows(database, ROWS));
  const first = await startServer(site.env);
  const root = await loggedIn(first.url, "root", ROOT_PASSWORD);
  await dataOf(root.post("/api/log/clear", { target_timestamp: OLD + 1 }));
  // Read from the table: the reported progress is half a second old, and half a second may be all it takes.
  const books = await openTestLedger(site);
  await until(async () => (await oldRows(books)) < ROWS, "the first rows to go");
  await first.end(signal);
  const left = await oldRows(books);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(ROWS);
  if (signal === "SIGKILL") await expireLeases(site, "log_clear");
  const second = await startServer(site.env);
  const again = await loggedIn(second.url, "root", ROOT_PASSWORD);
  expect(await progressOf(again)).toMatchObject({ target_timestamp: OLD + 1, started_by: "root" });
  await until(async () => !(await progressOf(again)).running, "the end of the deletion", 120_000);
  const ended = await progressOf(again);
  expect(ended).toMatchObject({ stopped: false, failed: false, started_by: "root" });
  // The last reported progress before a kill may be half a second old.
  expect(ended.done).toBeLessThanOrEqual(ROWS);
  expect(ended.done).toBeGreaterThanOrEqual(signal === "SIGTERM" ? ROWS : left);
  expect(await second.end()).toEqual({ code: 0, signal: null });
  expect(await oldRows(books)).toBe(0);
  await books.close();
  expect(await withSiteDatabase(site, auditDatabase)).toMatchObject({ faults: [] });
  await site.remove();
});
