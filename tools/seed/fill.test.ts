/** Every scenario fills an empty system, its ledger balances, and a call with its token is answered. */
import { afterEach, expect, test } from "vitest";
import type { TestProgress } from "../../contract/src/channels/channel-tests.ts";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { REDEMPTION_STATUS } from "../../contract/src/features/redemptions.ts";
import { ORDER_STATUSES } from "../../contract/src/payments/orders.ts";
import { TASK_STATUSES } from "../../contract/src/tasks.ts";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import type { Database } from "../../server/src/db/database.ts";
import { LEAVES_TO_ALL } from "../../tests/support/soak/short-or-long.ts";
import { startThrowAway, type ThrowAway } from "../throw-away.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";

let place: ThrowAway | undefined;
afterEach(async () => {
  await place?.close();
  place = undefined;
});

/** Tasks are as the product stores them: failed ones are refunded, in the ledger and in the log. */
async function expectTasksInEveryState({ kysely }: Database, refundsInLog: number): Promise<void> {
  const tasks = await kysely.selectFrom("tasks").selectAll().execute();
  expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(TASK_STATUSES));
  const failed = tasks.filter(({ status }) => status === "FAILURE");
  const refunded = failed.filter(({ charge }) => charge === "refunded");
  const entries = await kysely.selectFrom("ledger").select("entry_id").where("kind", "=", "refund").execute();
  expect(new Set(entries.map(({ entry_id }) => entry_id))).toEqual(
    new Set(refunded.map(({ request_id }) => `refund:${request_id}`)),
  );
  expect([refunded.length, entries.length]).toEqual([refundsInLog, refundsInLog]);
  expect(failed.filter(({ charge, quota }) => quota > 0 && charge !== "refunded")).toEqual([]);
  expect(new Set(failed.map(({ fail_code }) => fail_code))).toEqual(
    new Set(["", "timed_out", "lost_upstream", "channel_deleted", "interrupted", "unexplained"]),
  );
}

/** busy-month has its own test: bulk-month.test.ts. The short form leaves out the one of 240 channels, whose rows are like those of the others. */
const APART: readonly ScenarioName[] = LEAVES_TO_ALL ? ["busy-month", "many-channels"] : ["busy-month"];
const written = (Object.keys(SCENARIOS) as ScenarioName[]).filter((name) => !APART.includes(name));

test.each(written)("%s", async (name) => {
  place = await startThrowAway(name, { LOG_LEVEL: "silent" });
  const { app, filled } = place;
  const scenario = SCENARIOS[name];
  const { faults, unpricedCharges } = await auditDatabase(app.foundation.database);
  expect(app.foundation.snapshot.channels().length).toBe(scenario.channels.length);
  expect(filled.people.length).toBe(scenario.people.length);
  expect(filled.calls > 0).toBe(scenario.days > 0);
  expect([faults, unpricedCharges]).toEqual([[], 0]);
});

test("the demo has users, orders and codes of every role and state, and the ordinary user it names can log in", async () => {
  place = await startThrowAway("demo", { LOG_LEVEL: "silent" });
  const { app, filled } = place;
  const people = await app.foundation.database.kysely.selectFrom("users").selectAll().orderBy("id").execute();
  expect(new Set(people.map(({ role }) => role))).toEqual(new Set([1, 10, 100]));
  expect(people.filter(({ status }) => status === 2).map(({ username }) => username)).toEqual(["leaky-bot"]);
  expect(people.filter(({ deleted_at }) => deleted_at !== null).map(({ username }) => username)).toEqual(["former"]);
  const inviter = people.find(({ username }) => username === "lin");
  expect(inviter).toMatchObject({ role: 1, aff_count: 2, aff_history_quota: 1_000_000 });
  expect(people.filter(({ inviter_id }) => inviter_id === inviter?.id)).toHaveLength(2);
  expect(people.some(({ github_id, wechat_id }) => github_id !== null || wechat_id !== null)).toBe(true);
  const orders = await app.foundation.database.kysely.selectFrom("top_ups").select("status").execute();
  expect(new Set(orders.map(({ status }) => status))).toEqual(new Set(ORDER_STATUSES));
  const codes = await app.foundation.database.kysely.selectFrom("redemptions").select("status").execute();
  expect(new Set(codes.map(({ status }) => status))).toEqual(new Set(Object.values(REDEMPTION_STATUS)));
  const user = filled.people.find(({ username }) => username === "lin");
  const answer = await fetch(`${app.url}/api/user/login`, { method: "POST", body: JSON.stringify(user) });
  expect(await answer.json()).toMatchObject({ success: true, data: { username: "lin", role: 1 } });
});

test("the demo's token gets an answer, and an address of the console shows it in the log", async () => {
  place = await startThrowAway("demo", { LOG_LEVEL: "silent" });
  const { app, filled } = place;
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${filled.key ?? ""}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(answer.status).toBe(200);
  const logged = await app.foundation.database.kysely
    .selectFrom("logs")
    .selectAll()
    .orderBy("id", "desc")
    .executeTakeFirst();
  expect(logged).toMatchObject({ type: 2, model_name: "gpt-4o-mini", username: filled.admin.username });
  expect(Number(logged?.quota)).toBeGreaterThan(0);
  const incidents = await app.foundation.database.kysely
    .selectFrom("logs")
    .select("other")
    .where("type", "=", 4)
    .execute();
  const events = incidents.map(
    ({ other }) => JSON.parse(other) as { event: { code: string; values: { name: string } } },
  );
  const ofChannels = events.filter(({ event }) => event.code.startsWith("channel_"));
  expect(ofChannels.map(({ event }) => `${event.code} ${event.values.name}`)).toEqual([
    "channel_disabled_automatically Anthropic main",
    "channel_enabled_automatically Anthropic main",
    "channel_disabled_automatically OpenAI team B",
    "channel_enabled_automatically OpenAI team B",
    ...Array<string>(3).fill("channel_key_disabled_automatically Gemini pool"),
  ]);
  const refunds = events.filter(({ event }) => event.code === "task_refunded");
  await expectTasksInEveryState(app.foundation.database, refunds.length);
});

test("every channel of the demo passes its test, but the unreachable one", async () => {
  place = await startThrowAway("demo", { LOG_LEVEL: "silent" });
  const { client } = place.filled;
  await client.call("POST", "/api/channel/test");
  const progress = () => client.call("GET", "/api/channel/test/progress") as Promise<TestProgress>;
  await expect.poll(async () => (await progress()).running, { timeout: 20_000 }).toBe(false);
  const { done, failures } = await progress();
  expect([done, failures.map(({ name }) => name)]).toEqual([9, ["Retired reseller"]]);
  const { items } = (await client.call("GET", "/api/channel?test_result=2")) as { items: ChannelRow[] };
  expect(items.map(({ test_failure }) => test_failure)).toEqual([
    { code: "connect", values: { reason: "ECONNREFUSED" } },
  ]);
});
