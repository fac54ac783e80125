/**
 * Attack: spend more than the balance with calls whose cost the gateway cannot see (stored input, buffered answers, hidden reasoning). At
 * most one call more is spent.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { SeenRequest } from "../fake-upstream/plan.ts";
import { engines } from "../support/databases/databases.ts";
import { fewer } from "../support/soak/short-or-long.ts";
import { type ServerProcess, startServer } from "../support/systems/processes.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { type Person, type TestLedger, dataOf, loggedIn, makeSite, openTestLedger } from "../support/systems/site.ts";

const AT_ONCE = fewer(100, 30);
const BALANCE = 20_000;
const UNSEEN_INPUT = 200_000;
const UNSEEN_OUTPUT = 100_000;

interface Form {
  name: string;
  path: string;
  body: object;
  /** The raw bytes, if they differ from plain JSON. */
  text?: string;
  /** What each call costs by its vendor's count; every token costs 1. */
  cost: number;
}

const OPENAI = "attack-openai";
const CLAUDE = "attack-claude";
const GEMINI = "attack-gemini";
/** Thinks visibly unless asked to think. */
const THINKER = "claude-sonnet-4-5";
const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const MESSAGES = "/v1/messages";
const GENERATE = `/v1beta/models/${GEMINI}:generateContent`;

const input = (name: string, path: string, body: object): Form => ({ name, path, body, cost: UNSEEN_INPUT + 10 });
const output = (name: string, body: object): Form => ({
  name,
  path: CHAT,
  body: { model: OPENAI, messages: [{ role: "user", content: "think" }], ...body },
  cost: UNSEEN_OUTPUT + 10,
});
const response = (name: string, more: object): Form =>
  input(name, RESPONSES, { model: OPENAI, max_output_tokens: 20, input: "go on", ...more });
const filePart = (file: object) => ({ input: [{ role: "user", content: [{ type: "input_file", ...file }] }] });
const asDocument = (source: object) => ({
  model: CLAUDE,
  max_tokens: 20,
  messages: [{ role: "user", content: [{ type: "document", source }] }],
});
const asContents = (part: object) => ({
  contents: [{ role: "user", parts: [part] }],
  generationConfig: { maxOutputTokens: 20 },
});
const chatFile = [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }];

const PDF = { mimeType: "application/pdf", data: "aGVsbG8=" };
const bare = { model: OPENAI, max_output_tokens: 20 };
const escaped = (name: string, path: string, body: object, from: string, to: string): Form => ({
  ...input(name, path, body),
  text: JSON.stringify(body).replaceAll(from, to),
});

const FORMS: readonly Form[] = [
  response("a stored response", { previous_response_id: "resp_1" }),
  response("a conversation", { conversation: "conv_1" }),
  response("a file by its id", filePart({ file_id: "file-1" })),
  response("a file by its address", filePart({ file_url: "https://files.example/a.pdf" })),
  input("a file of chat", CHAT, { model: OPENAI, max_tokens: 20, messages: chatFile }),
  input("a document by its address", MESSAGES, asDocument({ type: "url", url: "https://files.example/a.pdf" })),
  input("a document by its id", MESSAGES, asDocument({ type: "file", file_id: "file_1" })),
  input("a file of Google", GENERATE, asContents({ fileData: { fileUri: "https://files.example/v1/files/a" } })),
  input("a cached context", GENERATE, { ...asContents({ text: "go on" }), cachedContent: "cachedContents/1" }),
  response("a stored prompt", { prompt: { id: "pmpt_1" } }),
  response("an item by its id alone", { input: [{ id: "msg_1" }] }),
  escaped(
    "a document whose slash is escaped",
    GENERATE,
    asContents({ inlineData: PDF }),
    "application/",
    "application\\/",
  ),
  escaped("an id whose digit is escaped", RESPONSES, { ...bare, input: [{ id: "msg_1" }] }, "msg_1", "msg_\\u0031"),
  response("a tool that is on no list", { tools: [{ type: "x_search" }] }),
  response("thoughts by their id", { input: [{ type: "reasoning", id: "rs_1", summary: [] }] }),
  output("a whole answer with a bound", { max_tokens: UNSEEN_OUTPUT }),
  output("a whole answer without one", {}),
  {
    name: "thoughts that a client of Google's asks for",
    path: `/v1beta/models/${THINKER}:streamGenerateContent?alt=sse`,
    body: { ...asContents({ text: "think" }), generationConfig: { thinkingConfig: { thinkingBudget: UNSEEN_OUTPUT } } },
    cost: UNSEEN_OUTPUT + 10,
  },
  output("thoughts that no event of a stream shows", { stream: true, stream_options: { include_usage: true } }),
];

const SLOWLY = "go on slowly";

const found = await engines();
let upstream: FakeUpstream;

/** The vendor's own count: dear input where the answer is short, else a dear answer. */
function usageFor({ path, json }: SeenRequest): object {
  const isLong = JSON.stringify(json?.["messages"] ?? "").includes("think");
  const [asked, answered] = isLong ? [10, UNSEEN_OUTPUT] : [UNSEEN_INPUT, 10];
  const total = asked + answered;
  if (path.includes("generateContent"))
    return { promptTokenCount: asked, candidatesTokenCount: answered, totalTokenCount: total };
  if (path.startsWith(CHAT)) return { prompt_tokens: asked, completion_tokens: answered, total_tokens: total };
  return { input_tokens: asked, output_tokens: answered, total_tokens: total };
}

