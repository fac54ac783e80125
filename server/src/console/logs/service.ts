/** Reading the usage log: pages, one call, and how long the calls of a filter took and how many failed. */
import { percentileOf, timeCountsOf } from "../../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  type AdminLog,
  LOG_TIMED_CALLS,
  LOG_TOTAL_CAP,
  type LogPerson,
  type LogStat,
  type UserLog,
} from "../../../../contract/src/features/logs.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import type { Database } from "../../db/database.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { ALL, asksFor, type LogFilter, type LogQuery, only, resolveFilter } from "./filter.ts";
import { boundedFilter, idsBetween, type Place } from "./scan-window.ts";
import {
  countLogs,
  findByRequest,
  findLogs,
  findPerson,
  findTimes,
  readPage,
  type StoredLog,
  withLead,
} from "./store.ts";
import { lastMinute, quotaUsed } from "./totals.ts";
import { adminView, userView } from "./views.ts";

type Quantiles = LogStat["total_time"];

/** Half and nineteen twentieths of the times, by the same buckets as on the dashboard and the health page; zeros where there is none. */
export function quantilesOf(times: readonly number[]): Quantiles {
  const counts = timeCountsOf(times);
  return { p50: percentileOf(counts, 0.5) ?? 0, p95: percentileOf(counts, 0.95) ?? 0, calls: times.length };
}

/** Failed calls of the filter, counted up to the cap; none where it asks for other types. */
export async function countErrors(
  database: Database,
  filter: LogFilter,
): Promise<Pick<LogStat, "errors" | "errors_are_capped">> {
  if (!asksFor(filter, LOG_TYPE.error)) return { errors: 0, errors_are_capped: false };
  const counted = await countLogs(database, only(filter, LOG_TYPE.error));
  return { errors: Math.min(counted, LOG_TOTAL_CAP), errors_are_capped: counted > LOG_TOTAL_CAP };
}

/** Times of the newest answered calls and no further, so that every engine says the same; of the failed ones where the filter asks for no others. */
export async function timesOf(
  database: Database,
  filter: LogFilter,
): Promise<Pick<LogStat, "total_time" | "first_token" | "is_sample">> {
  const type = [LOG_TYPE.consumption, LOG_TYPE.error].find((wanted) => asksFor(filter, wanted));
  const found = type === undefined ? [] : await findTimes(database, only(filter, type), LOG_TIMED_CALLS + 1);
  const calls = found.slice(0, LOG_TIMED_CALLS);
  const streamed = calls.filter((call) => call.is_stream === 1 && call.first_token_ms > 0);
  return {
    total_time: quantilesOf(calls.map((call) => call.use_time_ms)),
    first_token: quantilesOf(streamed.map((call) => call.first_token_ms)),
    is_sample: found.length > LOG_TIMED_CALLS,
  };
}

type LogContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

interface PageQuery {
  /** From 1. */
  p: number;
  page_size: number;
  /** The `next` of the page before. */
  after?: string | undefined;
}

interface LogPage<Row> {
  items: Row[];
  total: number;
  total_is_capped: boolean;
  page: number;
  page_size: number;
  next: string;
  /** Unix seconds; 0 where the whole range was looked at. */
  searched_since: number;
}

/** The place that `nextOf` wrote. Throws invalid_field. */
function placeOf(after: string): Place {
  const [, created, id] = /^(\d{1,12})-(\d{1,15})$/.exec(after) ?? [];
  if (created === undefined) throw new AppError("invalid_field", { field: "after" });
  return { created_at: Number(created), id: Number(id) };
}

/** Where the page behind these rows begins: behind the last one; "" where they are the last. */
function nextOf(rows: readonly StoredLog[], size: number): string {
  const last = rows.at(-1);
  return last === undefined || rows.length < size ? "" : `${last.created_at}-${last.id}`;
}

