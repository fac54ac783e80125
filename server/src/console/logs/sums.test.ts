/** Tests of the log's histogram and groups: the same figures as the head and the rows, whatever the filters, and bounded work. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { type LogStat } from "../../../../contract/src/features/logs.ts";
import { LOG_BARS, type LogGroups, type LogHistogram } from "../../../../contract/src/logs/sums.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { receiptShorthand } from "../../billing/shorthand.ts";
import { READ_CALLS } from "./answered.ts";
import { barWidth, drawHistogram, summedRange } from "./histogram.ts";
import { stretchOf, SUMMED_ERRORS } from "./sums.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Half past an hour. */
const NOW = 1_800_000_000 - (1_800_000_000 % HOUR) + 1800;
const NOON = NOW - 1800;

interface Call {
  who: Caller;
  at: number;
  model?: string;
  channel?: number;
  quota?: number;
  token?: number;
  took?: number;
  prompt?: number;
  receipt?: object;
}

describe.each(await engines())("sums of the log on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let anna: Caller;
  let berta: Caller;

  const database = () => site.foundation.database;

  const row = ({
    who,
    at,
    model = "gpt-5",
    channel = 7,
    quota = 0,
    token = 0,
    took = 100,
    prompt = 0,
    receipt,
  }: Call) => ({
    ...BLANK_LOG,
    type: 2,
    user_id: who.userId,
    username: who.username,
    token_id: token,
    model_name: model,
    channel_id: channel,
    group_name: "default",
    created_at: at,
    quota,
    use_time_ms: took,
    prompt_tokens: prompt,
    ...(receipt === undefined ? {} : { other: receiptShorthand.write(JSON.stringify(receipt)) }),
  });

  /** An answered call: its row, and its hour of the roll-up as the settlement keeps it. */
  const answered = async (call: Call) => {
    const values = row(call);
    await database().kysely.insertInto("logs").values(values).execute();
    const key = {
      hour: call.at - (call.at % HOUR),
      user_id: values.user_id,
      token_id: values.token_id,
      channel_id: values.channel_id,
      model: values.model_name,
      group_name: values.group_name,
    };
    const known = await database()
      .kysely.updateTable("usage_hours")
      .set((hour) => ({ requests: hour("requests", "+", 1), quota: hour("quota", "+", values.quota) }))
      .where((hour) => hour.and(key))
      .executeTakeFirst();
    if (Number(known.numUpdatedRows) > 0) return;
    const counts = { requests: 1, quota: values.quota, prompt_tokens: 0, completion_tokens: 0 };
    await database()
      .kysely.insertInto("usage_hours")
      .values({ ...key, ...counts })
      .execute();
  };
  const failed = async (call: Call, code = "upstream_broken") => {
    const other = JSON.stringify({ error_code: code, error_type: "upstream", status_code: 502 });
    await database()
      .kysely.insertInto("logs")
      .values({ ...row(call), type: 5, other })
      .execute();
  };

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    anna = await site.person(1);
    berta = await site.person(1);
    await answered({ who: anna, at: NOW - 60, quota: 10 });
    await answered({ who: anna, at: NOON - 10, quota: 20, channel: 9, took: 9000 });
    await answered({ who: berta, at: NOON - HOUR + 5, quota: 40, model: "claude" });
    await answered({ who: berta, at: NOON - 3 * DAY + 700, quota: 80, model: "claude" });
    await failed({ who: anna, at: NOW - 90 });
    await failed({ who: berta, at: NOON - 3 * DAY + 800, model: "claude" }, "no_available_channel");
    await answered({ who: berta, at: NOW - 200 * DAY, quota: 1000, model: "long-ago" });
  });
  afterAll(() => site.close());

  const ask = <Data>(path: string, query: string, caller: Caller = admin): Promise<Data> =>
    caller.data<Data>("GET", `${caller === admin ? "/api/log" : "/api/log/self"}/${path}?${query}`);
  const histogram = (query: string, caller?: Caller) => ask<LogHistogram>("histogram", query, caller);
  const groups = async (query: string, caller?: Caller) =>
    (await ask<LogGroups>("groups", query, caller)).groups.map(
      ({ value, calls, errors, quota }) => [value, calls, errors, quota] as const,
    );
  const totals = ({ bars }: LogHistogram) => ({
    quota: bars.reduce((sum, bar) => sum + bar.quota, 0),
    errors: bars.reduce((sum, bar) => sum + bar.errors, 0),
  });

  const RANGES = [
    `start_timestamp=${NOW - 600}`,
    `start_timestamp=${NOON - HOUR}&end_timestamp=${NOW}`,
    `start_timestamp=${NOON - 4 * DAY + 77}&end_timestamp=${NOW + HOUR}`,
    `start_timestamp=${NOON - 3 * DAY + 701}&end_timestamp=${NOON - 11}`,
  ];
  const FILTERS = ["", "&type=5", "&type=2", "&types=2,5", "&type=4", "&model_name=claude", "&model_name=%25LAU%25"];
  const MORE = ["&channel=9", "&min_time_ms=5000", "&min_quota=20", "&error_code=upstream_broken", "&username=nobody"];

  it.each([...FILTERS, ...MORE])("says the same in bars, in the head and by model, with %j", async (filter) => {
    for (const range of RANGES) {
      const stat = await ask<LogStat>("stat", range + filter);
      const expected = { quota: stat.quota, errors: stat.errors };
      expect({ range, ...totals(await histogram(range + filter)) }).toEqual({ range, ...expected });
      const byModel = await groups(`${range}${filter}&field=model`);
      const [quota, errors] = [3, 2].map((at) => byModel.reduce((sum, group) => sum + Number(group[at]), 0));
      expect({ range, quota, errors }).toEqual({ range, ...expected });
    }
  });

  it("shows no spend and no answered calls where only failures are asked for", async () => {
    const range = `start_timestamp=${NOON - 4 * DAY}&type=5`;
    expect(await ask<LogStat>("stat", range)).toMatchObject({ quota: 0, errors: 2, rpm: 0, tpm: 0 });
    expect((await histogram(range)).bars.every(({ calls, quota }) => calls === 0 && quota === 0)).toBe(true);
  });

  it("puts each call into the bar of its time, the oldest first", async () => {
    const drawn = await histogram(`start_timestamp=${NOW - 600}`);
    expect(drawn).toMatchObject({ start: NOW - 600, end: NOW, errors_since: 0, searched_since: 0 });
    const places = drawn.bars.map(({ at, calls, errors, quota }) => ({ at, calls, errors, quota }));
    const { width } = drawn;
    expect(places).toEqual([
      { at: stretchOf(NOW - 90, { origin: 0, width }), calls: 0, errors: 1, quota: 0 },
      { at: stretchOf(NOW - 60, { origin: 0, width }), calls: 1, errors: 0, quota: 10 },
    ]);
  });

  it("draws bars of hours from the roll-up where there are more rows than may be read", async () => {
    const query = { start: NOON - HOUR, end: NOW };
    const context = { database: database(), clock: () => NOW * 1000 };
    const fine = await drawHistogram(context, query);
    expect(fine.width).toBeLessThan(HOUR);
    const coarse = await drawHistogram(context, query, 2);
    expect(coarse).toMatchObject({ width: HOUR, bars: [{ at: NOON - HOUR }, { at: NOON }] });
    expect(totals(coarse)).toEqual(totals(fine));
  });

  it("groups by each field, the largest first in the order asked for, and finds names", async () => {
    const week = `start_timestamp=${NOON - 7 * DAY}`;
    expect(new Set(await groups(`${week}&field=user`))).toEqual(
      new Set([
        [anna.username, 2, 1, 30],
        [berta.username, 2, 1, 120],
      ]),
    );
    expect((await groups(`${week}&field=user&order=quota`)).map(([value]) => value)).toEqual([
      berta.username,
      anna.username,
    ]);
    expect(await groups(`${week}&field=channel&order=errors`)).toEqual([
      ["7", 3, 2, 130],
      ["9", 1, 0, 20],
    ]);
    expect((await groups(`${week}&field=error_code`)).toSorted()).toEqual([
      ["no_available_channel", 0, 1, 0],
      ["upstream_broken", 0, 1, 0],
    ]);
  });

  it("sums up no further back than 92 days, and says which time", async () => {
    const all = await histogram("");
    expect(all.start).toBe(NOW - 92 * DAY);
    expect(totals(all).quota).toBe(150);
    expect(await groups("field=model")).not.toContainEqual(expect.arrayContaining(["long-ago"]));
  });

  it("says by each field, and by program, how much of the prompts was cached", async () => {
    const at = NOON - 40 * DAY;
    const call = (who: Caller, prompt: number, cached: number, client?: string) =>
      answered({ who, at, model: "cached", quota: 5, prompt, receipt: { client, usage: { cacheReadTokens: cached } } });
    await call(anna, 100, 81, "claude-code");
    await call(berta, 300, 0, "codex");
    await call(berta, 100, 40, "codex");
    await call(berta, 20, 900);
    await failed({ who: berta, at, model: "cached" });
    const asked = `start_timestamp=${at - HOUR}&end_timestamp=${at + 2 * HOUR}`;
    const cached = async (field: string, caller?: Caller) => {
      const { groups: found, tokens_since } = await ask<LogGroups>("groups", `${asked}&field=${field}`, caller);
      return [tokens_since, ...found.map((each) => [each.value, each.calls, each.prompt_tokens, each.cached_tokens])];
    };
    expect(await cached("model")).toEqual([0, ["cached", 4, 520, 141]]);
    expect(await cached("user")).toEqual([0, [berta.username, 3, 420, 60], [anna.username, 1, 100, 81]]);
    // No upstream has cached more than the prompt.
    expect(await cached("client")).toEqual([0, ["codex", 2, 400, 40], ["", 1, 20, 20], ["claude-code", 1, 100, 81]]);
    expect(await cached("client", anna)).toEqual([0, ["claude-code", 1, 100, 81]]);
    const spent = (await groups(`${asked}&field=client`)).map(([value, , errors, quota]) => [value, errors, quota]);
    expect(spent).toEqual([
      ["codex", 0, 10],
      ["", 1, 5],
      ["claude-code", 0, 5],
    ]);
  });

  it("reads no more receipts than the newest, and says since when", async () => {
    const at = NOON - 50 * DAY;
    const receipt = { client: "codex", usage: { cacheReadTokens: 1 } };
    const many = Array.from({ length: READ_CALLS + 10 }, (_, index) =>
      row({ who: anna, at: at + index, prompt: 2, receipt }),
    );
    for (let from = 0; from < many.length; from += 500)
      await database()
        .kysely.insertInto("logs")
        .values(many.slice(from, from + 500))
        .execute();
    const query = `start_timestamp=${at}&end_timestamp=${at + HOUR}&field=client`;
    const { groups: found, tokens_since } = await ask<LogGroups>("groups", query);
    expect(found).toMatchObject([{ calls: READ_CALLS, prompt_tokens: 2 * READ_CALLS, cached_tokens: READ_CALLS }]);
    expect(tokens_since).toBe(at + 10);
  });

  it("gives a user the own calls alone, and nothing by channel or person", async () => {
    const week = `start_timestamp=${NOON - 7 * DAY}`;
    expect(totals(await histogram(`${week}&username=${berta.username}`, anna))).toEqual({ quota: 30, errors: 1 });
    expect(await groups(`${week}&field=model`, anna)).toEqual([["gpt-5", 2, 1, 30]]);
    for (const field of ["channel", "user"])
      expect((await anna.call("GET", `/api/log/self/groups?field=${field}`)).status).toBe(400);
    for (const path of ["histogram", "groups"])
      expect((await anna.call("GET", `/api/log/${path}?field=model`)).status).toBe(403);
  });

  it("counts the newest failures alone where there are too many, and says since when", async () => {
    const at = NOON - 20 * DAY;
    const many = Array.from({ length: 500 }, (_, index) => ({ ...row({ who: anna, at: at + index }), type: 5 }));
    const rounds = SUMMED_ERRORS / many.length + 1;
    for (let round = 0; round < rounds; round += 1) await database().kysely.insertInto("logs").values(many).execute();
    const drawn = await histogram(`start_timestamp=${at}&end_timestamp=${at + 2 * HOUR}`);
    expect(totals(drawn).errors).toBe(SUMMED_ERRORS);
    expect(drawn.errors_since).toBeGreaterThan(at);
  });
});

test("a range of any length has bars of a round width, at most a hundred of them", () => {
  for (const length of [1, 60, 3600, DAY, 7 * DAY, 30 * DAY, 92 * DAY]) {
    const range = { start: NOW - length, end: NOW };
    const bars = Math.ceil((length + 1) / barWidth(range)) + 1;
    expect({ length, fits: bars <= LOG_BARS }).toEqual({ length, fits: true });
  }
  expect(summedRange({ start: 5, end: 0 }, NOW)).toEqual({ start: NOW - 92 * DAY, end: NOW });
});
