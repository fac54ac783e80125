/** Channels and their models over time as administrators see them: figures by attempt, cells, the last failure, and what is cooling down. */
import { FAILURE_KINDS, type FailureKind, failureKindOf } from "../../../../contract/src/call-figures.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import {
  type ChannelHealthRow,
  type ChannelModelsHealth,
  HEALTH_ROWS_MOST,
  type HealthBreaker,
  type HealthCell,
  healthCells,
  type HealthCells,
  type HealthPage,
  type LastFailure,
} from "../../../../contract/src/features/health.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { nowSeconds } from "../../util/clock.ts";
import { type JsonFields, objectOf, parseObject, textOf } from "../../util/json-read.ts";
import { firstCodePoints } from "../../util/text.ts";
import { attemptsIn, figuresOf, ROUTE_COUNTS, sumCounts } from "../dashboard/call-shape.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import {
  type BreakerReport,
  type CellCounts,
  type ChannelOutcomes,
  countsByCell,
  newestFailures,
  openBreakers,
  outcomesByChannel,
} from "./store.ts";

type HealthContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

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

/** Figures of a row, its cells, and its last failure as far as the cells have it. */
function timeline(rows: readonly CellCounts[]) {
  const cells = rows.map(({ at, counts }) => ({ at, figures: figuresOf(attemptsIn(counts), ROUTE_COUNTS) }));
  const total = sumCounts(
    rows.map(({ counts }) => attemptsIn(counts)),
    ROUTE_COUNTS,
  );
  return {
    figures: figuresOf(total, ROUTE_COUNTS),
    cells: cells.map(({ at, figures: { succeeded, failed, failures, first_token } }): HealthCell => {
      const { p50_ms, p95_ms } = first_token;
      return { at, succeeded, failed, refused: failures.refused ?? 0, p50_ms, p95_ms };
    }),
    lastFailure: cells.reduce<LastFailure | null>(
      (last, { at, figures: { failures } }) => failureIn(at, failures) ?? last,
      null,
    ),
  };
}

/** The commonest failure of a cell; refused requests say nothing of a channel. */
function failureIn(at: number, failures: Readonly<Partial<Record<FailureKind, number>>>): LastFailure | null {
  const counted = FAILURE_KINDS.filter((kind) => kind !== "refused" && (failures[kind] ?? 0) > 0);
  const [kind] = counted.toSorted((left, right) => (failures[right] ?? 0) - (failures[left] ?? 0));
  return kind === undefined ? null : { at, is_exact: false, kind, words: "" };
}

/** Characters of what an upstream said. */
const WORDS_MOST = 300;

type FailedCall = Awaited<ReturnType<typeof newestFailures>>[number];

/** What the channel's upstream said in the end, by the call's receipt ("rate: slow down"); what the caller was sent where it says nothing of it. */
function wordsOf({ channel_id, content }: FailedCall, receipt: JsonFields): string {
  const { tried } = objectOf(receipt["admin_info"]);
  const own = (Array.isArray(tried) ? tried : []).map(objectOf).findLast(({ id }) => id === channel_id);
  const said = textOf(own?.["reason"]).replace(/^[a-z_]+: /, "");
  return said === "" ? content : said;
}

function failureOf(row: FailedCall, hasWords: boolean): LastFailure {
  const receipt = parseObject(row.other) ?? {};
  const kind = failureKindOf(Number(receipt["status_code"] ?? 0), textOf(receipt["error_code"]));
  const words = hasWords ? firstCodePoints(wordsOf(row, receipt), WORDS_MOST) : "";
  return { at: row.created_at, is_exact: true, kind, words };
}

/** The failed call of the log, unless attempts of a later cell failed: the log names the channel that was asked last alone. */
function laterOf(inCells: LastFailure | null, logged: LastFailure | undefined): LastFailure | null {
  if (logged === undefined || logged.kind === "refused") return inCells;
  return inCells === null || inCells.at <= logged.at ? logged : inCells;
}

