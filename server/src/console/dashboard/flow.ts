/** Where usage went: sums of a range by user, token, model, group and channel, as programs of this API family read them. */
import type { Selectable } from "kysely";
import { FLOW_ROWS, type FlowRow, SELF_SPAN_SECONDS } from "../../../../contract/src/features/dashboard.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Database } from "../../db/database.ts";
import type { UsageHourTable } from "../../db/schema.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { tokenNamesOf, usernamesOf } from "../kit/lists.ts";
import { hoursOf } from "./buckets.ts";
import { hoursOfView, type RequestedRange } from "./ranges.ts";
import { type Slice, sumsOfSlice, userIdOf } from "./store.ts";

type FlowContext = Pick<ConsoleContext, "database" | "clock"> & {
  readonly snapshot: Pick<ConsoleContext["snapshot"], "channelById">;
};

type Key = Pick<Selectable<UsageHourTable>, "user_id" | "token_id" | "model" | "group_name" | "channel_id">;
interface FlowSum extends Key {
  count: number;
  token_used: number;
  quota: number;
}

const KEYS = ["user_id", "token_id", "model", "group_name"] as const;

/** The greatest sums of a slice, one more than an answer has. */
async function greatestSums({ kysely }: Database, slice: Slice, byChannel: boolean): Promise<FlowSum[]> {
  const keys = byChannel ? ([...KEYS, "channel_id"] as const) : KEYS;
  const base = kysely
    .selectFrom("usage_hours")
    .select([...keys])
    .select(({ fn }) => [
      fn.sum<number | null>("requests").as("requests"),
      fn.sum<number | null>("quota").as("used"),
      fn.sum<number | null>("prompt_tokens").as("prompt"),
      fn.sum<number | null>("completion_tokens").as("completion"),
    ])
    .where("hour", ">=", slice.first)
    .where("hour", "<=", slice.last);
  const rows = await (slice.userId === undefined ? base : base.where("user_id", "=", slice.userId))
    .groupBy([...keys])
    .orderBy("used", "desc")
    .orderBy("token_id")
    .orderBy("model")
    .limit(FLOW_ROWS)
    .execute();
  return rows.map((row) => ({
    user_id: row.user_id,
    token_id: row.token_id,
    model: row.model,
    group_name: row.group_name,
    channel_id: (row as Partial<Key>).channel_id ?? 0,
    count: Number(row.requests ?? 0),
    token_used: Number(row.prompt ?? 0) + Number(row.completion ?? 0),
    quota: Number(row.used ?? 0),
  }));
}

const sumOf = (rows: readonly FlowSum[], field: "count" | "token_used" | "quota"): number =>
  rows.reduce((sum, row) => sum + row[field], 0);

/** The row of what is not listed; undefined where everything is. */
async function unlisted(database: Database, slice: Slice, listed: readonly FlowSum[]): Promise<FlowRow | undefined> {
  if (listed.length < FLOW_ROWS) return undefined;
  const all = await sumsOfSlice(database, slice);
  const count = all.requests - sumOf(listed, "count");
  if (count <= 0) return undefined;
  return {
    username: "",
    token_id: 0,
    token_name: "",
    use_group: "",
    channel_id: 0,
    channel_name: "",
    model_name: "",
    count,
    token_used: all.prompt_tokens + all.completion_tokens - sumOf(listed, "token_used"),
    quota: all.quota - sumOf(listed, "quota"),
  };
}

async function flowOf(context: FlowContext, slice: Slice, byChannel: boolean): Promise<FlowRow[]> {
  const { database, snapshot } = context;
  const sums = await greatestSums(database, slice, byChannel);
  const ids = (field: "user_id" | "token_id") => [...new Set(sums.map((row) => row[field]))];
  const [users, tokens, beyond] = await Promise.all([
    usernamesOf(database.kysely, ids("user_id")),
    tokenNamesOf(database.kysely, ids("token_id")),
    unlisted(database, slice, sums),
  ]);
  const rows = sums.map(({ user_id, token_id, model, group_name, channel_id, ...amounts }) => ({
    username: users.get(user_id) ?? "",
    token_id,
    token_name: tokens.get(token_id) ?? "",
    use_group: group_name,
    channel_id,
    channel_name: snapshot.channelById(channel_id)?.name ?? "",
    model_name: model,
    ...amounts,
  }));
  return beyond === undefined ? rows : [...rows, beyond];
}

/** Of the user of that name, or of everybody. Throws range_too_wide beyond 93 days. */
export async function listFlow(
  context: FlowContext,
  range: RequestedRange,
  username: string | undefined,
): Promise<FlowRow[]> {
  const hours = hoursOfView(range, nowSeconds(context.clock));
  const userId = username === undefined ? undefined : await userIdOf(context.database, username);
  if (username !== undefined && userId === undefined) return [];
  return flowOf(context, { ...hours, userId }, true);
}

/** Of one user, without channels. Throws range_too_wide beyond 30 days. */
export async function listOwnFlow(
  context: FlowContext,
  { start = 0, end = 0 }: RequestedRange,
  userId: number,
): Promise<FlowRow[]> {
  if (end - start > SELF_SPAN_SECONDS)
    throw new AppError("range_too_wide", { message: "span must not exceed one month", field: "start_timestamp" });
  return flowOf(context, { ...hoursOf(start, end), userId }, false);
}
