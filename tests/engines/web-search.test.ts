/** Web searches by the gateway on real engines: one charge for all rounds and searches, whatever ends the call, and a balanced ledger. */
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { engines } from "../support/databases/databases.ts";
import { type SearchServer, startSearchServer } from "../support/relay/search-server.ts";
import { until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";
import {
  countedPrice,
  dataOf,
  makeSite,
  MODELS,
  openTestLedger,
  type Site,
  type TestLedger,
} from "../support/systems/site.ts";

const MOONSHOT = 25;
const usage = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});
const LOOKS = { text: "", toolCalls: [{ name: "web_search", arguments: '{"query":"rain"}' }], usage: usage(100, 10) };
const CHAT = {
  model: MODELS.counted,
  messages: [{ role: "user", content: "rain?" }],
  max_tokens: 20,
  web_search_options: {},
};
/** 2 USD for 1,000 searches at 500,000 units. */
const SEARCH_QUOTA = 1_000;

describe.each(await engines())("web searches on %s", (engine) => {
  let upstream: FakeUpstream;
  let search: SearchServer;
  let site: Site;
  let app: RunningApp;
  let books: TestLedger;

  beforeAll(async () => {
    [upstream, search] = await Promise.all([startFakeUpstream({ validates: false }), startSearchServer()]);
    search.pages = [{ url: "https://a.example/", title: "A", text: "It rained." }];
    const options = { WebSearchProvider: "searxng", WebSearchAddress: search.url, WebSearchPrice: "2" };
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [1_000_000], options });
    const { config } = site.place;
    app = await startApp(
      { ...config, allowPrivateUpstreams: true },
      { logger: createLogger({ level: "silent" }), webDirectory: join(config.dataDir, "no-web") },
    );
    books = await openTestLedger(site);
    const root = new TestClient(app.url);
    await dataOf(root.login("root", ROOT_PASSWORD));
    await dataOf(
      root.put("/api/channel", { id: site.channelId, type: MOONSHOT, key: "sk-of-moonshot", base_url: upstream.url }),
    );
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await app?.close();
    await books?.close();
    await site?.remove();
    await upstream?.close();
    await search?.close();
  });

  const post = (signal?: AbortSignal, more: object = {}) =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${site.people[0]?.key}` },
      body: JSON.stringify({ ...CHAT, ...more }),
      ...(signal === undefined ? {} : { signal }),
    });
  const balance = async () => {
    const [row] = await books.rows(`SELECT quota, held FROM users WHERE id = ${site.people[0]?.userId}`);
    return { quota: Number(row?.["quota"]), held: Number(row?.["held"]) };
  };

  test("all rounds and searches are one charge and one row", async () => {
    const before = await balance();
    upstream.next(LOOKS, LOOKS, { text: "It rained [1].", usage: usage(300, 20) });
    const answer = await post();
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("https://a.example/")]);
    const charge = countedPrice(500, 40) + 2 * SEARCH_QUOTA;
    expect(await balance()).toEqual({ quota: before.quota - charge, held: 0 });
    const requestId = String(answer.headers.get("x-request-id"));
    expect(
      (await books.rows(`SELECT quota FROM logs WHERE request_id = '${requestId}'`)).map(({ quota }) => Number(quota)),
    ).toEqual([charge]);
  });

  test("a client that leaves in the second round is charged for the first one and its search, and nothing stays held", async () => {
    const before = await balance();
    upstream.next(LOOKS, { neverAnswers: true });
    const leave = new AbortController();
    const asked = post(leave.signal);
    await until(async () => upstream.requests.length === 2, "the second round is under way");
    leave.abort();
    await expect(asked).rejects.toThrow("abort");
    const left = { quota: before.quota - countedPrice(100, 10) - SEARCH_QUOTA, held: 0 };
    await until(
      async () => (await balance()).held === 0 && (await balance()).quota !== before.quota,
      "the call is settled",
    );
    expect(await balance()).toEqual(left);
  });

  test("a stream is charged once, and one that is left in its second round for what came of it", async () => {
    const before = await balance();
    upstream.next(LOOKS, { text: "It rained [1].", usage: usage(300, 20) });
    const answer = await post(undefined, { stream: true });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("https://a.example/")]);
    const whole = countedPrice(400, 30) + SEARCH_QUOTA;
    expect(await balance()).toEqual({ quota: before.quota - whole, held: 0 });
    const held = Promise.withResolvers<void>();
    const beforeFrame = (frame: string) => (frame.includes('finish_reason":"stop') ? held.promise : Promise.resolve());
    upstream.next(LOOKS, { text: "It rained.", usage: usage(300, 20), beforeFrame });
    const leave = new AbortController();
    const left = await post(leave.signal, { stream: true });
    const decoder = new TextDecoder();
    let text = "";
    const reader = left.body?.getReader();
    await until(async () => {
      text += decoder.decode((await reader?.read())?.value);
      const words = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join("");
      return words.endsWith("It rained.");
    }, "words of the second round");
    leave.abort();
    await until(async () => {
      const { held: open, quota } = await balance();
      return open === 0 && quota < before.quota - whole;
    }, "the call is settled");
    const { quota } = await balance();
    expect(before.quota - whole - quota).toBeGreaterThan(countedPrice(100, 10) + SEARCH_QUOTA);
    held.resolve();
    expect((await books.audit()).faults).toEqual([]);
  });
});
