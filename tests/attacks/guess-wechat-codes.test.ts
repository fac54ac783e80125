/**
 * Attack: a botnet guesses the code that the WeChat account just gave another user. Guesses of all networks together are limited, on two processes
 * too.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../support/databases/databases.ts";
import { WECHAT_TOKEN, startIdentitySites } from "../support/systems/identity-sites.ts";
import type { IdentitySites } from "../support/systems/identity-sites.ts";
import { startServer } from "../support/systems/processes.ts";
import type { ServerProcess } from "../support/systems/processes.ts";
import { TestClient } from "../support/systems/server.ts";
import { makeSite } from "../support/systems/site.ts";
import type { Site } from "../support/systems/site.ts";

const NETWORKS = 150;
/** Twenty wait for nothing; then each doubles the wait. Each process may have had one under way. */
const MOST_HEARD = 24;

let sites: IdentitySites;
beforeAll(async () => {
  sites = await startIdentitySites();
});
afterAll(() => sites.close());

describe.each(await engines())("codes of WeChat on %s", (engine) => {
  let site: Site;
  let servers: readonly ServerProcess[] = [];

  beforeAll(async () => {
    const options = { WeChatServerAddress: sites.url, WeChatServerToken: WECHAT_TOKEN, WeChatAuthEnabled: "true" };
    site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [], options });
    const env = { ...site.env, TRUSTED_PROXIES: "127.0.0.1" };
    const count = engine === "sqlite" ? 1 : 2;
    servers = await Promise.all(Array.from({ length: count }, () => startServer(env)));
    sites.asked.length = 0;
  });
  afterAll(async () => {
    for (const server of servers) await server.end();
    await site?.remove();
  });

  const guess = async (index: number) => {
    const server = servers[index % servers.length];
    const client = new TestClient(server?.url ?? "");
    const headers = { "x-forwarded-for": `198.18.${index}.1`, "sec-fetch-site": "same-origin" };
    const code = String(100_000 + index);
    if (index % 3 === 0) return client.get(`/api/oauth/wechat?code=${code}`, { headers });
    const { body } = await client.post("/api/oauth/state", { provider: "wechat" }, { headers });
    return client.post("/api/oauth/wechat", { code, state: body.data }, { headers });
  };

  test(`of ${NETWORKS} guesses from as many networks few are heard, and the right one among the last is not`, async () => {
    sites.wechat.set(String(100_000 + NETWORKS - 1), "openid-of-the-victim");
    const answers = [];
    for (let start = 0; start < NETWORKS; start += 10)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, index) => guess(start + index)))));
    const asked = sites.asked.filter((request) => request === "GET /api/wechat/user").length;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(MOST_HEARD);
    expect(answers.filter(({ body }) => body.success)).toEqual([]);
    const waiting = answers.filter(({ status, headers }) => status === 429 && headers.get("retry-after") !== null);
    expect(waiting.length).toBeGreaterThanOrEqual(NETWORKS - MOST_HEARD);
  });
});
