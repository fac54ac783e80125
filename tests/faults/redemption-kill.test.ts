/** Fault: two servers that are killed while users redeem codes or check in, or while credit is added, credit each code, day and act once, on any server and at any moment. */
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

test.each(await engines())("redeemed codes on %s", { timeout: 180_000 }, async (engine) => {
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

const VISITORS = IS_SHORT ? 6 : 12;
const WORTH = 1_300;
/** The zone in which it is about noon: the day does not end while the test runs. */
const NOON = `Etc/GMT${((hours) => (hours < 0 ? hours : `+${hours}`))(new Date().getUTCHours() - 12)}`;

test.each(await engines())("check-ins on %s", { timeout: 180_000 }, async (engine) => {
  const options = {
    "checkin_setting.enabled": "true",
    "checkin_setting.min_quota": String(WORTH),
    "checkin_setting.max_quota": String(WORTH),
    CheckinTimeZone: NOON,
  };
  const upstreamUrl = "http://127.0.0.1:9";
  const site = await makeSite(engine, { upstreamUrl, quotas: Array(VISITORS).fill(0), options });
  const startAll = () => Promise.all((engine === "sqlite" ? [0] : [0, 1]).map(() => startServer(site.env)));
  const logIn = (servers: readonly ServerProcess[]) =>
    Promise.all(
      site.people.map(({ username }, index) => loggedIn(servers[index % servers.length]?.url ?? "", username)),
    );
  let seen = 0;
  /** Each visitor checks in three times at once. */
  const checkInAll = (clients: readonly TestClient[]) =>
    Promise.all(
      clients.flatMap((client) =>
        [1, 2, 3].map(async () => {
          const answer = await client.post("/api/user/checkin", {}).catch(() => undefined);
          if (answer?.body.success === true) seen += 1;
        }),
      ),
    );

  let servers = await startAll();
  const checkingIn = checkInAll(await logIn(servers));
  await until(() => seen > 0, "a check-in before the kill");
  await Promise.all(servers.map((server) => server.end("SIGKILL")));
  await checkingIn;
  const seenBefore = seen;

  servers = await startAll();
  await checkInAll(await logIn(servers));
  expect(seen).toBeLessThanOrEqual(VISITORS);
  await Promise.all(servers.map((server) => server.end()));

  const ledger = await openTestLedger(site);
  const credited = await ledger.rows("SELECT user_id, quota_delta FROM ledger WHERE kind = 'checkin'");
  expect(new Set(credited.map((row) => Number(row["user_id"]))).size).toBe(VISITORS);
  expect(credited.map((row) => Number(row["quota_delta"]))).toEqual(Array(VISITORS).fill(WORTH));
  expect(await ledger.rows("SELECT day FROM checkins")).toHaveLength(VISITORS);
  expect((await ledger.audit()).faults).toEqual([]);
  console.log(`${engine}: ${seenBefore} check-ins were seen before the kill, ${seen} in all`);
  await ledger.close();
  await site.remove();
});

const ADDITIONS = IS_SHORT ? 60 : 200;
const ADDED = 300;

test.each(await engines())("added credit on %s", { timeout: 180_000 }, async (engine) => {
  const site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [0] });
  const startAll = () => Promise.all((engine === "sqlite" ? [0] : [0, 1]).map(() => startServer(site.env)));
  let servers = await startAll();
  const roots = await Promise.all(servers.map(({ url }) => loggedIn(url, "root", ROOT_PASSWORD)));
  const [person] = site.people;
  const act = { id: person?.userId, action: "add_quota", mode: "add", value: ADDED };
  let seen = 0;
  const adding = Promise.all(
    Array.from({ length: ADDITIONS }, async (_, index) => {
      const answer = await roots[index % roots.length]?.post("/api/user/manage", act).catch(() => undefined);
      if (answer?.body.success === true) seen += 1;
    }),
  );
  await until(() => seen >= ADDITIONS / 10, "credit that was added before the kill");
  await Promise.all(servers.map((server) => server.end("SIGKILL")));
  await adding;

  servers = await startAll();
  const root = await loggedIn(servers[0]?.url ?? "", "root", ROOT_PASSWORD);
  expect((await root.post("/api/user/manage", act)).body.success).toBe(true);
  await Promise.all(servers.map((server) => server.end()));

  const ledger = await openTestLedger(site);
  const rows = await ledger.rows(`SELECT quota_delta FROM ledger WHERE quota_delta = ${ADDED}`);
  const [balance] = await ledger.rows("SELECT quota FROM users WHERE username LIKE 'person%'");
  // What was answered is there, and nothing was added twice: an act whose answer was lost may be there.
  expect(rows.length).toBeGreaterThan(seen);
  expect(rows.length).toBeLessThanOrEqual(ADDITIONS + 1);
  expect(Number(balance?.["quota"])).toBe(rows.length * ADDED);
  expect((await ledger.audit()).faults).toEqual([]);
  console.log(`${engine}: ${seen} of ${ADDITIONS} answers were seen, ${rows.length - 1} credited before the kill`);
  await ledger.close();
  await site.remove();
});
