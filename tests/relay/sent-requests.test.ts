/** A request after its channel's settings: inserted instructions in every format, withheld fields, and otherwise the client's bytes. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { channelSettingOf } from "../../server/src/snapshot/channel-setting.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

const MODEL = "gpt-4o";
const [OPENAI, ANTHROPIC, GEMINI] = [1, 14, 24];
const RULES = "Be brief.";

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay();
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const user = { role: "user", content: "hi" };

/** A call in each format, with instructions of the client's own or without. */
const FORMATS = {
  chat: {
    type: OPENAI,
    path: "/v1/chat/completions",
    body: (own?: string) => ({
      model: MODEL,
      messages: own === undefined ? [user] : [{ role: "developer", content: own }, user],
    }),
    read: (body: Fields) => list(body["messages"]).filter(({ role }) => role !== "user"),
    alone: { role: "system", content: RULES },
    replaced: { role: "developer", content: RULES },
    joined: { role: "developer", content: `${RULES}\nMine.` },
  },
  messages: {
    type: ANTHROPIC,
    path: "/v1/messages",
    body: (own?: string) => ({
      model: MODEL,
      max_tokens: 9,
      messages: [user],
      ...(own === undefined ? {} : { system: own }),
    }),
    read: (body: Fields) => [body["system"]],
    alone: RULES,
    replaced: RULES,
    joined: `${RULES}\nMine.`,
  },
  responses: {
    type: OPENAI,
    path: "/v1/responses",
    body: (own?: string) => ({ model: MODEL, input: "hi", ...(own === undefined ? {} : { instructions: own }) }),
    read: (body: Fields) => [body["instructions"]],
    alone: RULES,
    replaced: RULES,
    joined: `${RULES}\nMine.`,
  },
  gemini: {
    type: GEMINI,
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: (own?: string) => ({
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      ...(own === undefined ? {} : { system_instruction: { parts: [{ text: own }] } }),
    }),
    read: (body: Fields) => [body["systemInstruction"] ?? body["system_instruction"]],
    alone: { parts: [{ text: RULES }] },
    replaced: { parts: [{ text: RULES }] },
    joined: { parts: [{ text: RULES }, { text: "Mine." }] },
  },
} as const;
type Format = keyof typeof FORMATS;
type Fields = Record<string, unknown>;
const list = (value: unknown) => (Array.isArray(value) ? value : []) as Fields[];

interface Settings {
  setting?: object;
  settings?: object;
}

/** The body that the upstream got. */
async function sent(path: string, body: object | string, { setting = {}, settings = {} }: Settings, type = OPENAI) {
  const parsed = channelSettingOf(JSON.stringify(setting), JSON.stringify(settings));
  relay.world.channels = [newChannel({ baseUrl: upstream.url, type, setting: parsed })];
  const answer = await relay.post(path, body);
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  return upstream.requests.at(-1)?.json as Fields;
}

