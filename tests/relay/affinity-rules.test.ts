/** Rules of affinity: the sessions of agents stay on the channel that had them, by the rules that an operator writes. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../contract/src/errors.ts";
import { OPTION_CATALOGUE } from "../../contract/src/options/catalogue.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

const CHANNELS = [1, 2, 3, 4];
const CALLS = 12;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay();
  const models = new Set(["gpt-4o", "gpt-4o-mini"]);
  relay.world.channels = CHANNELS.map((id) => newChannel({ id, baseUrl: upstream.url, key: `sk-of-${id}`, models }));
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const rules = (...list: object[]) => withOptions(relay.world, { "channel_affinity_setting.rules": list as never });

/** Keys of the channels that so many calls of one session go to. */
async function channelsOf(path: string, body: object, headers: Record<string, string> = {}): Promise<Set<unknown>> {
  const from = upstream.requests.length;
  for (let call = 0; call < CALLS; call += 1) await (await relay.post(path, body, headers)).text();
  return new Set(upstream.requests.slice(from).map((request) => request.headers["authorization"]));
}

const messages = [{ role: "user", content: "hi" }];
const userId = JSON.stringify({ device_id: "d", session_id: "s-1" });

test.each([
  ["Codex", "/v1/responses", { model: "gpt-4o", input: "hi", prompt_cache_key: "k" }, {}],
  [
    "Claude Code by its header",
    "/v1/messages",
    { model: "gpt-4o", max_tokens: 9, messages },
    { "x-claude-code-session-id": "s" },
  ],
  [
    "Claude Code by its body",
    "/v1/messages",
    { model: "gpt-4o", max_tokens: 9, messages, metadata: { user_id: userId } },
    {},
  ],
])(
  "a session of %s stays on one channel without any setting, and is free again while rules are off",
  async (_, path, body, headers) => {
    expect(await channelsOf(path, body, headers)).toHaveLength(1);
    withOptions(relay.world, { "channel_affinity_setting.enabled": false });
    expect((await channelsOf(path, body, headers)).size).toBeGreaterThan(1);
  },
);

describe("the operator's rules", () => {
  const chat = (more: object = {}) => ({ model: "gpt-4o", messages, ...more });
  const PATH = "/v1/chat/completions";
  const BY_HEADER = { name: "a", key_sources: [{ type: "request_header", key: "X-Session" }] };
  const session = { "x-session": "one" };

  test("find by a header, by the token, and not where models, paths, agents or the value do not match", async () => {
    rules(BY_HEADER);
    expect(await channelsOf(PATH, chat(), session)).toHaveLength(1);
    rules({ name: "b", key_sources: [{ type: "context_int", key: "token_id" }] });
    expect(await channelsOf(PATH, chat())).toHaveLength(1);
    for (const bound of [
      { model_regex: ["^claude-"] },
      { path_regex: ["^/v1/messages"] },
      { user_agent_include: ["codex"] },
      { value_regex: "^two$" },
    ]) {
      rules({ ...BY_HEADER, ...bound });
      expect((await channelsOf(PATH, chat(), session)).size).toBeGreaterThan(1);
    }
  });

  test("the receipt names the rule and whether it led to a channel; a call that no rule takes has none", async () => {
    rules(BY_HEADER);
    const affinityOf = async (headers: Record<string, string>) => {
      await (await relay.post(PATH, chat(), headers)).text();
      const { admin_info: info } = JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as {
        admin_info: { affinity?: object };
      };
      return info.affinity;
    };
    expect(await affinityOf(session)).toEqual({ rule: "a", hit: false });
    expect(await affinityOf(session)).toEqual({ rule: "a", hit: true });
    expect(await affinityOf({})).toBeUndefined();
  });

  test("models share a session unless the rule keeps them apart, and users never share one", async () => {
    rules(BY_HEADER);
    const [first] = await channelsOf(PATH, chat(), session);
    expect(await channelsOf(PATH, chat({ model: "gpt-4o-mini" }), session)).toEqual(new Set([first]));
    relay.world.users.push(newUser({ id: 2, username: "bob" }));
    for (let id = 2; id < 14; id += 1) relay.world.tokens.set(String(id).padEnd(48, "b"), newToken({ id, userId: id }));
    for (let id = 3; id < 14; id += 1) relay.world.users.push(newUser({ id, username: `u${id}` }));
    const seen = new Set<unknown>();
    for (let id = 2; id < 14; id += 1) {
      const authorization = `Bearer sk-${String(id).padEnd(48, "b")}`;
      for (const channel of await channelsOf(PATH, chat(), { ...session, authorization })) seen.add(channel);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  test.each([
    [false, 200],
    [true, 500],
  ])(
    "a channel that fails is followed by another one; with skip_retry_on_failure %s the call ends with %i",
    async (skips, status) => {
      rules({ ...BY_HEADER, skip_retry_on_failure: skips });
      withOptions(relay.world, { RetryTimes: 3 });
      const [held] = await channelsOf(PATH, chat(), session);
      upstream.plan(({ headers }) =>
        headers["authorization"] === held ? { status: 500, error: { message: "down" } } : {},
      );
      const answer = await relay.post(PATH, chat(), session);
      expect([answer.status, await answer.text()]).toEqual([status, expect.anything()]);
    },
  );

  test.each([
    [[{ ...BY_HEADER, model_regex: ["(?=a)"] }]],
    [[{ ...BY_HEADER, param_override_template: {} }]],
    [[{ ...BY_HEADER, include_using_group: false }]],
    [[{ ...BY_HEADER, ttl_seconds: 604_801 }]],
    [[{ name: "a", key_sources: [] }]],
    [[{ name: "a", key_sources: [{ type: "context_string", key: "group" }] }]],
    [Array.from({ length: 33 }, () => BY_HEADER)],
    [{}],
  ])("%j is refused", (value) => {
    expect(() => OPTION_CATALOGUE["channel_affinity_setting.rules"].read(JSON.stringify(value))).toThrow(AppError);
  });
});
