/** Fault: two processes share a channel of ten keys, three of them bad: no call fails, each bad one is found once, and no key is logged. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChannelKeyList } from "../../contract/src/channels/keys.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { SeenRequest } from "../fake-upstream/plan.ts";
import { type Secret, tracesIn } from "../support/checks/traces.ts";
import { callChat } from "../support/clients/calls.ts";
import { enginesHere } from "../support/databases/databases.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";
import {
  dataOf,
  loggedIn,
  makeSite,
  MODELS,
  openTestLedger,
  type Site,
  type TestLedger,
} from "../support/systems/site.ts";

const KEYS = 10;
const BAD: readonly number[] = [2, 5, 9];
/** Of a shape that no pattern knows. */
const keyOf = (id: number): string => `vendorZq7c1f09planted${String(id).padStart(2, "0")}Key${id}end`;
const idIn = ({ headers }: SeenRequest): number =>
  Number(/planted(\d\d)Key/.exec(String(headers["authorization"]))?.[1] ?? 0);
const SECRETS: readonly Secret[] = Array.from({ length: KEYS }, (_, index) => ({
  name: `key ${index + 1}`,
  value: keyOf(index + 1),
}));

const hasPostgres = (await enginesHere()).includes("postgres");

describe.skipIf(!hasPostgres)("ten keys in one channel of two processes", () => {
  let upstream: FakeUpstream;
  let site: Site;
  let books: TestLedger;
  let servers: readonly [ServerProcess, ServerProcess];
  let root: TestClient;
  let channelId = 0;

  beforeAll(async () => {
    upstream = await startFakeUpstream({
      plan: (seen) => {
        const key = keyOf(idIn(seen));
        const error = { message: `Incorrect API key provided: ${key}`, code: "invalid_api_key" };
        return BAD.includes(idIn(seen)) ? { status: 401, error } : { headers: { "openai-organization": key } };
      },
    });
    const options = { AutomaticDisableChannelEnabled: "true", RetryTimes: "0" };
    site = await makeSite("postgres", { upstreamUrl: upstream.url, quotas: [10 ** 9], options });
    const env = { ...site.env, LOG_LEVEL: "trace" };
    servers = [await startServer(env), await startServer(env)];
    books = await openTestLedger(site);
    root = await loggedIn(servers[0].url, "root", ROOT_PASSWORD);
    await dataOf(root.send("DELETE", `/api/channel/${site.channelId}`));
    [channelId = 0] = await dataOf<number[]>(
      root.post("/api/channel", {
        type: 1,
        name: "pool",
        key: SECRETS.map(({ value }) => value).join("\n"),
        keys_make: "one_channel",
        key_choice: "in_turn",
        base_url: upstream.url,
        models: MODELS.fixed,
        groups: ["default"],
      }),
    );
    // The other process follows within a second.
    const [key = ""] = site.people.map((person) => person.key);
    const isThere = async () =>
      (await callChat(servers[1].url, key, { model: MODELS.fixed, isStream: false })).status === 200;
    await until(isThere, "the channel in the other process");
    await dataOf(root.post(`/api/channel/${channelId}/keys/status`, { which: "all", status: 1 }));
  });

  afterAll(async () => {
    await books.close();
    await site.remove();
    await upstream.close();
  });

  const keys = () => dataOf<ChannelKeyList>(root.get(`/api/channel/${channelId}/keys?page_size=100`));

  test("no call fails, both skip the bad keys, and the counts of both are in their rows", async () => {
    const [key = ""] = site.people.map((person) => person.key);
    const call = async (index: number): Promise<number> => {
      const { url } = servers[index % 2] ?? servers[0];
      return (await callChat(url, key, { model: MODELS.fixed, isStream: index % 3 === 0 })).status;
    };
    const statuses: number[] = [];
    for (let index = 0; index < 60; index += 4)
      statuses.push(...(await Promise.all([0, 1, 2, 3].map((more) => call(index + more)))));
    expect(statuses).toEqual(Array(60).fill(200));
    await until(async () => (await keys()).auto_disabled === BAD.length, "the bad keys to be switched off");
    // What begins a second later knows it in both processes.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    upstream.reset();
    expect(await Promise.all(Array.from({ length: 20 }, (_, index) => call(index)))).toEqual(Array(20).fill(200));
    expect(upstream.requests.map(idIn).filter((id) => BAD.includes(id))).toEqual([]);
    expect((await keys()).keys.map(({ status }) => status)).toEqual(
      SECRETS.map((_, index) => (BAD.includes(index + 1) ? 3 : 1)),
    );
  });

  test("no key is in the answers of the console, in any row, or in the log at its most talkative", async () => {
    const shown = [await root.get(`/api/channel/${channelId}/keys`), await root.get("/api/log/?page_size=100")];
    for (const server of servers) await server.end();
    const tables = ["channels", "channel_keys", "logs", "outbox", "options"] as const;
    const rows = await Promise.all(tables.map((table) => books.rows(`SELECT * FROM ${table}`)));
    const used = rows[1]?.map((row) => Number(row["used_count"])) ?? [];
    expect(used.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(80);
    const texts = [JSON.stringify(shown), JSON.stringify(rows), ...servers.map(({ output }) => output())];
    expect(texts.every((text) => text.length > 100)).toBe(true);
    for (const text of texts) expect(tracesIn(Buffer.from(text), SECRETS)).toEqual([]);
    // The search itself would find them.
    expect(tracesIn(Buffer.from(`x${keyOf(3)}x`), SECRETS)).not.toEqual([]);
  });
});
