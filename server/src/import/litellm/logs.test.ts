/** The spend log of a LiteLLM comes over for its days, once, as history without money, by the numbers that keys and deployments have here. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines, openTestDatabase, type TestDatabase } from "../../../../tests/support/databases/databases.ts";
import { isReachable, SERVERS } from "../../../../tests/support/databases/servers.ts";
import { makeOldGateway, type OldGateway, type OldRows } from "../../../../tests/support/old-systems/old-gateway.ts";
import { importOldGateway } from "../../../../tests/support/old-systems/old-import.ts";
import { LITELLM, LITELLM_KEYS, litellmRows, sha256 } from "../../../../tests/support/old-systems/old-litellm.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { readLogDays } from "../logs.ts";

const DAY = readLogDays("2026-03-04..2026-03-04");
/** More than a page, many at the same moment. */
const CALLS = 2_100;

const called = (request_id: string, more: OldRows[string][number] = {}) => ({
  request_id,
  call_type: "acompletion",
  api_key: sha256(LITELLM_KEYS.ada),
  spend: 0.0021,
  prompt_tokens: 12,
  completion_tokens: 34,
  startTime: "2026-03-04 05:06:07.890",
  endTime: "2026-03-04 05:06:10.390",
  completionStartTime: "2026-03-04 05:06:08.190",
  model: "openai/gpt-4o",
  model_id: "m1",
  model_group: "gpt-4o",
  user: "u-ada",
  messages: '{"secret":"a text of a call"}',
  status: "success",
  ...more,
});

const LOGS: OldRows[string] = [
  ...Array.from({ length: CALLS }, (_, index) => called(`call-${index}'"; --`)),
  called("of a key that is gone", {
    api_key: sha256("sk-gone"),
    status: "failure",
    spend: 0,
    startTime: "2026-03-04 06:00:00",
  }),
  called("the day before", { startTime: "2026-03-03 23:59:59.999" }),
  called("the day after", { startTime: "2026-03-05 00:00:00" }),
];

describe.skipIf(!(await isReachable(SERVERS.postgres))).each(await engines())("a LiteLLM's log into %s", (engine) => {
  let old: OldGateway;
  let into: TestDatabase;
  beforeAll(async () => {
    old = await makeOldGateway("postgres", LITELLM, {
      ...litellmRows("http://upstream.example"),
      LiteLLM_SpendLogs: LOGS,
    });
    into = await openTestDatabase(engine);
  });
  afterAll(async () => {
    await old.remove();
    await into.close();
  });

  test("is history by the numbers here", async () => {
    const without = await importOldGateway(old, into);
    expect(without.left_out.tables["LiteLLM_SpendLogs"]).toBe(LOGS.length);
    const first = await importOldGateway(old, into, { logs: DAY });
    expect(first.tables["logs"]).toEqual({ found: CALLS + 1, brought: CALLS + 1, known: 0, refused: 0 });
    const again = await importOldGateway(old, into, { logs: DAY });
    expect(again.tables["logs"]).toEqual({ found: CALLS + 1, brought: 0, known: CALLS + 1, refused: 0 });
    expect(again.left_out.tables).not.toHaveProperty("LiteLLM_SpendLogs");
    const { kysely } = into.database;
    const rows = await kysely.selectFrom("logs").selectAll().where("request_id", "like", "imported:%").execute();
    const ada = await kysely.selectFrom("users").select("id").where("username", "=", "Ada").executeTakeFirstOrThrow();
    const channel = await kysely
      .selectFrom("channels")
      .select("id")
      .where("name", "=", "gpt-4o")
      .executeTakeFirstOrThrow();
    expect(rows.find(({ type }) => type === 2)).toMatchObject({
      created_at: Date.UTC(2026, 2, 4, 5, 6, 7) / 1000,
      user_id: ada.id,
      username: "Ada",
      token_name: "ada's",
      channel_id: channel.id,
      model_name: "gpt-4o",
      quota: 1_050,
      prompt_tokens: 12,
      completion_tokens: 34,
      use_time_ms: 2_500,
      first_token_ms: 300,
    });
    expect(rows.find(({ type }) => type === 5)).toMatchObject({ user_id: ada.id, token_id: 0, quota: 0 });
    expect(JSON.stringify(rows)).not.toContain("a text of a call");
    expect((await auditDatabase(into.database)).faults).toEqual([]);
  });
});
