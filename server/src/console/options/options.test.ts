/** Options over real HTTP: who may read and change them, that a refused change changes nothing, that secrets never come back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OptionRow } from "../../../../contract/src/features/options.ts";
import { workingWayFact } from "../accounts/sign-in.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../../../../tests/support/systems/server.ts";

let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
});
afterAll(() => server.stop());

type Rows = ReadonlyMap<string, Omit<OptionRow, "key">>;

const rows = async (): Promise<Rows> => {
  const { body } = await root.get("/api/option/");
  return new Map((body.data as OptionRow[]).map(({ key, ...row }) => [key, row]));
};

const set = (key: string, value: string) => root.put("/api/option/", { key, value });

test("a saved option is in force before the answer, and listed as it was stored", async () => {
  expect((await set("SystemName", "My gate")).body).toMatchObject({ success: true });
  expect((await root.get("/api/status")).body.data).toMatchObject({ system_name: "My gate" });
  expect((await rows()).get("SystemName")).toMatchObject({ value: "My gate", is_set: true });
});

test("an option says who changed it last and when, and its revision changes with every change alone", async () => {
  const before = (await rows()).get("About");
  expect(before).toMatchObject({ updated_time: 0, updated_by: "", revision: 0 });
  await set("About", "We relay.");
  const first = (await rows()).get("About");
  expect(first).toMatchObject({ updated_by: "root", value: "We relay." });
  expect(first?.updated_time).toBeGreaterThan(1_700_000_000);
  await set("About", "We relay.");
  await set("Footer", "Another option.");
  expect((await rows()).get("About")).toEqual(first);
  await set("About", "We relay more.");
  expect((await rows()).get("About")?.revision).not.toBe(first?.revision);
});

test("who saves over somebody else's change is told, and nothing is lost: not of one option, not of twenty at once", async () => {
  const read = (await rows()).get("Notice");
  const save = (value: string) => root.put("/api/option/", { key: "Notice", value, revision: read?.revision });
  const saved = await Promise.all(Array.from({ length: 20 }, (_, index) => save(`Notice ${index}`)));
  const won = saved.flatMap(({ body }, index) => (body.success ? [`Notice ${index}`] : []));
  expect(won).toHaveLength(1);
  expect((await rows()).get("Notice")?.value).toBe(won[0]);
  const late = saved.find(({ body }) => !body.success);
  expect(late).toMatchObject({
    status: 409,
    body: { code: "option_changed", field: "Notice", values: { user: "root" } },
  });
  expect((await set("Notice", "without a revision")).body.success).toBe(true);
});

test("the list is sorted and complete", async () => {
  const keys = [...(await rows()).keys()];
  expect(keys).toEqual(keys.toSorted());
  expect(keys.length).toBeGreaterThan(100);
});

test.each([
  ["ModelRatio", "{broken"],
  ["GroupRatio", '{"default":"x"}'],
  ["QuotaPerUnit", "abc"],
])("a refused %s leaves database and live values as they were", async (key, value) => {
  const before = { rows: await rows(), live: server.app.foundation.snapshot.options };
  const answer = await set(key, value);
  expect(answer).toMatchObject({ status: 200, body: { success: false, code: "option_invalid", field: key } });
  expect(await rows()).toEqual(before.rows);
  expect(server.app.foundation.snapshot.options).toEqual(before.live);
});

test("an unknown key is refused", async () => {
  expect((await set("NoSuchKey", "1")).body).toMatchObject({ success: false, code: "option_unknown" });
});

test("numbers and truth values are taken as JSON has them, and checked like their text", async () => {
  const put = (key: string, value: unknown) => root.put("/api/option/", { key, value });
  expect((await put("RetryTimes", 3)).body.success).toBe(true);
  expect((await put("DisplayInCurrencyEnabled", false)).body.success).toBe(true);
  expect((await put("ChannelDisableThreshold", 2.5)).body.success).toBe(true);
  const stored = await rows();
  expect(
    ["RetryTimes", "DisplayInCurrencyEnabled", "ChannelDisableThreshold"].map((key) => stored.get(key)?.value),
  ).toEqual(["3", "false", "2.5"]);
  expect((await put("RetryTimes", true)).body).toMatchObject({ code: "option_invalid", field: "RetryTimes" });
  expect((await put("RetryTimes", 1.5)).body).toMatchObject({ code: "option_invalid", field: "RetryTimes" });
});

test("the unit of quota is one setting under two names, and a refused one leaves both", async () => {
  const TYPE = "general_setting.quota_display_type";
  const SWITCH = "DisplayInCurrencyEnabled";
  const both = async () => {
    const { body } = await root.get("/api/status");
    const stored = await rows();
    const status = body.data as { quota_display_type: string; display_in_currency: boolean };
    expect([stored.get(TYPE)?.value, stored.get(SWITCH)?.value]).toEqual([
      status.quota_display_type,
      String(status.display_in_currency),
    ]);
    return [status.quota_display_type, status.display_in_currency];
  };
  const { kysely } = server.app.foundation.database;
  // A site from before the type, with plain units.
  await kysely.deleteFrom("options").where("name", "=", TYPE).execute();
  await kysely.updateTable("options").set({ value: "false" }).where("name", "=", SWITCH).execute();
  await set("RetryTimes", "2");
  expect(await both()).toEqual(["TOKENS", false]);
  await set(SWITCH, "true");
  expect(await both()).toEqual(["USD", true]);
  await set(TYPE, "CNY");
  await set(SWITCH, "true");
  expect(await both()).toEqual(["CNY", true]);
  await set(SWITCH, "false");
  expect(await both()).toEqual(["TOKENS", false]);
  await set(TYPE, "CUSTOM");
  expect((await set(TYPE, "EUR")).body).toMatchObject({ code: "option_invalid", field: TYPE });
  expect((await set("general_setting.custom_currency_symbol", "1,")).body).toMatchObject({ code: "option_invalid" });
  expect((await set("USDExchangeRate", "0")).body).toMatchObject({ code: "option_invalid" });
  expect(await both()).toEqual(["CUSTOM", true]);
  await set(TYPE, "USD");
});

test("a value that is neither text nor number nor truth is malformed: 400, and the field is named", async () => {
  const answer = await root.put("/api/option/", { key: "RetryTimes", value: { n: 3 } });
  expect(answer).toMatchObject({ status: 400, body: { success: false, code: "invalid_field", field: "value" } });
});

test("a table of group ratios without `default` is refused by name", async () => {
  const answer = await set("GroupRatio", '{"vip": 1}');
  expect(answer.body).toMatchObject({ success: false, code: "option_invalid", field: "GroupRatio" });
  expect(answer.body.message).toContain('"default"');
});

test("a secret is stored encrypted, works, and is never sent back or logged", async () => {
  const secret = "ghp-secret-4711-abcdef";
  await set("GitHubClientId", "client");
  expect((await set("GitHubClientSecret", secret)).body.success).toBe(true);
  expect((await rows()).get("GitHubClientSecret")).toMatchObject({ value: "", is_set: true });
  expect(server.app.foundation.snapshot.options.GitHubClientSecret).toBe(secret);
  const { kysely } = server.app.foundation.database;
  const stored = JSON.stringify([
    await kysely.selectFrom("options").selectAll().execute(),
    await kysely.selectFrom("logs").selectAll().execute(),
  ]);
  expect(stored).not.toContain(secret);
  expect((await set("GitHubOAuthEnabled", "true")).body.success).toBe(true);
});

test("sign-in options want the password confirmed within ten minutes; confirming it opens them again", async () => {
  const { kysely } = server.app.foundation.database;
  await kysely.updateTable("sessions").set({ confirmed_time: 1 }).execute();
  const refused = await set("RegisterEnabled", "false");
  expect(refused).toMatchObject({ status: 403, body: { code: "step_up_required" } });
  expect((await set("SensitiveWords", "no step-up for this one")).body.success).toBe(true);
  const wrong = await root.post("/api/user/confirm", { password: "wrong" });
  expect(wrong.body).toMatchObject({ success: false, code: "confirm_failed" });
  expect((await root.post("/api/user/confirm", { password: ROOT_PASSWORD })).body.success).toBe(true);
  expect((await set("RegisterEnabled", "false")).body.success).toBe(true);
});

test("of two ways in that need each other, only one is turned off, however close together", async () => {
  const { database, snapshot } = server.app.foundation;
  await database.kysely
    .insertInto("facts")
    .values({ name: workingWayFact("github"), value: "1" })
    .execute();
  await set("GitHubClientId", "client");
  await set("GitHubClientSecret", "secret");
  await set("GitHubOAuthEnabled", "true");
  const off = await Promise.all([set("PasswordLoginEnabled", "false"), set("GitHubOAuthEnabled", "false")]);
  expect(off.filter(({ body }) => body.success)).toHaveLength(1);
  expect(off.find(({ body }) => !body.success)?.body.code).toBe("option_prerequisite");
  expect([snapshot.options.PasswordLoginEnabled, snapshot.options.GitHubOAuthEnabled].filter(Boolean)).toHaveLength(1);
  await set("PasswordLoginEnabled", "true");
});

test("each change is an entry of the administrators' log, with old and new value", async () => {
  await set("MinTopUp", "5");
  const log = await server.app.foundation.database.kysely
    .selectFrom("logs")
    .selectAll()
    .where("type", "=", 3)
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  expect(log).toMatchObject({ username: "root" });
  const event = { code: "option_changed", values: { option: "MinTopUp" } };
  expect(JSON.parse(log.other)).toEqual({ event, admin_info: { option: "MinTopUp", from: "1", to: "5" } });
});

test("resetting the model ratios empties every table of own prices, and no other", async () => {
  await set("ModelRatio", '{"some-model": 3}');
  await set("CompletionRatio", '{"some-model": 4}');
  await set("GroupRatio", '{"default": 2}');
  expect(server.app.foundation.snapshot.options.ModelRatio["some-model"]).toBe("3");
  expect((await root.post("/api/option/rest_model_ratio")).body.success).toBe(true);
  const { ModelRatio, CompletionRatio, GroupRatio } = server.app.foundation.snapshot.options;
  expect([{ ...ModelRatio }, { ...CompletionRatio }, { ...GroupRatio }]).toEqual([{}, {}, { default: "2" }]);
});

test("the description tells type, limits and secrecy of each", async () => {
  const list = (await root.get("/api/option/schema")).body.data as { key: string }[];
  expect(list.find(({ key }) => key === "SMTPPort")).toMatchObject({ kind: "integer", minimum: 1, maximum: 65_535 });
  expect(list.find(({ key }) => key === "EpayKey")).toMatchObject({
    owner: "root",
    is_secret: true,
    needs_step_up: true,
    default: "",
  });
});