beforeAll(async () => {
  // Long enough that no call of a wave ends before the last one was decided upon.
  const delayOf = ({ json }: SeenRequest): number => (json?.["input"] === SLOWLY ? fewer(5_000, 2_500) : 200);
  const plan = (request: SeenRequest) => ({
    usage: usageFor(request),
    headerDelayMs: delayOf(request),
    text: "so",
  });
  upstream = await startFakeUpstream({ validates: false, plan });
});

afterAll(() => upstream.close());

const RATIOS = JSON.stringify({ [OPENAI]: 1, [CLAUDE]: 1, [THINKER]: 1, [GEMINI]: 1 });
const CHANNELS = [
  [1, OPENAI],
  [14, CLAUDE],
  [14, THINKER],
  [24, GEMINI],
] as const;

interface Scene {
  servers: readonly ServerProcess[];
  people: readonly Person[];
  ledger: TestLedger;
  close(): Promise<void>;
}

/** Two processes on a database server, one on the embedded database, and a user for each balance. */
async function openScene(engine: (typeof found)[number], quotas: readonly number[]): Promise<Scene> {
  const options = { ModelRatio: RATIOS, CompletionRatio: RATIOS };
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas, options });
  const first = await startServer(site.env);
  const root = await loggedIn(first.url, "root", ROOT_PASSWORD);
  for (const [type, model] of CHANNELS)
    await dataOf(
      root.post("/api/channel", {
        type,
        name: model,
        key: "sk-upstream-0123456789abcdef",
        base_url: upstream.url,
        models: model,
        groups: ["default"],
        auto_ban: 0,
      }),
    );
  const servers = engine === "sqlite" ? [first] : [first, await startServer(site.env)];
  const ledger = await openTestLedger(site);
  const close = async (): Promise<void> => {
    await ledger.close();
    for (const server of servers) await server.end();
    await site.remove();
  };
  return { servers, people: site.people, ledger, close };
}

async function statusOf(url: string, key: string, { path, body, text = JSON.stringify(body) }: Form): Promise<number> {
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  const answer = await fetch(url + path, { method: "POST", headers, body: text });
  await answer.arrayBuffer();
  return answer.status;
}

/** Another process knows a new key within a second. */
async function knows(url: string, key: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/models`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status === 200;
}

/** How many of the calls at once were served. */
async function attack({ servers }: Scene, keys: readonly string[], form: Form): Promise<number> {
  const calls = Array.from({ length: AT_ONCE }, (_, index) => {
    const url = servers[index % servers.length]?.url ?? "";
    return statusOf(url, keys[index % keys.length] ?? "", form);
  });
  const statuses = await Promise.all(calls);
  expect([...new Set(statuses)].toSorted()).toEqual([200, 403]);
  return statuses.filter((status) => status === 200).length;
}

async function accountOf({ ledger }: Scene, { userId }: Person): Promise<{ quota: number; held: number }> {
  const [row] = await ledger.rows(`SELECT quota, held FROM users WHERE id = ${userId}`);
  return { quota: Number(row?.["quota"]), held: Number(row?.["held"]) };
}

/** Two and a half times what a call with unseen input holds. */
const SEVERAL_BOUNDS = 2.5 * (UNSEEN_INPUT + 20);

describe.each(found)("on %s", (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    // A user for each form, one with many keys, and one whose balance reaches for two calls.
    scene = await openScene(engine, [...FORMS.map(() => BALANCE), BALANCE, SEVERAL_BOUNDS]);
  });
  afterAll(() => scene.close());

  const personAt = (index: number): Person => {
    const person = scene.people.at(index);
    if (person === undefined) throw new Error("there are fewer people than forms");
    return person;
  };

  test(`${AT_ONCE} calls at once against a balance that reaches for none, in every form: one goes, with all that is left`, async () => {
    for (const [index, form] of FORMS.entries()) {
      const person = personAt(index);
      const served = await attack(scene, [person.key], form);
      const account = await accountOf(scene, person);
      expect({ form: form.name, served, ...account }).toEqual({
        form: form.name,
        served: 1,
        quota: BALANCE - form.cost,
        held: 0,
      });
    }
    expect((await scene.ledger.audit()).faults).toEqual([]);
  });

  test("many keys of little quota each spend no more than one key does", async () => {
    const person = personAt(-2);
    const form = FORMS.find(({ name }) => name === "a stored response");
    if (form === undefined) throw new Error("there is no such form");
    const client = await loggedIn(scene.servers[0]?.url ?? "", person.username);
    const keys: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      const token = { name: `small ${index}`, unlimited_quota: false, remain_quota: 1_000, expired_time: -1 };
      keys.push(`sk-${(await dataOf<{ key: string }>(client.post("/api/token", token))).key}`);
    }
    for (const { url } of scene.servers) await expect.poll(() => knows(url, keys.at(-1) ?? "")).toBe(true);
    expect(await attack(scene, keys, form)).toBe(1);
    expect(await accountOf(scene, person)).toEqual({ quota: BALANCE - form.cost, held: 0 });
  });

  test("a balance of two and a half bounds admits two calls, and the rest runs alone after them", async () => {
    const person = personAt(-1);
    const form = response("a stored response", { previous_response_id: "resp_1", input: SLOWLY });
    expect(await attack(scene, [person.key], form)).toBe(2);
    expect(await accountOf(scene, person)).toEqual({ quota: SEVERAL_BOUNDS - 2 * form.cost, held: 0 });
    expect(await attack(scene, [person.key], form)).toBe(1);
    expect(await accountOf(scene, person)).toEqual({ quota: SEVERAL_BOUNDS - 3 * form.cost, held: 0 });
    expect((await scene.ledger.audit()).faults).toEqual([]);
  });
});
