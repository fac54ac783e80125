/** Headers that an upstream gets: the operator's own, the client's that pass, those by which coding agents name themselves, and none of this gateway. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readHeaderOverride } from "../../contract/src/channels/header-override.ts";
import { headersWithoutClient, leadsToGateway } from "../../server/src/relay/attempt/added-headers.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

const MODEL = "gpt-4o";
const [OPENAI, ANTHROPIC, GEMINI] = [1, 14, 24];

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay();
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const messages = [{ role: "user", content: "hi" }];
const CHAT = ["/v1/chat/completions", { model: MODEL, messages }] as const;
const MESSAGES = ["/v1/messages", { model: MODEL, max_tokens: 9, messages }] as const;
const RESPONSES = ["/v1/responses", { model: MODEL, input: "hi" }] as const;
const CONTENTS = [`/v1beta/models/${MODEL}:generateContent`, { contents: [{ parts: [{ text: "hi" }] }] }] as const;

/** The headers that the upstream got for a call with these. */
async function sent(
  [path, body]: readonly [path: string, body: object],
  channel: Partial<SnapshotChannel>,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  relay.world.channels = [newChannel({ baseUrl: upstream.url, key: "sk-of-channel", ...channel })];
  const answer = await relay.post(path, body, headers);
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  return upstream.requests.at(-1)?.headers ?? {};
}

const ofOperator = (override: object) => ({ headers: readHeaderOverride(JSON.stringify(override)) });

describe("the operator's own headers", () => {
  test("arrive with the channel's key in them, in the place of what the provider writes, and never twice", async () => {
    const override = { "X-Team": "red", Authorization: "Bearer other-{api_key}", "User-Agent": "mine/1" };
    const got = await sent(CHAT, ofOperator(override));
    expect(got).toMatchObject({ "x-team": "red", authorization: "Bearer other-sk-of-channel", "user-agent": "mine/1" });
  });

  test("a copy has the client's value, and is left out where the client sends none; {api_key} in it stands for nothing", async () => {
    const channel = ofOperator({ "X-Copied": "{client_header:X-Trace}" });
    expect(await sent(CHAT, channel, { "x-trace": "a {api_key}" })).toMatchObject({ "x-copied": "a {api_key}" });
    expect(await sent(CHAT, channel)).not.toHaveProperty("x-copied");
  });

  test("patterns pass what they name, and no rule passes who calls or from where", async () => {
    const secrets = { cookie: "session=secret", "x-api-key": "sk-other", "x-forwarded-for": "10.9.8.7" };
    const client = { ...secrets, "x-alpha": "1", "x-beta": "2", "new-api-user": "7" };
    const some = await sent(CHAT, ofOperator({ "re:^x-(alpha|api)": "" }), client);
    expect(some).toMatchObject({ "x-alpha": "1", authorization: "Bearer sk-of-channel" });
    for (const name of ["x-beta", "x-api-key"]) expect(some).not.toHaveProperty(name);
    const all = await sent(CHAT, ofOperator({ "*": true, "x-beta": "own" }), client);
    expect(all).toMatchObject({ "x-alpha": "1", "x-beta": "own", authorization: "Bearer sk-of-channel" });
    expect(all["content-type"]).toBe("application/json");
    for (const name of [...Object.keys(secrets), "new-api-user"]) expect(all).not.toHaveProperty(name);
    expect(JSON.stringify(all)).not.toContain(TEST_KEY);
  });

  test("a key that is a document stands in no header", () => {
    const { headers } = ofOperator({ "X-Key": "{api_key}", "X-Team": "red", "X-Copied": "{client_header:X-Trace}" });
    expect(headersWithoutClient({ key: "line one\nline two", headers })).toEqual([
      "user-agent",
      "node",
      "x-team",
      "red",
    ]);
  });
});