describe("a channel's own instructions", () => {
  test.each(Object.keys(FORMATS) as Format[])(
    "%s: where missing, before the client's, or in their place",
    async (format) => {
      const { type, path, body, read, alone, replaced, joined } = FORMATS[format];
      const setting = { system_prompt: RULES };
      const ask = async (own: string | undefined, more: object = {}) =>
        read(await sent(path, body(own), { setting: { ...setting, ...more } }, type));
      expect(await ask(undefined)).toEqual([alone]);
      const own = read(body("Mine.") as Fields);
      expect(await ask("Mine.")).toEqual(own);
      expect(await ask("Mine.", { system_prompt_override: true })).toEqual([joined]);
      expect(await ask("Mine.", { system_prompt_replaces: true })).toEqual([replaced]);
    },
  );

  test("lists of parts keep their parts, and instructions inside of a conversation count as the client's", async () => {
    const parts = [{ type: "text", text: "Mine." }];
    const setting = { system_prompt: RULES, system_prompt_override: true };
    const system = [{ role: "system", content: parts }, user];
    const joined = await sent("/v1/chat/completions", { model: MODEL, messages: system }, { setting });
    expect(list(joined["messages"])[0]).toEqual({ role: "system", content: [{ type: "text", text: RULES }, ...parts] });
    const later = [user, { role: "system", content: "Later." }, user];
    const kept = await sent(
      "/v1/chat/completions",
      { model: MODEL, messages: later },
      { setting: { system_prompt: RULES } },
    );
    expect(kept["messages"]).toEqual(later);
  });

  test("reach an upstream of another format too", async () => {
    const { path, body } = FORMATS.messages;
    const setting = { system_prompt: RULES, system_prompt_override: true };
    const got = await sent(path, body("Mine."), { setting }, OPENAI);
    expect(list(got["messages"])[0]).toMatchObject({ role: expect.stringMatching(/system|developer/) });
    expect(JSON.stringify(list(got["messages"])[0])).toMatch(/Be brief\..*Mine\./);
  });

  test("are held, and charged where the upstream counts nothing", async () => {
    relay.world.prices.set(MODEL, { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1" });
    upstream.plan({ usage: null });
    const charge = async (text: string) => {
      await sent("/v1/chat/completions", FORMATS.chat.body(), { setting: { system_prompt: text } });
      return relay.billing.settlements.at(-1)?.promptTokens ?? 0;
    };
    const without = await charge("");
    expect(await charge("word ".repeat(1_000))).toBeGreaterThan(without + 900);
  });
});

describe("the client's bytes as they are", () => {
  test("go on untouched in its own format, and are translated for another", async () => {
    const raw = `{ "model": "${MODEL}",  "service_tier":"default", "messages": [{"role":"user","content":"hi"}] }`;
    const setting = { pass_through_body_enabled: true, system_prompt: RULES };
    await sent("/v1/chat/completions", raw, { setting });
    expect(upstream.requests.at(-1)?.body.toString()).toBe(raw);
    const other = await sent("/v1/chat/completions", raw, { setting }, ANTHROPIC);
    expect(other["system"]).toBe(RULES);
  });
});

describe("what a channel lets through", () => {
  const chat = { model: MODEL, messages: [user], store: true, safety_identifier: "u1" };

  test("store and the end user's identifier go on unless it says otherwise", async () => {
    expect(await sent("/v1/chat/completions", chat, {})).toMatchObject({ store: true, safety_identifier: "u1" });
    const settings = { disable_store: true, allow_safety_identifier: false };
    const left = await sent("/v1/chat/completions", chat, { settings });
    expect(left).not.toHaveProperty("store");
    expect(left).not.toHaveProperty("safety_identifier");
    expect(list(left["messages"])).toEqual([user]);
  });

  test("the switch of the stream's padding goes alone, other stream options stay", async () => {
    const body = { model: MODEL, messages: [user], stream: true, stream_options: { include_obfuscation: false } };
    const kept = await sent("/v1/chat/completions", body, {});
    expect(kept["stream_options"]).toEqual({ include_usage: true, include_obfuscation: false });
    const left = await sent("/v1/chat/completions", body, { settings: { allow_include_obfuscation: false } });
    expect(left["stream_options"]).toEqual({ include_usage: true });
  });

  test("speed goes on where it is allowed, without any tier", async () => {
    const body = { ...FORMATS.messages.body(), speed: "fast", service_tier: "priority" };
    expect(await sent("/v1/messages", body, {}, ANTHROPIC)).not.toHaveProperty("speed");
    const fast = await sent("/v1/messages", body, { settings: { allow_speed: true } }, ANTHROPIC);
    expect(fast).toMatchObject({ speed: "fast" });
    expect(fast).not.toHaveProperty("service_tier");
  });

  test("a place for inference is never dropped: the call is refused where its channel lets none through", async () => {
    const body = { ...FORMATS.messages.body(), inference_geo: "us" };
    expect(await sent("/v1/messages", body, {}, ANTHROPIC)).toMatchObject({ inference_geo: "us" });
    const setting = channelSettingOf("{}", '{"allow_inference_geo":false}');
    relay.world.channels = [newChannel({ baseUrl: upstream.url, type: ANTHROPIC, setting })];
    const before = upstream.requests.length;
    const answer = await relay.post("/v1/messages", body);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("inference_geo")]);
    expect(upstream.requests).toHaveLength(before);
  });

  test("the query for Anthropic's features in test is added once", async () => {
    const settings = { claude_beta_query: true };
    for (const path of ["/v1/messages", "/v1/messages?beta=true"]) {
      await sent(path, FORMATS.messages.body(), { settings }, ANTHROPIC);
      expect(upstream.requests.at(-1)?.path).toBe("/v1/messages?beta=true");
    }
    await sent("/v1/chat/completions", FORMATS.chat.body(), { settings });
    expect(upstream.requests.at(-1)?.path).toBe("/v1/chat/completions");
  });
});
