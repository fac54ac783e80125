/** A channel's parameter override on real engines: saved in the console, obeyed by the next call, held and charged by what is sent. */
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { engines } from "../support/databases/databases.ts";
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

const USAGE = { prompt_tokens: 101, completion_tokens: 7, total_tokens: 108 };
/** Enough for a call of 20 tokens, and for none of 50,000. */
const SMALL_QUOTA = 5_000;
const CHAT = { model: MODELS.counted, messages: [{ role: "user", content: "hello" }], max_tokens: 20 };

describe.each(await engines())("overrides on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let app: RunningApp;
  let books: TestLedger;
  let root: TestClient;

  beforeAll(async () => {
    upstream = await startFakeUpstream({ validates: false, plan: { usage: USAGE, text: "one two" } });
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [1_000_000, SMALL_QUOTA], options: {} });
    const { config } = site.place;
    app = await startApp(
      { ...config, allowPrivateUpstreams: true },
      { logger: createLogger({ level: "silent" }), webDirectory: join(config.dataDir, "no-web") },
    );
    books = await openTestLedger(site);
    root = new TestClient(app.url);
    await dataOf(root.login("root", ROOT_PASSWORD));
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await app?.close();
    await books?.close();
    await site?.remove();
    await upstream?.close();
  });

  const post = (person: number, body: unknown = CHAT) =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${site.people[person]?.key}` },
      body: JSON.stringify(body),
    });

  /** Saves the override and waits until a call goes by it. */
  async function save(paramOverride: Record<string, unknown>): Promise<void> {
    const operations = [...((paramOverride["operations"] as object[] | undefined) ?? [])];
    const mark = `mark-${Math.random()}`;
    const marked = {
      ...paramOverride,
      operations: [...operations, { mode: "set_header", path: "x-mark", value: mark }],
    };
    await dataOf(root.put("/api/channel", { id: site.channelId, param_override: JSON.stringify(marked) }));
    await until(async () => {
      const answer = await post(0);
      await answer.text();
      return answer.status !== 200 || upstream.requests.at(-1)?.headers["x-mark"] === mark;
    }, "the override is in force");
    upstream.requests.length = 0;
  }

  const balanceOf = async (person: number) => {
    const [row] = await books.rows(`SELECT quota, held FROM users WHERE id = ${site.people[person]?.userId}`);
    return { quota: Number(row?.["quota"]), held: Number(row?.["held"]) };
  };

  const isSmall = { conditions: [{ path: "max_tokens", mode: "lte", value: 20 }] };
  test.each<[string, Record<string, unknown>, string, number]>([
    ["a plain field", { max_tokens: 50_000 }, "max_tokens", 50_000],
    ["a rule", { operations: [{ mode: "set", path: "max_tokens", value: 50_000 }] }, "max_tokens", 50_000],
    [
      "a rule whose condition reads the body",
      { operations: [{ mode: "set", path: "max_tokens", value: 50_000, ...isSmall }] },
      "max_tokens",
      50_000,
    ],
    ["a plain field", { n: 128 }, "n", 128],
    ["a rule", { operations: [{ mode: "set", path: "n", value: 128 }] }, "n", 128],
  ])(
    "%s, %j, is held for: a small balance is refused and untouched, a large one charged by use",
    async (_name, override, field, sent) => {
      await save({});
      expect((await post(1)).status).toBe(200);
      const before = await balanceOf(1);
      await save(override);
      const refused = await post(1);
      expect([refused.status, upstream.requests.length]).toEqual([403, 0]);
      await until(async () => (await balanceOf(1)).held === 0, "the hold is given back");
      expect(await balanceOf(1)).toEqual({ ...before, held: 0 });
      const rich = await balanceOf(0);
      expect((await post(0)).status).toBe(200);
      expect(upstream.requests[0]?.json?.[field]).toBe(sent);
      const charge = countedPrice(USAGE.prompt_tokens, USAGE.completion_tokens);
      expect(await balanceOf(0)).toEqual({ quota: rich.quota - charge, held: 0 });
    },
  );

  test("a rule that names another model is charged at the price of the client's own, and held by it", async () => {
    await save({ operations: [{ mode: "set", path: "model", value: "a-dear-model" }] });
    const small = await balanceOf(1);
    const rich = await balanceOf(0);
    for (const person of [0, 1]) expect((await post(person)).status).toBe(200);
    expect(upstream.requests.map(({ json }) => json?.["model"])).toEqual(["a-dear-model", "a-dear-model"]);
    const charge = countedPrice(USAGE.prompt_tokens, USAGE.completion_tokens);
    expect(await balanceOf(0)).toEqual({ quota: rich.quota - charge, held: 0 });
    expect(await balanceOf(1)).toEqual({ quota: small.quota - charge, held: 0 });
  });

  test("a rule that answers with an error costs nothing, and its row is there for administrators", async () => {
    const value = { message: "closed", status_code: 403, code: "closed_here" };
    await save({ operations: [{ mode: "return_error", value }] });
    const rich = await balanceOf(0);
    const answer = await post(0);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("closed_here");
    await until(async () => (await balanceOf(0)).held === 0, "the hold is given back");
    expect(await balanceOf(0)).toEqual({ ...rich, held: 0 });
    const requestId = String(answer.headers.get("x-request-id"));
    await until(
      async () => (await books.rows(`SELECT other FROM logs WHERE request_id = '${requestId}'`)).length === 1,
      "the row of the refused call is written",
    );
    const [row] = await books.rows(`SELECT type, quota, other FROM logs WHERE request_id = '${requestId}'`);
    expect([Number(row?.["type"]), Number(row?.["quota"])]).toEqual([5, 0]);
    expect(String(row?.["other"])).toContain("return_error");
  });
});
