/** Fault: two servers that are killed while users redeem codes credit each code once, on any server and at any moment. */
import { expect, test } from "vitest";
import type { RedemptionPage } from "../../contract/src/features/redemptions.ts";
import { engines } from "../support/databases/databases.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";
import { dataOf, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const PEOPLE = 4;
const CODES = IS_SHORT ? 40 : 100;
const QUOTA = 7_000;
const AT_ONCE = IS_SHORT ? 60 : 200;
/** Redeemed before the kill comes, so that it meets servers at work. */
const BEFORE_KILL = CODES / 5;

test.each(await engines())("on %s", { timeout: 180_000 }, async (engine) => {
  const site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: Array(PEOPLE).fill(0) });
  const start = () => startServer(site.env);
  // The embedded database belongs to one process.
  const startAll = () => Promise.all(engine === "sqlite" ? [start()] : [start(), start()]);
  let servers: readonly ServerProcess[] = await startAll();
  const logIn = async (): Promise<readonly TestClient[]> =>
    Promise.all(
      site.people.map(({ username }, index) => loggedIn(servers[index % servers.length]?.url ?? "", username)),
    );
  let clients = await logIn();
  const root = await loggedIn(servers[0]?.url ?? "", "root", ROOT_PASSWORD);
  const codes = await dataOf<string[]>(root.post("/api/redemption", { quota: QUOTA, count: CODES }));

  const [first = ""] = codes;
  const wanted = Array.from({ length: AT_ONCE }, (_, index) => clients[index % PEOPLE]);
  const answers = await Promise.all(wanted.map((client) => client?.post("/api/user/topup", { key: first })));
  expect(answers.filter((answer) => answer?.body.success)).toHaveLength(1);

  let redeemed = 0;
  /** Every user tries every code; those whose server dies get no response. */
  const everybodyTriesAll = () =>
    Promise.all(
      clients.map(async (client) => {
        for (const key of codes) {
          const answer = await client.post("/api/user/topup", { key }).catch(() => undefined);
          if (answer === undefined) return;
          if (answer.body.success) redeemed += 1;
        }
      }),
    );
  const trying = everybodyTriesAll();
  await until(() => redeemed >= BEFORE_KILL, "codes redeemed before the kill");
  await Promise.all(servers.map((server) => server.end("SIGKILL")));
  await trying;
  expect(redeemed).toBeLessThan(CODES - 1);

  servers = await startAll();
  clients = await logIn();
  await everybodyTriesAll();
  const again = await loggedIn(servers[0]?.url ?? "", "root", ROOT_PASSWORD);
  const { total } = await dataOf<RedemptionPage>(again.send("GET", "/api/redemption/?status=3"));
  expect(total).toBe(CODES);
  await Promise.all(servers.map((server) => server.end()));

  const ledger = await openTestLedger(site);
  const count = async (query: string) => Number(Object.values((await ledger.rows(query))[0] ?? {})[0]);
  expect(await count("SELECT COUNT(*) FROM ledger WHERE kind = 'redemption'")).toBe(CODES);
  expect(await count("SELECT COUNT(*) FROM logs WHERE type = 1")).toBe(CODES);
  expect(await count("SELECT SUM(quota) FROM users WHERE username LIKE 'person%'")).toBe(CODES * QUOTA);
  expect((await ledger.audit()).faults).toEqual([]);
  console.log(`${engine}: ${redeemed} of ${CODES} answers were seen, ${CODES} codes credited`);
  await ledger.close();
  await site.remove();
});
