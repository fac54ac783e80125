/** Attack: lock others out of signing in, an office behind one address, or all users behind a proxy missing in TRUSTED_PROXIES. */
import { afterEach, expect, test } from "vitest";
import { createLogger } from "../../server/src/observe/logger.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const LIMITED = { GLOBAL_API_RATE_LIMIT_ENABLE: "true", GLOBAL_API_RATE_LIMIT: "180" };

async function open(environment: Record<string, string>, lines: string[] = []): Promise<TestServer> {
  const logger = createLogger({ level: "warn", destination: { write: (line: string) => void lines.push(line) } });
  server = await startTestServer({ ...LIMITED, ...environment }, { logger });
  return server;
}

const guess = (from: TestServer, name: string, headers: Record<string, string> = {}) =>
  from.client().post("/api/user/login", { username: name, password: "wrong wrong 1" }, { headers });
const signIn = (from: TestServer, headers: Record<string, string> = {}) =>
  from.client().post("/api/user/login", { username: "root", password: ROOT_PASSWORD }, { headers });
const times = (count: number) => Array.from({ length: count }, (_, at) => at);

test("one user in an office can begin sign-ins and guess at any name, and those who signed in from there still can", async () => {
  const office = await open({});
  await setUp(office);
  for (const at of times(40))
    await office.client().post("/api/oauth/state", { provider: "", bind: false, aff: `${at}` });
  for (const at of times(100)) await guess(office, `somebody${at}`);
  const came = await signIn(office);
  expect([came.status, came.body.success]).toEqual([200, true]);
});

test("signing in rightly uses up nothing", async () => {
  const office = await open({});
  await setUp(office);
  const answers = [];
  for (const _ of times(60)) answers.push((await signIn(office)).body.success);
  expect(answers).toEqual(times(60).map(() => true));
});

test("behind an unlisted proxy an anonymous client locks no user out, and guesses still have the limit of one client", async () => {
  const lines: string[] = [];
  const site = await open({}, lines);
  const root = await setUp(site);
  await root.post("/api/user/", { username: "newcomer", password: "long enough 47", display_name: "", role: 1 });
  const stranger = { "x-forwarded-for": "198.51.100.66" };
  const statuses = await Promise.all(times(300).map(async (at) => (await guess(site, `nobody${at}`, stranger)).status));
  const heard = statuses.filter((status) => status !== 429).length;
  expect(heard).toBeLessThanOrEqual(50);
  // Neither root, who signed in here before, nor a user who never did.
  const own = { "x-forwarded-for": "192.0.2.7" };
  expect((await signIn(site, own)).body.success).toBe(true);
  const first = { username: "newcomer", password: "long enough 47" };
  expect((await site.client().post("/api/user/login", first, { headers: own })).body.success).toBe(true);
  // The operator is warned of it, in the log and on the settings page.
  const warnings = lines.filter((line) => line.includes("TRUSTED_PROXIES"));
  expect(warnings).toHaveLength(1);
  const told = async () => (await root.get("/api/option/system_info")).body.data;
  await expect.poll(told).toMatchObject({ untrusted_proxy: { address: "127.0.0.1", is_private: true } });
});

test("a client that forges the header has one limit over all addresses that it claims", async () => {
  const site = await open({});
  await setUp(site);
  let at = 0;
  const forged = () => ({ "x-forwarded-for": `198.51.${(at += 1) >> 8}.${at & 255}` });
  const asked = await Promise.all(
    times(2_200).map(async () => (await site.client().get("/api/status", { headers: forged() })).status),
  );
  expect(asked.filter((status) => status !== 429).length).toBeLessThanOrEqual(1_800);
});

test("one header lifts no limit of the address: clients without it are still counted, and block no user who signed in before", async () => {
  const site = await open({});
  const root = await setUp(site);
  await root.post("/api/user/", { username: "newcomer", password: "long enough 47", display_name: "" });
  const forge = (at: number) =>
    site.client().get("/api/status", { headers: { "x-forwarded-for": `198.51.100.${at}` } });
  const heard = [];
  for (const at of times(120)) {
    if (at % 20 === 0) await forge(at);
    heard.push((await guess(site, `somebody${at}`)).status !== 429);
  }
  expect(heard.filter(Boolean).length).toBeLessThanOrEqual(52);
  expect((await signIn(site)).body.success).toBe(true);
  // Whom an unnamed proxy names is held up by none of it.
  const first = { username: "newcomer", password: "long enough 47" };
  const headers = { "x-forwarded-for": "192.0.2.7" };
  expect((await site.client().post("/api/user/login", first, { headers })).body.success).toBe(true);
});

test.each([
  ["a public address that makes the header up has the registrations of one client", "203.0.113.5", 20],
  ["clients behind an unnamed proxy of the own network have theirs, and that of ten together", "10.1.2.3", 200],
])("%s", async (_name, peer, most) => {
  const site = await open({ TRUSTED_PROXIES: "127.0.0.1", GLOBAL_API_RATE_LIMIT: "100000" });
  await setUp(site);
  const register = async (at: number) => {
    const headers = { "x-forwarded-for": `203.1.${at >> 7}.${(at & 127) * 2}, ${peer}` };
    // The password is refused, which counts all the same and takes no time.
    return (await site.client().post("/api/user/register", { username: `z${at}`, password: "short" }, { headers }))
      .status;
  };
  const statuses = [];
  for (const at of times(most + 10)) statuses.push(await register(at));
  expect(statuses.filter((status) => status !== 429)).toHaveLength(most);
});

test("guesses at one account count by the account, for any claimed address", async () => {
  const site = await open({});
  await setUp(site);
  const heard = [];
  for (const at of times(40)) heard.push((await guess(site, "root", { "x-forwarded-for": `198.51.100.${at}` })).status);
  expect(heard.filter((status) => status !== 429).length).toBeLessThanOrEqual(6);
});

test("a proxy that is named is warned of no more", async () => {
  const lines: string[] = [];
  const site = await open({ TRUSTED_PROXIES: "127.0.0.1" }, lines);
  const root = await setUp(site);
  await guess(site, "nobody", { "x-forwarded-for": "198.51.100.66" });
  expect((await root.get("/api/option/system_info")).body.data).not.toHaveProperty("untrusted_proxy");
  expect(lines.filter((line) => line.includes("TRUSTED_PROXIES"))).toEqual([]);
});
