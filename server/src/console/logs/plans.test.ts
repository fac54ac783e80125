/** Holds that every list, total and stat of the log runs along the index made for it; on SQLite, whose planner has no statistics to mend a bad choice. */
import { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { withDatabase } from "../../../../tests/support/databases.ts";
import type { Database } from "../../db/database.ts";
import { callsSince } from "../dashboard/store.ts";
import type { LogFilter } from "./filter.ts";
import { countLogs, findLogs } from "./store.ts";
import { lastMinute } from "./totals.ts";

const ALL: LogFilter = {
  userId: undefined,
  tokenIds: undefined,
  tokenName: undefined,
  modelName: undefined,
  group: undefined,
  channelId: undefined,
  type: undefined,
  start: 1_800_000_000,
  end: 1_800_100_000,
};

/** How SQLite reads `logs` in every statement that `work` sends. */
async function plansOf(database: Database, work: () => Promise<unknown>): Promise<string[]> {
  const executor = database.kysely.getExecutor();
  const original = executor.executeQuery.bind(executor);
  const sent: CompiledQuery[] = [];
  executor.executeQuery = (query) => {
    sent.push(query);
    return original(query);
  };
  await work().finally(() => (executor.executeQuery = original));
  const lines: string[] = [];
  for (const { sql, parameters } of sent) {
    const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await database.kysely.executeQuery<{ detail: string }>(explain);
    lines.push(...rows.map(({ detail }) => detail));
  }
  return lines;
}

/** The filter and the index that its pages and totals must go along. */
const LISTS: readonly [Partial<LogFilter>, string][] = [
  [{}, "logs_created_at_id_type_model_name_group_name_index"],
  [{ group: "vip" }, "logs_created_at_id_type_model_name_group_name_index"],
  [{ type: 5 }, "logs_type_created_at_id_index"],
  [{ modelName: "gpt-a" }, "logs_model_name_created_at_id_index"],
  [{ modelName: "gpt-a", type: 2 }, "logs_model_name_created_at_id_index"],
  [{ modelName: "gpt%", type: 5 }, "logs_type_created_at_id_index"],
  [{ userId: 5 }, "logs_user_id_id_index"],
  [{ userId: 5, type: 2, modelName: "gpt-a" }, "logs_user_id_id_index"],
  [{ tokenIds: [3] }, "logs_token_id_id_index"],
  [{ channelId: 7, type: 5 }, "logs_channel_id_id_index"],
];

test.each(LISTS)("pages and totals of %j go along %s and sort nothing", async (more, index) => {
  await withDatabase("sqlite", async (database) => {
    const filter = { ...ALL, ...more };
    const plans = await plansOf(database, async () => {
      await findLogs(database, filter, 40, 20);
      await countLogs(database, filter);
    });
    const ways = plans.filter((line) => /\blogs\b/.test(line) && !line.includes("INTEGER PRIMARY KEY"));
    expect(ways.filter((line) => line.includes(index))).toHaveLength(2);
    // Where to stop looking by id is itself asked along the time.
    expect(ways.every((line) => line.includes(index) || line.includes("logs_created_at_id_"))).toBe(true);
    expect(plans.filter((line) => /TEMP B-TREE|^SCAN logs/.test(line))).toEqual([]);
  });
});

test.each([{}, { userId: 5 }, { userId: 5, modelName: "gpt-a" }, { channelId: 7 }])(
  "the rates of the last minute for %j read that minute and no more",
  async (more) => {
    await withDatabase("sqlite", async (database) => {
      const plans = await plansOf(database, async () => {
        await lastMinute(database, { ...ALL, ...more }, 1_800_000_000);
        await callsSince(database, 1_800_000_000, "userId" in more ? 5 : undefined);
      });
      expect(plans).toHaveLength(2);
      for (const line of plans) expect(line).toContain("logs_created_at_id_type_model_name_group_name_index");
    });
  },
);
