/** Routing: status rules, cooldowns and half-open probes, busy channels, automatic groups; each reason is in the receipt. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { ChannelHealth } from "../../server/src/channels/health.ts";
import type { UpstreamFailure } from "../../server/src/providers/provider.ts";
import { parseOptions } from "../../contract/src/options/options.ts";
import { mayRetry } from "../../server/src/relay/attempt/failures.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";

let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

async function start(health = new ChannelHealth()): Promise<void> {
  const world = relay?.world;
  await relay?.close();
  relay = await startTestRelay({ health, ...(world === undefined ? {} : { world }) });
}

beforeEach(async () => {
  first = await startFakeUpstream({ plan: { text: "from the first" } });
  second = await startFakeUpstream({ plan: { text: "from the second" } });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ id: 1, name: "first", baseUrl: first.url, priority: 10 }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 5 }),
  );
});

afterEach(async () => {
  await relay.close();
  await first.close();
  await second.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const post = (body: unknown = chat, headers?: Record<string, string>) =>
  relay.post("/v1/chat/completions", body, headers);
/** Posts and reads to the end. */
async function call(body: unknown = chat): Promise<{ status: number; text: string; retryAfter: string | null }> {
  const answer = await post(body);
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get("retry-after") };
}
const receipt = () =>
  (JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as { admin_info: { use_channel: number[]; skipped: object[] } })
    .admin_info;

const failure = (status: number, kind: UpstreamFailure["kind"] = "invalid", isRetryable = false): UpstreamFailure => ({
  kind,
  status,
  isRetryable,
  message: "",
  type: "",
  code: "",
});

const RULES = parseOptions(new Map());
const WITH_TIMEOUTS = { ...RULES, RetryAfterTimeoutEnabled: true };

test.each([
  [400, false, false],
  [401, true, true],
  [402, true, true],
  [403, true, true],
  [404, true, true],
  [408, false, true],
  [409, true, true],
  [413, true, true],
  [422, true, true],
  [425, true, true],
  [451, true, true],
  [429, true, true],
  [500, true, true],
  [503, true, true],
  [504, false, true],
  [524, false, true],
  [529, true, true],
])("status %i fails over: %s, and %s if timeouts do", (status, goesOn, withTimeouts) => {
  expect([mayRetry(failure(status), RULES), mayRetry(failure(status), WITH_TIMEOUTS)]).toEqual([goesOn, withTimeouts]);
});

test("an empty account reported with 400 is retried elsewhere, and so are failures that a provider declares retryable", () => {
  expect([mayRetry(failure(400, "quota"), RULES), mayRetry(failure(400, "invalid", true), RULES)]).toEqual([
    true,
    true,
  ]);
  const ofFaults = [mayRetry(failure(0, "network", true), RULES), mayRetry(failure(0, "timeout"), WITH_TIMEOUTS)];
  expect(ofFaults).toEqual([true, false]);
  expect(mayRetry(failure(504, "timeout", true), RULES)).toBe(false);
});

test("the listed statuses alone go on; timeouts of a gateway and refused content do not for being listed", () => {
  const listed = parseOptions(new Map([["AutomaticRetryStatusCodes", "400,408,429,500-599"]]));
  const goesOn = [400, 401, 404, 408, 429, 500, 504, 524, 599].filter((status) => mayRetry(failure(status), listed));
  expect(goesOn).toEqual([400, 408, 429, 500, 599]);
  expect(mayRetry(failure(500, "content"), listed)).toBe(false);
  expect(mayRetry(failure(401, "auth", true), listed)).toBe(false);
});