describe("coding agents", () => {
  const CLAUDE = {
    "user-agent": "claude-cli/2.0.14 (external, cli)",
    "x-app": "cli",
    "x-stainless-os": "Linux",
    "anthropic-dangerous-direct-browser-access": "true",
  };
  const CODEX = {
    "user-agent": "codex_cli_rs/0.155.0 (Debian 13; x86_64) xterm",
    originator: "codex_cli_rs",
    session_id: "019b",
    "x-codex-turn-state": "abc",
  };
  const GEMINI_CLI = { "user-agent": "GeminiCLI/0.31.0/m (linux; x64)", "x-goog-api-client": "gl-node/v22" };
  const OPENCODE = { "user-agent": "opencode/1.2.3", "x-opencode-session": "ses_1" };

  test.each([
    ["Claude Code", MESSAGES, ANTHROPIC, CLAUDE],
    ["Codex", RESPONSES, OPENAI, CODEX],
    ["Gemini CLI", CONTENTS, GEMINI, GEMINI_CLI],
    ["OpenCode", CHAT, OPENAI, OPENCODE],
  ])(
    "%s says what it is to an upstream of its own format, unless the channel hides it",
    async (_, request, type, own) => {
      expect(await sent(request, { type }, { ...own, "x-private": "no" })).toMatchObject(own);
      expect(upstream.requests.at(-1)?.headers).not.toHaveProperty("x-private");
      const hidden = await sent(request, { type, setting: { hidesAgents: true } }, own);
      expect(hidden["user-agent"]).toBe("node");
      for (const name of Object.keys(own).slice(1)) expect(hidden).not.toHaveProperty(name);
    },
  );

  test("says nothing to an upstream of another format", async () => {
    const got = await sent(MESSAGES, { type: OPENAI }, CLAUDE);
    expect(got["user-agent"]).toBe("node");
    for (const name of Object.keys(CLAUDE).slice(1)) expect(got).not.toHaveProperty(name);
  });

  test("Anthropic's own headers reach it as an open list, but for those that could choose an account, and no upstream of another format", async () => {
    const own = { "anthropic-version": "2023-06-01", "anthropic-beta": "new-1", "anthropic-next-year": "yes" };
    const ofAccount = {
      "anthropic-organization-id": "org",
      "anthropic-workspace-id": "wrk",
      "anthropic-auth-token": "t",
    };
    const got = await sent(MESSAGES, { type: ANTHROPIC }, { ...own, ...ofAccount });
    expect(got).toMatchObject(own);
    for (const name of Object.keys(ofAccount)) expect(got).not.toHaveProperty(name);
    expect(await sent(MESSAGES, { type: OPENAI }, own)).not.toHaveProperty("anthropic-next-year");
    expect(await sent(CHAT, { type: ANTHROPIC }, own)).not.toHaveProperty("anthropic-next-year");
  });

  test("what only looks like an agent's header stays behind with any other client", async () => {
    const got = await sent(MESSAGES, { type: ANTHROPIC }, { ...CLAUDE, "user-agent": "Mozilla/5.0" });
    expect(got["user-agent"]).toBe("node");
    expect(got).not.toHaveProperty("x-app");
  });
});

describe("the gateway's own marks", () => {
  const channel = (change: Partial<SnapshotChannel> = {}) => newChannel({ type: OPENAI, ...change });
  const OWN = "https://gateway.example";

  test.each([
    ["https://api.openai.com/v1/chat/completions", {}, false],
    ["https://reseller.example/v1/chat/completions", {}, false],
    ["https://reseller.example/v1/chat/completions", { setting: { sendsHops: true } }, true],
    ["https://reseller.example/v1/chat/completions", { type: 60 }, true],
    [`${OWN}/v1/chat/completions`, {}, true],
    ["http://127.0.0.1:3000/v1", {}, true],
    ["http://[fd00::1]/v1", {}, true],
    ["http://new-api:3000/v1", {}, true],
    ["http://gateway.internal/v1", {}, true],
    ["http://10.0.0.7/v1", { setting: { sendsHops: false } }, false],
    ["http://8.8.8.8/v1", {}, false],
  ])("%s of a channel with %j: the mark against loops is sent: %s", (url, change, isSent) =>
    expect(leadsToGateway(channel(change), url, OWN)).toBe(isSent),
  );

  test("nothing sent to a public address names this gateway", async () => {
    const got = await sent(CHAT, { setting: { sendsHops: false } }, { "turnpike-hops": "a" });
    expect(JSON.stringify(got)).not.toMatch(/turnpike/i);
  });
});
