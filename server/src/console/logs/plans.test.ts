/** Tests that every list, total and stat of the log runs along its index; on SQLite, whose planner has no statistics to mend a bad choice. */
import { expect, test } from "vitest";
import { withDatabase } from "../../../../tests/support/databases/databases.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { plansOf } from "../../../../tests/support/databases/plans.ts";
import { callsSince, creditsSince } from "../dashboard/store.ts";
import type { LogFilter } from "./filter.ts";
import { ALL } from "./filter.ts";
import { countLogs, findLogs, withLead } from "./store.ts";
import { LOG_TOTAL_CAP } from "../../../../contract/src/features/logs.ts";
import { lastMinute } from "./totals.ts";

const RANGE: LogFilter = { ...ALL, start: 1_800_000_000, end: 1_800_100_000 };

const BY_TIME = "logs_created_at_id_type_model_name_group_name_index";
const BY_TYPE = "logs_type_created_at_id_user_id_token_id_channel_id_mo_index";
const BY_MODEL = "logs_model_name_created_at_id_type_group_name_index";
const BY_GROUP = "logs_group_name_created_at_id_type_model_name_index";
const BY_USER = "logs_user_id_created_at_id_token_id_type_model_name_gr_index";
const BY_CHANNEL = "logs_channel_id_created_at_id_type_model_name_group_na_index";

/** The filter and the index that its pages and totals must go along. */
const LISTS: readonly [Partial<LogFilter>, string][] = [
  [{}, BY_TIME],
  [{ modelName: "gpt%" }, BY_TIME],
  [{ group: "vip" }, BY_GROUP],
  [{ group: "vip", type: 2 }, BY_GROUP],
  [{ group: "vip", modelName: "gpt%" }, BY_GROUP],
  [{ type: 5 }, BY_TYPE],
  [{ modelName: "gpt-a" }, BY_MODEL],
  [{ modelName: "gpt-a", type: 2, group: "vip" }, BY_MODEL],
  [{ modelName: "gpt%", type: 5 }, BY_TYPE],
  [{ userId: 5 }, BY_USER],
  [{ userId: 5, type: 2, modelName: "gpt-a", group: "vip", channelId: 3 }, BY_USER],
  [{ userId: 5, tokenIds: [3] }, BY_USER],
  [{ userId: 5, tokenIds: [3, 4], type: 2, modelName: "gpt%", group: "vip" }, BY_USER],
  [{ channelId: 7, type: 5 }, BY_TYPE],
  [{ userId: 5, type: 5, modelName: "gpt-a", group: "vip" }, BY_TYPE],
  [{ channelId: 7, modelName: "gpt-a", group: "vip" }, BY_CHANNEL],
];

test.each(LISTS)(
  "pages and totals of %j go along %s, read no row of the table and sort nothing",
  async (more, index) => {
    await withDatabase("sqlite", async (database) => {
      const filter = { ...RANGE, ...more };
      const plans = await plansOf(database, async () => {
        await findLogs(database, filter, 40, 20);
        await countLogs(database, filter);
      });
      const ways = plans.filter((line) => /\blogs\b/.test(line) && !line.includes("INTEGER PRIMARY KEY"));
      expect(ways).toHaveLength(2);
      // The pattern of a model needs rows along the index by type alone: errors are few.
      const covers = index === BY_TYPE && filter.modelName !== undefined ? "INDEX" : "COVERING INDEX";
      for (const way of ways) expect(way).toContain(`${covers} ${index}`);
      expect(plans.filter((line) => /TEMP B-TREE|^SCAN logs/.test(line))).toEqual([]);
    });
  },
);

test("tokens of several owners are found along those owners' entries alone, and no row of the table is read", async () => {
  await withDatabase("sqlite", async (database) => {
    const filter = { ...RANGE, ownerIds: [5, 6], tokenIds: [3, 4] };
    const plans = await plansOf(database, () => countLogs(database, filter));
    const searched = `SEARCH logs USING COVERING INDEX ${BY_USER} (user_id=? AND created_at>? AND created_at<?)`;
    expect(plans).toContain(searched);
    expect(plans.filter((line) => line.startsWith("SCAN logs"))).toEqual([]);
  });
});

test("the balance's way back reads the adjustments of its time, and no charge", async () => {
  await withDatabase("sqlite", async (database) => {
    for (const userId of [undefined, 5]) {
      const plans = await plansOf(database, () => creditsSince(database, 1_800_000_000, userId, 10));
      expect(plans).toEqual([
        expect.stringMatching(/INDEX ledger_kind_created_at_user_id_index \(kind=\? AND created_at>\?\)/),
      ]);
    }
  });
});

test("a rare model among a user's calls is looked for along the model, and a rare user along the user", async () => {
  await withDatabase("sqlite", async (database) => {
    const entry = { ...BLANK_LOG, type: 2, user_id: 5, model_name: "common", created_at: RANGE.start ?? 0 };
    const many = Array.from({ length: 100 }, () => entry);
    for (let count = 0; count <= LOG_TOTAL_CAP; count += many.length)
      await database.kysely.insertInto("logs").values(many).execute();
    await database.kysely
      .insertInto("logs")
      .values({ ...entry, user_id: 6 })
      .execute();
    const leadFor = async (more: Partial<LogFilter>) => (await withLead(database, { ...RANGE, ...more })).lead;
    expect(await leadFor({ userId: 5, modelName: "rare" })).toBe("modelName");
    expect(await leadFor({ userId: 6, modelName: "common" })).toBe("userId");
    expect(await leadFor({ userId: 5, modelName: "common" })).toBeUndefined();
    const rare = await withLead(database, { ...RANGE, userId: 5, modelName: "rare" });
    const plans = await plansOf(database, () => countLogs(database, rare));
    expect(plans.join("\n")).toContain(`INDEX ${BY_MODEL} (model_name=? AND created_at>? AND created_at<?)`);
  });
});

test.each([
  [{}, BY_TIME],
  [{ userId: 5 }, BY_USER],
  [{ userId: 5, modelName: "gpt-a" }, BY_USER],
  [{ channelId: 7 }, BY_CHANNEL],
] as const)("the rates of the last minute for %j read that minute along %s and no more", async (more, index) => {
  await withDatabase("sqlite", async (database) => {
    const minute = await plansOf(database, () => lastMinute(database, { ...RANGE, ...more }, 1_800_000_000));
    // Without another filter it is calls that are asked for, and the time that is narrow.
    const own = Object.keys(more).length === 0 ? /logs_type_created_at|logs_created_at/ : new RegExp(index);
    expect(minute).toEqual([expect.stringMatching(own)]);
    expect(minute[0]).toMatch(/created_at>\?/);
    const calls = await plansOf(database, () =>
      callsSince(database, 1_800_000_000, "userId" in more ? more.userId : undefined),
    );
    expect(calls).toEqual([expect.stringContaining("userId" in more ? BY_USER : BY_TIME)]);
  });
});
