/** Input limits in routing: longer calls go to other channels, and if none is left it is 413 in every client's own envelope. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { CLIENT_FORMATS } from "../support/clients/client-formats.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newUser,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

const LONG = "tell me more of the ship that came in at night ".repeat(40);

beforeEach(async () => {
  first = await startFakeUpstream({ plan: { text: "from the first" }, validates: false });
  second = await startFakeUpstream({ plan: { text: "from the second" }, validates: false });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ id: 1, name: "short", baseUrl: first.url, priority: 10, maxInputTokens: 100 }),
    newChannel({ id: 2, name: "long", baseUrl: second.url }),
  );
});

afterEach(async () => {
  await relay.close();
  await first.close();
  await second.close();
});

const chat = (content: string) => ({ model: "gpt-4o", messages: [{ role: "user", content }] });
const ask = async (content: string, headers?: Record<string, string>) => {
  const answer = await relay.post("/v1/chat/completions", chat(content), headers);
  return { status: answer.status, text: await answer.text() };
};
const limitOf = (id: number, maxInputTokens: number): void => {
  relay.world.channels = relay.world.channels.map((each) => (each.id === id ? { ...each, maxInputTokens } : each));
};
const lastRow = () => {
  const row = relay.billing.rows.at(-1);
  return { type: row?.type, other: JSON.parse(row?.other ?? "{}") as { admin_info: object; error_code?: string } };
};

test("a call goes to the channel while it fits and past it when it is longer, with both numbers in the receipt", async () => {
  expect((await ask("hello")).text).toContain("from the first");
  expect((await ask(LONG)).text).toContain("from the second");
  expect([first.count, second.count]).toEqual([1, 1]);
  expect(lastRow().other.admin_info).toMatchObject({
    use_channel: [2],
    skipped: [{ id: 1, name: "short", code: "input_limit", values: { limit: "100", tokens: /^\d+$/ } }].map((each) => ({
      ...each,
      values: { limit: "100", tokens: expect.stringMatching(each.values.tokens) as string },
    })),
  });
});

test("a limit is the last number of tokens that it takes", async () => {
  await ask(LONG);
  const { skipped } = lastRow().other.admin_info as { skipped: { values: { tokens: string } }[] };
  const tokens = Number(skipped[0]?.values.tokens);
  limitOf(1, tokens);
  expect((await ask(LONG)).text).toContain("from the first");
  limitOf(1, tokens - 1);
  expect((await ask(LONG)).text).toContain("from the second");
});

test.each(CLIENT_FORMATS)(
  "if no channel takes so much $name gets 400 with the longest limit in its vendor's words",
  async (format) => {
    limitOf(2, 300);
    for (const isStream of [false, true]) {
      const answer = await relay.post(format.path("gpt-4o", isStream), format.body("gpt-4o", isStream, LONG));
      const text = await answer.text();
      expect([answer.status, text]).toEqual([
        400,
        expect.stringMatching(
          /maximum context length is 300 tokens|prompt is too long: \d+ tokens > 300 maximum|token count \(\d+\) exceeds the maximum number of tokens allowed \(300\)/,
        ),
      ]);
      expect(format.errorIn(JSON.parse(text) as Readonly<Record<string, unknown>>)).not.toBeUndefined();
    }
    expect([first.count, second.count, relay.billing.held]).toEqual([0, 0, 0]);
    expect(lastRow()).toMatchObject({ type: 5, other: { error_code: "input_too_long" } });
  },
);

test("a busy channel among those that are too short is 429: later the call may be had", async () => {
  relay.world.channels = [
    newChannel({ id: 1, maxInputTokens: 100 }),
    newChannel({ id: 2, baseUrl: second.url, setting: { maxConcurrency: 1 } }),
  ];
  const end = Promise.withResolvers<void>();
  second.plan({ text: "from the second", beforeHead: end.promise });
  const running = ask(LONG);
  while (second.count === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await ask(LONG)).status).toBe(429);
  end.resolve();
  expect((await running).status).toBe(200);
});

test("the failure of a channel that took the call is reported, not the limit of another", async () => {
  withOptions(relay.world, { RetryTimes: 3 });
  second.plan({ status: 500, error: { message: "out of order" } });
  expect(await ask(LONG)).toMatchObject({ status: 500, text: expect.stringContaining("out of order") as string });
});

test("a channel named in the key keeps its limit", async () => {
  relay.world.users[0] = newUser({ role: 10 });
  const answer = await ask(LONG, { authorization: `Bearer sk-${TEST_KEY}-1` });
  expect([answer.status, first.count]).toEqual([400, 0]);
});
