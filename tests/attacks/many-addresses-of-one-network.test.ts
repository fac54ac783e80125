/** Attack: use one IPv6 network for the limits of many addresses: endless accounts, mails and calls. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";

const STRANGERS = 60;
let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer({
    TRUSTED_PROXIES: "127.0.0.1",
    GLOBAL_API_RATE_LIMIT_ENABLE: "true",
    GLOBAL_API_RATE_LIMIT: String(STRANGERS),
  });
  root = await setUp(server);
});
afterAll(() => server.stop());

/** The address with this number in a /64 of its own for each test; as a proxy that is trusted hands it on. */
const from = (network: string, host: number) => ({ "x-forwarded-for": `2001:db8:${network}::${host.toString(16)}` });

/** Status of each of so many calls, each from another address of one /64. */
async function spread(
  count: number,
  network: string,
  call: (headers: Record<string, string>, at: number) => Promise<number>,
) {
  return Promise.all(Array.from({ length: count }, (_, at) => call(from(network, at + 1), at)));
}
const passed = (statuses: readonly number[]): number => statuses.filter((status) => status !== 429).length;

test("150 addresses of one /64 share the limit of one anonymous client", async () => {
  const statuses = await spread(
    150,
    "1:1",
    async (headers) => (await server.client().get("/api/status", { headers })).status,
  );
  expect(passed(statuses)).toBe(STRANGERS);
});

test("60 addresses of one /64 make no more accounts than one address does; those of another /64 are not limited", async () => {
  const register = (headers: Record<string, string>, at: number) =>
    server.client().post("/api/user/register", { username: `many${at}`, password: "long enough 47" }, { headers });
  const before = server.app.foundation.database.kysely.selectFrom("users").select("id");
  const accounts = (await before.execute()).length;
  await spread(59, "2:1", async (headers, at) => (await register(headers, at)).status);
  expect((await before.execute()).length - accounts).toBe(20);
  expect((await register(from("2:2", 1), 100)).status).toBe(200);
});

test("each rate limit for anonymous clients counts the whole /64", async () => {
  for (const [path, network] of [
    ["/api/verification?email=a@b.example", "3:1"],
    ["/api/reset_password?email=a@b.example", "4:1"],
  ] as const) {
    const statuses = await spread(
      40,
      network,
      async (headers) => (await server.client().post(path, {}, { headers })).status,
    );
    expect([path, passed(statuses)]).toEqual([path, 20]);
  }
});

test("an IPv4 address is the same however it is written, and its neighbours are others", async () => {
  const headers = (address: string) => ({ "x-forwarded-for": address });
  const ask = async (address: string) =>
    (await server.client().get("/api/status", { headers: headers(address) })).status;
  const spellings = ["203.0.113.9", "::ffff:203.0.113.9", "::ffff:cb00:7109", "203.0.113.9:4711"];
  const statuses = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(spellings[at % 4] ?? "")));
  expect(passed(statuses)).toBe(STRANGERS);
  expect(await ask("203.0.113.10")).toBe(200);
  expect((await root.get("/api/user/self")).status).toBe(200);
});
