/** What a call costs and may use by both groups: that of its user and that of its token; asked of a whole relay. */
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
