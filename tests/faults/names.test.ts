/** Fault: on every endpoint that takes a name, invisible characters are refused by the field's name, and old rows that have some stay readable. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bumpVersion } from "../../server/src/db/versions.ts";
import {
  type TestAnswer,
  type TestClient,
  type TestServer,
  setUp,
  setupForm,
  startTestServer,
} from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const BAD = "na\u200bme";
const CHANNEL = { type: 1, name: "main", key: "sk-upstream-key", models: "gpt-a", groups: ["default"], tag: "old" };

let server: TestServer;
let root: TestClient;
let channelId: number;
/** What the wizard said to such a name. */
let inWizard: TestAnswer;

beforeAll(async () => {
  server = await startTestServer();
  inWizard = await server.client().post("/api/setup", await setupForm(server.app, { username: "ro\u202eot" }));
  root = await setUp(server);
  [channelId = 0] = await dataOf<number[]>(root.post("/api/channel", CHANNEL));
});

afterAll(() => server.stop());

test("the set-up wizard names the field username", () => {
  expect(inWizard.body).toMatchObject({ success: false, code: "name_characters", field: "username" });
});

const TOKEN = { name: "token", unlimited_quota: true, expired_time: -1 };

const CALLS = [
  ["PUT", "/api/user/self", { username: BAD }, "username"],
  ["PUT", "/api/user/self", { display_name: "bell\u0007" }, "display_name"],
  ["POST", "/api/token", { ...TOKEN, name: BAD }, "name"],
  ["POST", "/api/token", { ...TOKEN, group: BAD }, "group"],
  ["POST", "/api/channel", { ...CHANNEL, name: BAD }, "name"],
  ["POST", "/api/channel", { ...CHANNEL, name: "half \ud800" }, "name"],
  ["POST", "/api/channel", { ...CHANNEL, groups: ["default", BAD] }, "groups.1"],
  ["POST", "/api/channel", { ...CHANNEL, groups: undefined, group: `default,${BAD}` }, "group"],
  ["POST", "/api/channel", { ...CHANNEL, models: `gpt-a,${BAD}` }, "models"],
  ["POST", "/api/channel", { ...CHANNEL, tag: BAD }, "tag"],
  ["POST", "/api/channel", { ...CHANNEL, test_model: BAD }, "test_model"],
  ["PUT", "/api/channel/tag", { tag: "old", new_tag: BAD }, "new_tag"],
  ["POST", "/api/channel/batch/tag", { ids: [1], tag: BAD }, "tag"],
  ["PUT", "/api/option", { key: "SystemName", value: BAD }, "SystemName"],
  ["PUT", "/api/option", { key: "GroupRatio", value: `{"default":1,"${BAD}":1}` }, "GroupRatio"],
] as const;

test.each(CALLS)("%s %s %j names the field %s", async (method, path, body, field) => {
  const answer = await root.send(method, path, { body });
  expect({ status: answer.status, ...answer.body }).toMatchObject({ status: 200, code: "name_characters", field });
});

test("a row that has such a name from before is listed, and changed in its other fields", async () => {
  const { database, snapshot } = server.app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "channels");
    await transaction
      .updateTable("channels")
      .set({ name: BAD, tag: BAD, changed_version })
      .where("id", "=", channelId)
      .execute();
  });
  await snapshot.refresh();
  const { items: rows } = await dataOf<{ items: { name: string }[] }>(root.get("/api/channel"));
  expect(rows).toMatchObject([{ name: BAD, tag: BAD }]);
  await dataOf(root.put("/api/channel", { id: channelId, priority: 3 }));
  expect(await dataOf(root.put("/api/channel/tag", { tag: BAD, new_tag: "clean" }))).toBe(1);
  expect(await dataOf(root.get(`/api/channel/${channelId}`))).toMatchObject({ name: BAD, tag: "clean", priority: 3 });
});