describe("cooldowns", () => {
  test("a Retry-After keeps calls away at once, with the reason in the receipt", async () => {
    withOptions(relay.world, { RetryTimes: 1 });
    first.plan({ status: 429, error: { message: "slow down" }, headers: { "retry-after": "60" } });
    expect((await call()).text).toContain("from the second");
    expect((await call()).text).toContain("from the second");
    expect([first.count, receipt().use_channel, receipt().skipped]).toEqual([
      1,
      [2],
      [{ id: 1, name: "first", code: "resting_as_asked" }],
    ]);
  });

  test("a call begun before does not end a cooldown that was asked for by being answered", async () => {
    withOptions(relay.world, { RetryTimes: 1 });
    const answered = Promise.withResolvers<void>();
    first.next({ text: "from the first", beforeHead: answered.promise });
    const older = call();
    await until(() => first.count === 1);
    first.plan({ status: 429, error: { message: "slow down" }, headers: { "retry-after": "60" } });
    expect((await call()).text).toContain("from the second");
    answered.resolve();
    expect((await older).text).toContain("from the first");
    expect((await call()).text).toContain("from the second");
    expect([first.count, receipt().skipped]).toEqual([2, [{ id: 1, name: "first", code: "resting_as_asked" }]]);
  });

  test("of calls at the same time one probes after the cooldown, the others go elsewhere until it succeeded", async () => {
    await start(new ChannelHealth({ failures: 1, openMs: 50, maxOpenMs: 50 }));
    first.next({ status: 500 });
    await call();
    await new Promise((resolve) => setTimeout(resolve, 80));
    const others = Promise.withResolvers<void>();
    first.plan({ text: "from the first", beforeHead: others.promise });
    let over = 0;
    const all = Promise.all(Array.from({ length: 8 }, () => call().finally(() => (over += 1))));
    await until(() => over === 7);
    others.resolve();
    const answers = await all;
    expect(answers.filter(({ text }) => text.includes("from the first"))).toHaveLength(1);
    expect(first.count).toBe(2);
    const reasons = relay.billing.rows.map(({ other }) => JSON.stringify(JSON.parse(other)));
    expect(reasons.filter((text) => text.includes('"code":"probed"'))).toHaveLength(7);
    first.plan({ text: "from the first" });
    expect((await call()).text).toContain("from the first");
  });

  test("a channel in cooldown that was tried after all is not listed as skipped", async () => {
    await start(new ChannelHealth({ failures: 1, openMs: 60_000 }));
    relay.world.channels.pop();
    first.next({ status: 500 });
    await call();
    expect([(await call()).status, receipt().use_channel, receipt().skipped]).toEqual([200, [1], []]);
  });
});

