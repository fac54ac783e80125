/** Options over real HTTP: who may read and change them, that a refused change changes nothing, that secrets never come back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../../../../tests/support/systems/server.ts";

let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
});
afterAll(() => server.stop());

const rows = async (): Promise<ReadonlyMap<string, { value: string; is_set: boolean }>> => {
  const { body } = await root.get("/api/option/");
  const list = body.data as { key: string; value: string; is_set: boolean }[];
  return new Map(list.map(({ key, ...row }) => [key, row]));
};

const set = (key: string, value: string) => root.put("/api/option/", { key, value });

test("a saved option is in force before the answer, and listed as it was stored", async () => {
  expect((await set("SystemName", "My gate")).body).toMatchObject({ success: true });
  expect((await root.get("/api/status")).body.data).toMatchObject({ system_name: "My gate" });
  expect((await rows()).get("SystemName")).toEqual({ value: "My gate", is_set: true });
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

test("a value that is not text is malformed: 400, and the field is named", async () => {
  const answer = await root.put("/api/option/", { key: "RetryTimes", value: 3 });
  expect(answer).toMatchObject({ status: 400, body: { success: false, code: "invalid_field", field: "value" } });
});

test("a secret is stored encrypted, works, and is never sent back or logged", async () => {
  const secret = "ghp-secret-4711-abcdef";
  await set("GitHubClientId", "client");
  expect((await set("GitHubClientSecret", secret)).body.success).toBe(true);
  expect((await rows()).get("GitHubClientSecret")).toEqual({ value: "", is_set: true });
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
  expect((await set("Notice", "no step-up for this one")).body.success).toBe(true);
  const wrong = await root.post("/api/user/confirm", { password: "wrong" });
  expect(wrong.body).toMatchObject({ success: false, code: "confirm_failed" });
  expect((await root.post("/api/user/confirm", { password: ROOT_PASSWORD })).body.success).toBe(true);
  expect((await set("RegisterEnabled", "false")).body.success).toBe(true);
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

test("resetting the model ratios empties the operator's table", async () => {
  await set("ModelRatio", '{"some-model": 3}');
  expect(server.app.foundation.snapshot.options.ModelRatio["some-model"]).toBe("3");
  expect((await root.post("/api/option/rest_model_ratio")).body.success).toBe(true);
  expect({ ...server.app.foundation.snapshot.options.ModelRatio }).toEqual({});
});

test("the description tells type, limits and secrecy of each", async () => {
  const list = (await root.get("/api/option/schema")).body.data as { key: string }[];
  expect(list.find(({ key }) => key === "SMTPPort")).toMatchObject({ kind: "integer", minimum: 1, maximum: 65_535 });
  expect(list.find(({ key }) => key === "EpayKey")).toMatchObject({
    is_secret: true,
    needs_step_up: true,
    default: "",
  });
});