async function pageOf<Row>(
  context: LogContext,
  query: LogQuery,
  { p, page_size, after }: PageQuery,
  view: (row: StoredLog) => Row,
): Promise<LogPage<Row>> {
  const place = after === undefined ? undefined : placeOf(after);
  const offset = place === undefined ? (p - 1) * page_size : 0;
  const resolved = await resolveFilter(context.database, query);
  const none = { items: [], total: 0, total_is_capped: false, page: p, page_size, next: "", searched_since: 0 };
  if (resolved === undefined) return none;
  const { filter, searchedSince } = await boundedFilter(context.database, await withLead(context.database, resolved));
  const isBeyond = offset + page_size > LOG_TOTAL_CAP;
  const [rows, counted] = await Promise.all([
    isBeyond
      ? []
      : readPage(context.database, idsBetween(context.database, filter, place, undefined), {
          limit: page_size,
          offset,
          end: place?.created_at ?? filter.end,
        }),
    countLogs(context.database, filter),
  ]);
  // Programs go on until a page is empty, which one behind the last row is; where there may be rows, none may be passed over.
  if (isBeyond && counted > Math.min(offset, LOG_TOTAL_CAP)) throw new AppError("range_too_wide", { field: "p" });
  const total = Math.min(counted, LOG_TOTAL_CAP);
  const items = rows.map(view);
  const next = nextOf(rows, page_size);
  return { ...none, items, total, total_is_capped: counted > LOG_TOTAL_CAP, next, searched_since: searchedSince };
}

/** Rows of everybody, with channels. Throws range_too_wide for a page beyond 10,000 rows that may have some. */
export function listLogs(context: LogContext, query: LogQuery, page: PageQuery): Promise<LogPage<AdminLog>> {
  return pageOf(context, query, page, (row) => adminView(row, (id) => context.snapshot.channelById(id)));
}

/** Rows of one user, as that user may see them. Throws range_too_wide as `listLogs` does. */
export function listOwnLogs(
  context: LogContext,
  userId: number,
  query: LogQuery,
  page: PageQuery,
): Promise<LogPage<UserLog>> {
  return pageOf(context, { ...query, userId, username: undefined, channelId: undefined }, page, userView);
}

/** Rows that a token's key gets of its own log. */
const TOKEN_LOG_ROWS = 100;

/** The newest rows of one token, as its owner may see them. */
export async function listTokenLog(
  { database }: Pick<LogContext, "database">,
  { userId, tokenId }: { userId: number; tokenId: number },
): Promise<UserLog[]> {
  const rows = await findLogs(database, { ...ALL, userId, tokenIds: [tokenId] }, 0, TOKEN_LOG_ROWS);
  return rows.map(userView);
}

const NO_TIMES = { p50: 0, p95: 0, calls: 0 };
const NO_STAT: LogStat = {
  quota: 0,
  rpm: 0,
  tpm: 0,
  errors: 0,
  errors_are_capped: false,
  total_time: NO_TIMES,
  first_token: NO_TIMES,
  is_sample: false,
  searched_since: 0,
};

/** Quota, errors and times of the range; calls and tokens of the last minute. One question after the other: calls get their turn. */
export async function statLogs(context: LogContext, query: LogQuery): Promise<LogStat> {
  const { database } = context;
  const now = nowSeconds(context.clock);
  const resolved = await resolveFilter(database, query);
  if (resolved === undefined) return NO_STAT;
  const { filter, searchedSince } = await boundedFilter(database, await withLead(database, resolved));
  const quota = await quotaUsed(database, filter, now);
  const minute = await lastMinute(database, resolved, now);
  const errors = await countErrors(database, filter);
  const times = await timesOf(database, filter);
  return { quota, ...minute, ...errors, ...times, searched_since: searchedSince };
}

/** The own row of one call. Throws not_found. */
export async function readReceipt(context: LogContext, userId: number, requestId: string): Promise<UserLog> {
  const row = await findByRequest(context.database, userId, requestId);
  if (row === undefined) throw new AppError("not_found", { message: "There is no log row of this request" });
  return userView(row);
}

/**
 * The person behind a name in the log. As everywhere, people of the caller's own role and above are closed to anybody but the super
 * administrator and themselves. Throws not_found or permission_denied.
 */
export async function readPerson(
  context: LogContext,
  caller: { id: number; role: number },
  userId: number,
): Promise<LogPerson> {
  const person = await findPerson(context.database, userId);
  if (person === undefined) throw new AppError("not_found", { message: "There is no such user any more" });
  if (person.id !== caller.id && person.role >= caller.role && !isRoot(caller.role))
    throw new AppError("permission_denied");
  return person;
}