const NO_OUTCOMES = { succeeded: 0, failed: 0, refused: 0 };

/** Disabled by an administrator last; before them those with an open breaker or disabled after failures, then by failures, calls and id. */
function ordered(
  channels: readonly SnapshotChannel[],
  outcomes: ReadonlyMap<number, ChannelOutcomes>,
  open: ReadonlySet<number>,
): SnapshotChannel[] {
  const rank = ({ id, status }: SnapshotChannel): number => {
    if (status === CHANNEL_STATUS.autoDisabled || (status === CHANNEL_STATUS.enabled && open.has(id))) return 0;
    return status === CHANNEL_STATUS.enabled ? 1 : 2;
  };
  const of = ({ id }: SnapshotChannel) => outcomes.get(id) ?? NO_OUTCOMES;
  const faults = (channel: SnapshotChannel) => of(channel).failed - of(channel).refused;
  return channels.toSorted(
    (left, right) =>
      rank(left) - rank(right) ||
      faults(right) - faults(left) ||
      of(right).succeeded - of(left).succeeded ||
      left.id - right.id,
  );
}

const gridOf = ({ start, width, count }: HealthCells) => ({ start, cell_seconds: width, cell_count: count });

/**
 * Channels as administrators see them; an unknown range is the last day. Throws nothing of its own.
 * @param hasWords whether the viewer may read what the log says of failed calls
 */
export async function readChannelHealth(
  { database, snapshot, clock }: HealthContext,
  query: { hours?: number | undefined; keyword?: string | undefined },
  hasWords: boolean,
): Promise<HealthPage> {
  const cells = healthCells(nowSeconds(clock), query.hours);
  const reports = await openBreakers(database, clock());
  const outcomes = await outcomesByChannel(database, cells.start);
  const byChannel = Map.groupBy(reports, ({ channelId }) => channelId);
  const keyword = (query.keyword ?? "").toLowerCase();
  const found = snapshot.channels().filter((channel) => matches(channel, keyword));
  const all = ordered(found, new Map(outcomes.map((each) => [each.channelId, each])), new Set(byChannel.keys()));
  const shown = all.slice(0, HEALTH_ROWS_MOST);
  const ids = shown.map(({ id }) => id);
  const counts = Map.groupBy(await countsByCell(database, cells, "channel_id", ids), ({ key }) => Number(key));
  const failures = new Map((await newestFailures(database, cells.start, ids)).map((row) => [row.channel_id, row]));
  const items = shown.map(({ id, name, type, status }): ChannelHealthRow => {
    const { lastFailure, ...rest } = timeline(counts.get(id) ?? []);
    const logged = failures.get(id);
    const last_failure = laterOf(lastFailure, logged && failureOf(logged, hasWords));
    return {
      id,
      name,
      type,
      status: statusOf(status),
      breakers: breakersOf(byChannel.get(id) ?? []),
      ...rest,
      last_failure,
    };
  });
  return { items, total: all.length, ...gridOf(cells), open: byChannel.size };
}

/** Models of one channel that were asked for in the range; an unknown range is the last day. Throws not_found. */
export async function readModelsHealth(
  { database, snapshot, clock }: HealthContext,
  channelId: number,
  hours: number | undefined,
): Promise<ChannelModelsHealth> {
  await snapshot.refresh();
  if (snapshot.channelById(channelId) === undefined)
    throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  const cells = healthCells(nowSeconds(clock), hours);
  const counts = Map.groupBy(await countsByCell(database, cells, "model", [channelId]), ({ key }) => String(key));
  const models = [...counts].map(([model, rows]) => {
    const { figures, cells: own } = timeline(rows);
    return { model, figures, cells: own };
  });
  const attempts = ({ figures }: (typeof models)[number]): number => figures.succeeded + figures.failed;
  const busiest = models.toSorted((left, right) => attempts(right) - attempts(left));
  return { models: busiest.slice(0, HEALTH_ROWS_MOST), total: models.length, ...gridOf(cells) };
}