describe("busy channels", () => {
  /** A call that is under way at the first upstream until it is let go. */
  const hold = async (): Promise<{ letGo: () => ReturnType<typeof call> }> => {
    const end = Promise.withResolvers<void>();
    first.plan({ text: "from the first", beforeHead: end.promise });
    const running = call();
    await until(() => first.count === 1);
    first.plan({ text: "from the first" });
    return { letGo: () => (end.resolve(), running) };
  };

  test("a channel with as many open calls as its setting says is skipped, then used again", async () => {
    relay.world.channels[0] = newChannel({
      id: 1,
      name: "first",
      baseUrl: first.url,
      priority: 10,
      setting: { maxConcurrency: 1 },
    });
    const running = await hold();
    expect((await call()).text).toContain("from the second");
    expect(receipt().skipped).toEqual([{ id: 1, name: "first", code: "busy" }]);
    expect((await running.letGo()).text).toContain("from the first");
    expect((await call()).text).toContain("from the first");
  });

  test("where every channel is busy the call is 429 with Retry-After; the option holds for all, a setting of 0 lifts it", async () => {
    relay.world.channels.pop();
    withOptions(relay.world, { ChannelConcurrencyLimit: 1 });
    const running = await hold();
    const refused = await call();
    expect([refused.status, refused.retryAfter, refused.text]).toEqual([
      429,
      "1",
      expect.stringContaining("channels_busy"),
    ]);
    const only = relay.world.channels[0];
    if (only !== undefined) relay.world.channels[0] = { ...only, setting: { maxConcurrency: 0 } };
    expect((await call()).status).toBe(200);
    expect((await running.letGo()).status).toBe(200);
  });

  test("a busy channel beside one that cannot do what was asked is 429: the busy one may do it later", async () => {
    withOptions(relay.world, { ChannelConcurrencyLimit: 1 });
    relay.world.channels[1] = newChannel({ id: 2, name: "second", type: 14, baseUrl: second.url, priority: 5 });
    const running = await hold();
    const refused = await call({ ...chat, n: 2 });
    expect([refused.status, refused.retryAfter]).toEqual([429, "1"]);
    expect((await running.letGo()).status).toBe(200);
    relay.world.channels.shift();
    expect((await call({ ...chat, n: 2 })).status).toBe(400);
  });

  test("a call that failed or was left is not counted any more", async () => {
    relay.world.channels.pop();
    withOptions(relay.world, { ChannelConcurrencyLimit: 1, TokenConcurrencyLimit: 1 });
    first.next({ status: 500 });
    expect((await call()).status).toBe(500);
    first.plan({ neverAnswers: true });
    const leaving = new AbortController();
    const left = fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}` },
      body: JSON.stringify(chat),
      signal: leaving.signal,
    }).catch(() => undefined);
    await until(() => first.count === 2);
    leaving.abort();
    await left;
    first.plan({});
    await until(() => first.requests.at(-1)?.wasAborted === true);
    await until(() => relay.metrics.openCalls === 0);
    expect((await call()).status).toBe(200);
  });
});

describe("a channel named in the key", () => {
  const pinned = (id: number, path = "/v1/chat/completions") =>
    relay.post(path, { ...chat, prompt: "x" }, { authorization: `Bearer sk-${TEST_KEY}-${id}` });

  test("is called alone, once, for any group and models", async () => {
    relay.world.users[0] = newUser({ role: 10, groupName: "nobody's" });
    withOptions(relay.world, { RetryTimes: 3 });
    expect(await (await pinned(2)).text()).toContain("from the second");
    second.plan({ status: 500 });
    expect([(await pinned(2)).status, first.count, second.count]).toEqual([500, 0, 2]);
  });

  test("of a type that answers no calls is 503 with the reason in the row", async () => {
    relay.world.users[0] = newUser({ role: 10 });
    relay.world.channels.push(newChannel({ id: 9, name: "ninth", baseUrl: first.url, type: 4711 }));
    const answer = await pinned(9);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("model_not_found")]);
    expect(receipt().skipped).toEqual([{ id: 9, name: "ninth", code: "unknown_channel_type" }]);
    expect([relay.billing.held, first.count]).toEqual([0, 0]);
  });

  test("of a vendor that has ended its service is 503, with the reason for the caller and in the row", async () => {
    relay.world.users[0] = newUser({ role: 10 });
    relay.world.channels.push(newChannel({ id: 9, name: "ninth", baseUrl: first.url, type: 11 }));
    const answer = await pinned(9);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining("The provider of this model has ended its service."),
    ]);
    expect(receipt().skipped).toEqual([{ id: 9, name: "ninth", code: "provider_retired" }]);
    expect([relay.billing.held, first.count]).toEqual([0, 0]);
  });

  test("that does not serve the operation is 400: asking again would change nothing", async () => {
    relay.world.users[0] = newUser({ role: 10 });
    relay.world.channels.push(newChannel({ id: 9, name: "ninth", baseUrl: first.url, type: 14 }));
    const answer = await pinned(9, "/v1/images/generations");
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("No channel of this model serves images."),
    ]);
    expect([relay.billing.held, first.count]).toEqual([0, 0]);
  });
});

test("an operation that one channel of the model has not and another is too ill for is 503: it may be had later", async () => {
  relay.world.channels = [
    newChannel({ id: 1, type: 14, baseUrl: first.url }),
    newChannel({ id: 2, name: "second", status: 3, baseUrl: second.url }),
  ];
  const ask = () => relay.post("/v1/embeddings", { model: "gpt-4o", input: "words" });
  expect((await ask()).status).toBe(400);
  relay.world.channels[1] = newChannel({ id: 2, name: "second", type: 999, baseUrl: second.url });
  expect((await ask()).status).toBe(503);
});

test("memory of our own that is short is no fault of the channel", async () => {
  await relay.close();
  const health = new ChannelHealth({ failures: 1, openMs: 60_000 });
  relay = await startTestRelay({ world: relay.world, health, limits: { sseBudgetBytes: 20_000 } });
  first.plan({ text: "x".repeat(50_000) });
  const event = `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(100_000)}"}}]}\n\n`;
  for (const body of [chat, { ...chat, stream: true }]) {
    if (body !== chat) first.plan({ rawBody: event, contentType: "text/event-stream", pieceBytes: 8_000 });
    const answer = await call(body);
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("over_capacity")]);
  }
  expect(health.hasRecords).toBe(false);
});

