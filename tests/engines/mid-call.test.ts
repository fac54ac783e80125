/** Changes during a call apply to later calls: the running one completes, at the prices of its start, and the ledger balances. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TokenRow } from "../../contract/src/features/tokens.ts";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { engines } from "../support/databases/databases.ts";
import { until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD, TestClient } from "../support/systems/server.ts";
import {
  type TestLedger,
  MODELS,
  type Site,
  countedPrice,
  dataOf,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";

const USAGE = { prompt_tokens: 101, completion_tokens: 7, total_tokens: 108 };
const CHARGE = countedPrice(USAGE.prompt_tokens, USAGE.completion_tokens);
const LIMITED = 50_000;
const CHAT = { model: MODELS.counted, messages: [{ role: "user", content: "hello" }], stream: true, max_tokens: 50 };

interface Scene {
  owner: TestClient;
  root: TestClient;
  token: TokenRow;
  channelId: number;
}

interface Change {
  name: string;
  /** The token's quota; unlimited where absent. */
  quota?: number;
  make(scene: Scene): Promise<unknown>;
  /** Takes it back where later calls would feel it. */
  undo?(scene: Scene): Promise<unknown>;
  /** Status of the next call. */
  next: number;
  /** What the token has left afterwards. */
  left?: number;
}

const option = ({ root }: Scene, key: string, value: unknown): Promise<unknown> =>
  dataOf(root.put("/api/option", { key, value: typeof value === "string" ? value : JSON.stringify(value) }));
const edit = ({ owner, token }: Scene, change: Partial<TokenRow>): Promise<unknown> =>
  dataOf(owner.put("/api/token", { id: token.id, name: token.name, ...change }));

const CHANGES: readonly Change[] = [
  {
    name: "its price",
    make: (scene) => option(scene, "ModelRatio", { [MODELS.counted]: 250 }),
    undo: (scene) => option(scene, "ModelRatio", { [MODELS.counted]: 2.5 }),
    next: 200,
  },
  {
    name: "the ratio of its group",
    make: (scene) => option(scene, "GroupRatio", { default: 9, vip: 1 }),
    undo: (scene) => option(scene, "GroupRatio", { default: 1, vip: 1 }),
    next: 200,
  },
  {
    name: "whether calls are logged",
    make: (scene) => option(scene, "LogConsumeEnabled", "false"),
    undo: (scene) => option(scene, "LogConsumeEnabled", "true"),
    next: 200,
  },
  {
    name: "its token, deleted",
    make: ({ owner, token }) => dataOf(owner.send("DELETE", `/api/token/${token.id}`)),
    next: 401,
  },
  {
    name: "its token, switched off",
    make: ({ owner, token }) => dataOf(owner.put("/api/token?status_only=true", { id: token.id, status: 2 })),
    next: 401,
  },
  {
    name: "its token, limited to almost nothing",
    make: (scene) => edit(scene, { unlimited_quota: false, remain_quota: 1 }),
    next: 403,
    left: 1,
  },
  {
    name: "its token's quota, taken away",
    quota: LIMITED,
    make: (scene) => edit(scene, { remain_quota: 0 }),
    next: 403,
    left: -CHARGE,
  },
  {
    name: "its token's limit, lifted",
    quota: LIMITED,
    make: (scene) => edit(scene, { unlimited_quota: true }),
    next: 200,
    left: LIMITED - CHARGE,
  },
  {
    name: "its channel, switched off",
    make: ({ root, channelId }) => dataOf(root.put("/api/channel", { id: channelId, status: 2 })),
    undo: ({ root, channelId }) => dataOf(root.put("/api/channel", { id: channelId, status: 1 })),
    next: 503,
  },
];

describe.each(await engines())("on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let app: RunningApp;
  let change = Promise.withResolvers<void>();

  /** An answer of which half has come when the change is made, and the rest comes behind it. */
  const halfUntilChanged = (): Plan => {
    const { promise } = change;
    let frames = 0;
    const beforeFrame = async (): Promise<void> => void ((frames += 1) === 3 && (await promise));
    return { usage: USAGE, text: "one two three four", chunks: 4, beforeFrame };
  };
  let books: TestLedger;
  let owner: TestClient;
  let root: TestClient;

  beforeAll(async () => {
    upstream = await startFakeUpstream({ plan: halfUntilChanged });
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10_000_000] });
    const { config } = site.place;
    app = await startApp(
      { ...config, allowPrivateUpstreams: true },
      { logger: createLogger({ level: "silent" }), webDirectory: join(config.dataDir, "no-web") },
    );
    books = await openTestLedger(site);
    owner = await loggedIn(app.url, String(site.people[0]?.username));
    root = new TestClient(app.url);
    await dataOf(root.login("root", ROOT_PASSWORD));
  });

  afterAll(async () => {
    await app?.close();
    await books?.close();
    await site?.remove();
    await upstream?.close();
  });

  const post = (key: string): Promise<Response> =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(CHAT),
    });

  async function newScene(quota: number | undefined): Promise<Scene> {
    const form = { name: "main", unlimited_quota: quota === undefined, remain_quota: quota ?? 0, expired_time: -1 };
    return { owner, root, token: await dataOf<TokenRow>(owner.post("/api/token", form)), channelId: site.channelId };
  }

  const numberOf = async (query: string): Promise<number> =>
    Number(Object.values((await books.rows(query))[0] ?? {})[0]);

  test.each(CHANGES)("$name", async ({ quota, make, undo, next, left }) => {
    const scene = await newScene(quota);
    const { token } = scene;
    change = Promise.withResolvers();
    const running = await post(`sk-${token.key}`);
    await until(() => upstream.openCount > 0, "the call at its upstream");
    await make(scene);
    change.resolve();
    expect(await running.text()).toMatch(/\[DONE\]\s*$/);
    const requestId = String(running.headers.get("x-request-id"));
    expect(await numberOf(`SELECT used_delta FROM ledger WHERE entry_id = '${requestId}'`)).toBe(CHARGE);
    const later = await post(`sk-${token.key}`);
    await later.text();
    expect(later.status).toBe(next);
    if (left !== undefined && next !== 200)
      expect(await numberOf(`SELECT remain_quota FROM tokens WHERE id = ${token.id}`)).toBe(left);
    await undo?.(scene);
  });

  test("behind all of them nothing is held and the audit finds no wrong unit", async () => {
    await until(async () => (await numberOf("SELECT COUNT(*) AS total FROM holds")) === 0, "no open holds");
    expect((await books.audit()).faults).toEqual([]);
  });
});
