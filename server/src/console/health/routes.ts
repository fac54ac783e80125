/** HTTP handlers of channel health: figures by channel and model, the worst first, and open circuit breakers with the number of processes. */
import { sql } from "kysely";
import { FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import {
  type ChannelHealthRow,
  HEALTH_HOURS,
  type HealthBreaker,
  type HealthPage,
} from "../../../../contract/src/features/health.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import type { Database } from "../../db/database.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { attemptsIn, figuresOf, ROUTE_COUNTS, sumCounts } from "../dashboard/call-shape.ts";
import { type ConsoleContext, defineHandlers } from "../http/handlers.ts";

interface ChannelSum {
  channelId: number;
  succeeded: number;
  failed: number;
}

const failedColumn = sql.raw<number>(FAILURE_KINDS.map((kind) => `failed_${kind} + retried_${kind}`).join(" + "));

/** Answers and failures of every channel since an hour (Unix seconds): two sums, for their order. */
async function sumsByChannel({ kysely }: Database, since: number): Promise<ChannelSum[]> {
  const rows = await kysely
    .selectFrom("call_hours")
    .select("channel_id")
    .select(({ fn }) => fn.sum<number>("succeeded").as("succeeded"))
    .select(sql<number>`sum(${failedColumn})`.as("failed"))
    .where("hour", ">=", since)
    .groupBy("channel_id")
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
  }));
}

interface RouteCounts {
  channelId: number;
  model: string;
  /** In the order of CALL_COLUMNS. */
  counts: readonly number[];
}

/** Everything that is counted of these channels since an hour (Unix seconds), by model. */
async function countsOfChannels(
  { kysely }: Database,
  since: number,
  channelIds: readonly number[],
): Promise<RouteCounts[]> {
  if (channelIds.length === 0) return [];
  const rows = await kysely
    .selectFrom("call_hours")
    .select(["channel_id", "model"])
    .select(CALL_COLUMNS.map((column) => sql<number | null>`sum(${sql.ref(column)})`.as(column)))
    .where("hour", ">=", since)
    .where("channel_id", "in", channelIds)
    .groupBy(["channel_id", "model"])
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    model: row.model,
    // Sums come as text or null on some engines.
    counts: CALL_COLUMNS.map((column) => Number(row[column] ?? 0)),
  }));
}

/** An open circuit breaker as one process reports it. */
interface BreakerReport {
  channelId: number;
  reason: string;
  untilMs: number;
  /** "" where it is the whole channel's. */
  keyMark: string;
}

/** What is open in some process now (Unix milliseconds). */
async function openBreakers({ kysely }: Database, nowMs: number): Promise<BreakerReport[]> {
  const rows = await kysely
    .selectFrom("open_breakers")
    .leftJoin("channel_keys", "channel_keys.id", "open_breakers.key_id")
    .select(["open_breakers.channel_id", "open_breakers.reason", "open_until_ms", "key_mark", "key_id"])
    .where("open_until_ms", ">", nowMs)
    .orderBy("key_id")
    .execute();
  return rows.map((row) => ({
    channelId: row.channel_id,
    reason: row.reason,
    untilMs: Number(row.open_until_ms),
    keyMark: row.key_id === 0 ? "" : (row.key_mark ?? `#${row.key_id}`),
  }));
}

type HealthContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

interface HealthQuery {
  hours?: number | undefined;
  keyword?: string | undefined;
  p: number;
  page_size: number;
}

const HOUR = 3600;
const DEFAULT_HOURS = 24;

/** The first hour that counts: the one under way is always among them. */
function startOf(nowMs: number, hours: number | undefined): number {
  const asked = HEALTH_HOURS.find((each) => each === hours) ?? DEFAULT_HOURS;
  return Math.floor(nowMs / 1000 / HOUR) * HOUR - (asked - 1) * HOUR;
}

const matches = ({ id, name, models }: SnapshotChannel, keyword: string): boolean =>
  keyword === "" ||
  String(id) === keyword ||
  name.toLowerCase().includes(keyword) ||
  [...models].some((model) => model.toLowerCase().includes(keyword));

/** The same breaker of several processes is one row, open until the last of them closes it. */
function breakersOf(reports: readonly BreakerReport[]): HealthBreaker[] {
  const byKey = Map.groupBy(reports, ({ keyMark }) => keyMark);
  return [...byKey].map(([key_mark, each]) => ({
    key_mark,
    reason: each.some(({ reason }) => reason === "resting_as_asked") ? "resting_as_asked" : "resting",
    until_ms: Math.max(...each.map(({ untilMs }) => untilMs)),
    processes: each.length,
  }));
}

const statusOf = (status: number): ChannelHealthRow["status"] => {
  if (status === CHANNEL_STATUS.enabled) return "enabled";
  return status === CHANNEL_STATUS.autoDisabled ? "auto_disabled" : "disabled";
};

const NO_SUM = { succeeded: 0, failed: 0 };

/** Channels with an open breaker first, then by failures, answers and id. */
function ordered(
  channels: readonly SnapshotChannel[],
  sums: ReadonlyMap<number, ChannelSum>,
  open: ReadonlySet<number>,
): SnapshotChannel[] {
  const sumOf = ({ id }: SnapshotChannel) => sums.get(id) ?? NO_SUM;
  return channels.toSorted(
    (left, right) =>
      Number(open.has(right.id)) - Number(open.has(left.id)) ||
      sumOf(right).failed - sumOf(left).failed ||
      sumOf(right).succeeded - sumOf(left).succeeded ||
      left.id - right.id,
  );
}

/** Channels and models as administrators see them. Never throws for what is asked: an unknown range is the last day. */
async function channelHealth(context: HealthContext, query: HealthQuery): Promise<HealthPage> {
  const { database, snapshot, clock } = context;
  const start = startOf(clock(), query.hours);
  const [reports, sums] = await Promise.all([openBreakers(database, clock()), sumsByChannel(database, start)]);
  const byChannel = Map.groupBy(reports, ({ channelId }) => channelId);
  const keyword = (query.keyword ?? "").toLowerCase();
  const found = snapshot.channels().filter((channel) => matches(channel, keyword));
  const all = ordered(found, new Map(sums.map((sum) => [sum.channelId, sum])), new Set(byChannel.keys()));
  const shown = all.slice((query.p - 1) * query.page_size, query.p * query.page_size);
  const counts = await countsOfChannels(
    database,
    start,
    shown.map(({ id }) => id),
  );
  const items = shown.map(({ id, name, type, status }): ChannelHealthRow => {
    const rows = counts
      .filter(({ channelId }) => channelId === id)
      .map((row) => ({ model: row.model, counts: attemptsIn(row.counts) }));
    const models = rows.map((row) => ({ model: row.model, figures: figuresOf(row.counts, ROUTE_COUNTS) }));
    const total = sumCounts(
      rows.map((row) => row.counts),
      ROUTE_COUNTS,
    );
    const attempts = ({ figures }: (typeof models)[number]): number => figures.succeeded + figures.failed;
    return {
      id,
      name,
      type,
      status: statusOf(status),
      breakers: breakersOf(byChannel.get(id) ?? []),
      figures: figuresOf(total, ROUTE_COUNTS),
      models: models.toSorted((left, right) => attempts(right) - attempts(left)),
    };
  });
  return { items, total: all.length, page: query.p, page_size: query.page_size, start, open: byChannel.size };
}

export const healthHandlers = defineHandlers("health", {
  getChannelHealth: async ({ context, query }) => ({ data: await channelHealth(context, query) }),
});