test("nor is it where it runs short in the middle of a stream", async () => {
  await relay.close();
  const health = new ChannelHealth({ failures: 1, openMs: 60_000 });
  relay = await startTestRelay({ world: relay.world, health, limits: { sseBudgetBytes: 20_000 } });
  const event = (words: string) => `data: {"choices":[{"index":0,"delta":{"content":"${words}"}}]}\n\n`;
  const isRead = Promise.withResolvers<void>();
  const beforeFrame = (frame: string): Promise<void> => (frame.length > 1_000 ? isRead.promise : Promise.resolve());
  first.plan({ rawBody: [event("word "), event("x".repeat(300_000))], beforeFrame });
  const answer = await post({ ...chat, stream: true });
  let text = "";
  for await (const part of answer.body ?? []) {
    text += Buffer.from(part).toString();
    if (text.includes("word ")) isRead.resolve();
  }
  expect([answer.status, text]).toEqual([200, expect.stringMatching(/word .*"code":"over_capacity"/s)]);
  expect(health.hasRecords).toBe(false);
  expect(JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}")).toMatchObject({
    rule: "gateway_broke_delivered",
  });
});

describe("the group auto", () => {
  beforeEach(() => {
    relay.world.tokens.set(TEST_KEY, newToken({ groupName: "auto" }));
    relay.world.users[0] = newUser({ groupName: "vip" });
    withOptions(relay.world, { AutoGroups: ["hidden", "vip", "default"] });
    relay.world.groupRatios.set("hidden", "9");
    relay.world.channels = [
      newChannel({ id: 1, baseUrl: first.url, groupNames: ["default", "hidden"] }),
      newChannel({ id: 2, baseUrl: second.url, groupNames: ["vip"], models: new Set(["gpt-4o"]) }),
    ];
  });

  test("is the first group of the list that its owner may use and that has a channel; that group bills", async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 4, total_tokens: 1004 };
    first.plan({ text: "from the first", usage });
    second.plan({ text: "from the second", usage });
    expect((await call()).text).toContain("from the second");
    expect((await call({ ...chat, model: "gpt-4o-mini" })).text).toContain("from the first");
    expect(relay.billing.settlements.map(({ groupName, charge }) => [groupName, charge])).toEqual([
      ["vip", 635],
      ["default", 76],
    ]);
  });

  test("lists the models of all its groups, and names itself where none has the model", async () => {
    const listed = await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${TEST_KEY}` } });
    const { data } = (await listed.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(["gpt-4o", "gpt-4o-mini"]);
    const refused = await call({ ...chat, model: "nothing" });
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining("does not exist")]);
    relay.world.channels.push(newChannel({ id: 3, status: 3, groupNames: ["vip"], models: new Set(["nothing"]) }));
    const off = await call({ ...chat, model: "nothing" });
    expect([off.status, off.text]).toEqual([503, expect.stringContaining("in the group auto")]);
    withOptions(relay.world, { AutoGroups: ["hidden"] });
    expect((await call()).status).toBe(403);
  });
});
