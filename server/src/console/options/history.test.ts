/** An option's history out of the administrators' log: who changed what when, newest first, and never a secret. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { OptionHistoryEntry } from "../../../../contract/src/features/options.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines, openTestDatabase, withDatabase } from "../../../../tests/support/databases/databases.ts";
import { plansOf } from "../../../../tests/support/databases/plans.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../../../../tests/support/systems/server.ts";
import { readAuditRows } from "./history.ts";

let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
});
afterAll(() => server.stop());

const set = (key: string, value: string) => root.put("/api/option/", { key, value });

async function historyOf(key: string): Promise<OptionHistoryEntry[]> {
  const { body } = await root.get(`/api/option/history?key=${key}`);
  expect(body.success).toBe(true);
  return body.data as OptionHistoryEntry[];
}

test("an option's changes come newest first with who made them, what was there and what is there now", async () => {
  for (const value of ["3", "5", "5", "2"]) await set("RetryTimes", value);
  await set("QuotaForInviter", "9");
  const history = await historyOf("RetryTimes");
  expect(history.map(({ from, to }) => [from, to])).toEqual([
    ["5", "2"],
    ["3", "5"],
    ["0", "3"],
  ]);
  expect(history[0]).toMatchObject({ username: "root", event: "option_changed", is_cut: false });
  expect(history[0]?.created_time).toBeGreaterThan(1_700_000_000);
});

test("an option that nobody changed has no history; a name that is none is refused", async () => {
  expect(await historyOf("SMTPPort")).toEqual([]);
  expect((await root.get("/api/option/history?key=NoSuchOption")).body).toMatchObject({
    success: false,
    code: "option_unknown",
    field: "key",
  });
});

test("an underscore in a name matches itself alone", async () => {
  await set("general_setting.docs_link", "https://docs.example");
  expect(await historyOf("general_setting.docs_link")).toHaveLength(1);
  expect(await historyOf("general_setting.ping_interval_enabled")).toEqual([]);
});

test("a secret's history says who and when, and neither value", async () => {
  await root.post("/api/user/confirm", { password: ROOT_PASSWORD });
  expect((await set("GitHubClientSecret", "hunter-one")).body.success).toBe(true);
  expect((await set("GitHubClientSecret", "hunter-two")).body.success).toBe(true);
  const { body } = await root.get("/api/option/history?key=GitHubClientSecret");
  expect(body.data).toHaveLength(2);
  expect(JSON.stringify(body)).not.toContain("hunter");
  expect(body.data).toEqual([
    expect.not.objectContaining({ from: expect.anything() }),
    expect.not.objectContaining({ to: expect.anything() }),
  ]);
});

test("a long value is cut, and said to be", async () => {
  await set("About", "a".repeat(2_500));
  const [entry] = await historyOf("About");
  expect(entry).toMatchObject({ from: "", is_cut: true });
  expect(entry?.to?.length).toBe(2_001);
});

test("prices changed model by model, and taken back as a whole, stand in the history of the tables they touched", async () => {
  const from = { ratios: {}, tools: {} };
  const to = { ratios: { ModelRatio: "2", CacheRatio: "0.5" }, tools: {} };
  expect((await root.put("/api/prices", { changes: [{ model: "m-1", from, to }] })).body.success).toBe(true);
  expect((await root.post("/api/option/rest_model_ratio")).body.success).toBe(true);
  const history = await historyOf("CacheRatio");
  expect(history.map(({ event }) => event)).toEqual(["ratios_reset", "prices_changed"]);
  expect(history[0]).toMatchObject({ from: '{\n  "m-1": 0.5\n}', to: "{}" });
  expect(await historyOf("CompletionRatio")).toEqual([]);
  expect(await historyOf("RetryTimes")).toHaveLength(3);
});

const ROW = { ...BLANK_LOG, user_id: 1, username: "root", model_name: "" };
const changed = (option: string, created_at: number) => ({
  ...ROW,
  type: LOG_TYPE.admin,
  created_at,
  other: JSON.stringify({ event: { code: "option_changed", values: { option } }, admin_info: { option } }),
});

describe.each(await engines())("rows on %s", (engine) => {
  test("only the newest of the option are read, in order", async () => {
    const place = await openTestDatabase(engine);
    try {
      const { kysely } = place.database;
      const rows = [1, 5, 3, 4].map((at) => changed("Notice", at));
      await kysely
        .insertInto("logs")
        .values([...rows, changed("About", 9), { ...changed("Notice", 7), type: LOG_TYPE.system }])
        .execute();
      const found = await readAuditRows(place.database, "Notice", ["option_changed"], 3);
      expect(found.map(({ created_at }) => created_at)).toEqual([5, 4, 3]);
    } finally {
      await place.close();
    }
  });
});

test("the log is read along its index by type, however many calls it holds", async () => {
  await withDatabase("sqlite", async (database) => {
    const plans = await plansOf(database, () => readAuditRows(database, "Notice", ["option_changed"], 50));
    expect(plans.join("\n")).toMatch(/SEARCH logs USING INDEX logs_type_created_at/);
    expect(plans.filter((line) => /TEMP B-TREE|^SCAN/.test(line))).toEqual([]);
  });
});
