/** The price and the permitted channels of a call by both groups, its user's and its token's, tested with a whole relay. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const withToken = (changes: Parameters<typeof newToken>[0]): void =>
  void relay.world.tokens.set(TEST_KEY, newToken(changes));

/** Posts a call that is refused before anything is held or sent. */
async function refused(status: number, code: string): Promise<void> {
  const answer = await relay.post("/v1/chat/completions", chat);
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([status, code]);
  expect([upstream.count, relay.billing.settlements.length, relay.billing.held]).toEqual([0, 0, 0]);
}

describe("what group_special_usable_group says of the user's own group", () => {
  const answered = async () => (await relay.post("/v1/chat/completions", chat)).status;
  const special = (table: Record<string, Record<string, string>>) =>
    withOptions(relay.world, { "group_ratio_setting.group_special_usable_group": table });
  beforeEach(() => {
    relay.world.channels[0] = newChannel({ baseUrl: upstream.url, groupNames: ["vip", "default"] });
  });

  test.each(["+:vip", "vip"])("%s: its users may use the group, those of others may not", async (name) => {
    withToken({ groupName: "vip" });
    special({ svip: { [name]: "For friends" } });
    await refused(403, "group_not_allowed");
    special({ default: { [name]: "For friends" } });
    expect(await answered()).toBe(200);
  });

  test("-:default: its users may not use what others may", async () => {
    relay.world.users[0] = newUser({ groupName: "vip" });
    withToken({ groupName: "default" });
    special({ vip: { "-:default": "" } });
    await refused(403, "group_not_allowed");
    special({ svip: { "-:default": "" } });
    expect(await answered()).toBe(200);
  });
});

describe("a ratio for the pair of the user's and the token's group", () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 };
  const receipt = () => JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as Record<string, unknown>;
  beforeEach(() => {
    relay.world.users[0] = newUser({ groupName: "vip" });
    relay.world.channels[0] = newChannel({ baseUrl: upstream.url, groupNames: ["vip", "default"] });
    withToken({ groupName: "default" });
    withOptions(relay.world, { GroupGroupRatio: { vip: { default: "0.2", vip: "0.1" } } });
    upstream.plan({ usage, text: "" });
  });
  const charged = async () => {
    await relay.post("/v1/chat/completions", chat);
    return relay.billing.settlements.at(-1);
  };

  test("is what is charged, and the receipt names it with the user's group", async () => {
    const settlement = await charged();
    expect(settlement).toMatchObject({ charge: 250, groupName: "default" });
    expect(JSON.parse(settlement?.detail ?? "{}")).toMatchObject({ g: "0.2", i: "vip" });
    expect(receipt()).toMatchObject({ group_ratio: 0.2, user_group_ratio: 0.2, user_group: "vip" });
  });

  test("holds for users in their own group, too", async () => {
    withToken({});
    const settlement = await charged();
    expect(settlement).toMatchObject({ charge: 125, groupName: "vip" });
    expect(JSON.parse(settlement?.detail ?? "{}")).not.toHaveProperty("i");
    expect(receipt()).toMatchObject({ group_ratio: 0.1, user_group: "vip" });
  });

  test("is nothing to users of other groups", async () => {
    relay.world.users[0] = newUser();
    withToken({});
    expect(await charged()).toMatchObject({ charge: 1250, groupName: "default" });
    expect(receipt()).not.toHaveProperty("user_group_ratio");
  });

  test("gives no group a ratio that has none of its own", async () => {
    relay.world.groupRatios.delete("default");
    await refused(403, "group_unknown");
  });
});

describe("a token's own list of groups", () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 };
  let other: FakeUpstream;
  const call = async () => (await relay.post("/v1/chat/completions", chat)).status;
  const charges = () =>
    relay.billing.settlements.map(({ groupName, charge, channelId }) => [groupName, charge, channelId]);
  const list = (autoGroups: string[], retriesAcrossGroups = false): void =>
    withToken({ groupName: "auto", autoGroups, retriesAcrossGroups });

  beforeEach(async () => {
    other = await startFakeUpstream();
    withOptions(relay.world, {
      AutoGroups: ["default"],
      RetryTimes: 2,
      "group_ratio_setting.group_special_usable_group": { default: { "+:vip": "", "+:dear": "" } },
    });
    relay.world.groupRatios.set("dear", "4");
    relay.world.channels = [
      newChannel({ id: 1, baseUrl: upstream.url, groupNames: ["vip"] }),
      newChannel({ id: 3, baseUrl: other.url, groupNames: ["dear"] }),
      newChannel({ id: 4, baseUrl: other.url, groupNames: ["default"] }),
    ];
    upstream.plan({ usage, text: "" });
    other.plan({ usage, text: "" });
  });
  afterEach(() => other.close());

  test("stands over AutoGroups, in its own order, without groups that may not be used now", async () => {
    list(["hidden", "vip", "dear"]);
    expect(await call()).toBe(200);
    list(["dear", "vip"]);
    expect(await call()).toBe(200);
    list([]);
    expect(await call()).toBe(200);
    expect(charges()).toEqual([
      ["vip", 625, 1],
      ["dear", 5000, 3],
      ["default", 1250, 4],
    ]);
  });

  test("is kept to its first group where it does not retry across groups", async () => {
    list(["vip", "dear"]);
    upstream.plan({ status: 500, rawBody: "{}" });
    expect(await call()).toBeGreaterThanOrEqual(500);
    expect([other.count, charges(), relay.billing.held]).toEqual([0, [], 0]);
  });

  test("goes on to the next group where it does, and the group that served is charged and named", async () => {
    list(["vip", "dear"], true);
    upstream.plan({ status: 500, rawBody: "{}" });
    expect(await call()).toBe(200);
    expect(charges()).toEqual([["dear", 5000, 3]]);
    expect(relay.billing.rows.at(-1)).toMatchObject({ groupName: "dear", quota: 5000 });
    expect(JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}")).toMatchObject({ group_ratio: 4 });
    upstream.plan({ usage, text: "" });
    expect(await call()).toBe(200);
    expect(charges().at(-1)).toEqual(["vip", 625, 1]);
    expect(relay.billing.held).toBe(0);
  });

  test("holds what the dearest of its groups may cost", async () => {
    const heldFor = async (groups: string[], retries: boolean): Promise<number> => {
      list(groups, retries);
      const seen = Promise.withResolvers<number>();
      const plan = {
        usage,
        text: "word",
        beforeFrame: () => {
          seen.resolve(relay.billing.held);
          return Promise.resolve();
        },
      };
      upstream.plan(plan);
      other.plan(plan);
      const answer = await relay.post("/v1/chat/completions", { ...chat, stream: true });
      await answer.text();
      return seen.promise;
    };
    const dear = await heldFor(["dear"], false);
    const across = await heldFor(["vip", "dear"], true);
    const cheap = await heldFor(["vip", "dear"], false);
    expect([across, cheap < dear]).toEqual([dear, true]);
  });
});
