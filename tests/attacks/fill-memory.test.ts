/** Attack: an account without quota fills the memory of every process, with endless tokens whose lists are as long as a call may carry. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../support/databases/databases.ts";
import { type ServerProcess, startServer } from "../support/systems/processes.ts";
import { type Site, type TestLedger, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const LANES = 25;
const MAX_TOKENS = 1_000;
const MAX_ENTRIES = 500;

describe.each(await engines())("on %s", (engine) => {
  let site: Site;
  let servers: readonly ServerProcess[];
  let ledger: TestLedger;

  beforeAll(async () => {
    site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [0, 0] });
    // With the limit of calls that a site has, which the site of tests switches off.
    const env = { ...site.env, GLOBAL_API_RATE_LIMIT_ENABLE: "true" };
    const first = await startServer(env);
    servers = engine === "sqlite" ? [first] : [first, await startServer(env)];
    ledger = await openTestLedger(site);
  });
  afterAll(async () => {
    await ledger.close();
    for (const server of servers) await server.end();
    await site.remove();
  });

  const clientsOf = (username: string) => Promise.all(servers.map(({ url }) => loggedIn(url, username)));
  const tokensOf = async (index: number) => {
    const query = `SELECT count(*) AS tokens, sum(length(model_limits)) AS letters, max(length(model_limits)) AS longest
      FROM tokens WHERE deleted_at IS NULL AND user_id = ${site.people[index]?.userId}`;
    const [row] = await ledger.rows(query);
    return { tokens: Number(row?.["tokens"]), letters: Number(row?.["letters"]), longest: Number(row?.["longest"]) };
  };

  test("many tokens at once on every process: no more than the bound, and the calls are counted by what they make", async () => {
    const clients = await clientsOf("person0");
    const list = Array.from({ length: MAX_ENTRIES }, (_, index) => `model-${index}`).join(",");
    const body = { name: "n", count: 100, model_limits_enabled: true, model_limits: list };
    const answers = await Promise.all(
      Array.from({ length: LANES * 2 }, async (_, lane) => {
        const answer = await clients[lane % clients.length]?.post("/api/token", body);
        return answer?.status === 429 ? "too many calls" : (answer?.body.code ?? "made");
      }),
    );
    const { tokens } = await tokensOf(0);
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
    expect(answers.filter((answer) => answer === "made")).toHaveLength(Math.floor(tokens / 100));
    expect(new Set(answers)).toEqual(new Set(["made", "token_limit_reached", "too many calls"]));
    // The allowance of the window was used up by far fewer calls than it has.
    expect(answers).toContain("too many calls");
  });

  test("lists as long as a call may carry: refused, and what is stored stays small", async () => {
    const clients = await clientsOf("person1");
    const long = Array.from({ length: 6_000 }, (_, index) => `m${index}`).join(",");
    const wide = (lane: number) =>
      Array.from({ length: MAX_ENTRIES }, (_, index) => `${lane}-${index}`.padEnd(110, "x")).join(",");
    const lanes = Array.from({ length: LANES }, (_, lane) => lane);
    await Promise.all(
      lanes.flatMap((lane) => [
        clients[lane % clients.length]?.post("/api/token", { name: "n", model_limits: long }),
        clients[lane % clients.length]?.post("/api/token", { name: "n", model_limits: wide(lane), count: 20 }),
      ]),
    );
    const { letters, longest } = await tokensOf(1);
    expect(longest).toBeLessThan(60_000);
    expect(letters).toBeLessThanOrEqual(8_388_608);
  });
});
