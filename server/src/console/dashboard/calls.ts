/** Call statistics of a range: failures and latency, of all users by model and channel or of one user by token; and the checklist of a new site. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { CallReport, FirstSteps, NamedFigures } from "../../../../contract/src/features/dashboard.ts";
import { NAMED_FIGURES, TOKEN_LIST_SPAN_SECONDS } from "../../../../contract/src/features/dashboard.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { bucketStarts, HOUR, type HourRange } from "./buckets.ts";
import {
  callSeries,
  figuresOf,
  groupedCounts,
  ROUTE_COUNTS,
  sumCounts,
  TOKEN_COUNTS,
  worstFirst,
} from "./call-shape.ts";
import {
  callsByHour,
  callsByRoute,
  callsByToken,
  firstFacts,
  isCountedSince,
  isFilling,
  type HourCounts,
  type TokenCounts,
  type TokenRank,
  tokenRanks,
  userCallsByHour,
} from "./call-store.ts";
import { type RequestedRange, clockOf, hoursOfView, type View } from "./ranges.ts";
import { tokenNamesOf, usernamesOf } from "../kit/lists.ts";
import { userIdOf } from "./store.ts";

type CallContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

/** The maximum that one query sums, so that other queries are not blocked. */
const PIECE_HOURS = 7 * 24;
/** For all users' tokens, which have many more rows. */
const TOKEN_PIECE_HOURS = 6;

function* piecesOf({ first, last }: HourRange, hours = PIECE_HOURS): Generator<HourRange> {
  const length = hours * HOUR;
  for (let from = first; from <= last; from += length)
    yield { first: from, last: Math.min(last, from + length - HOUR) };
}

async function inPieces<Row>(range: HourRange, read: (piece: HourRange) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const piece of piecesOf(range)) rows.push(...(await read(piece)));
  return rows;
}

/** The worst tokens with their names and owners; for all users, names are looked up after the choice. */
async function namedTokens({ database }: CallContext, rows: readonly TokenCounts[]): Promise<NamedFigures[]> {
  const sums = groupedCounts(rows, tokenKey, TOKEN_COUNTS);
  const each = [...sums].map(([key, counts]) => {
    const [userId = 0, id = 0] = key.split(" ").map(Number);
    return { userId, id, figures: figuresOf(counts, TOKEN_COUNTS) };
  });
  const worst = worstFirst(each, NAMED_FIGURES);
  const names = await tokenNamesOf(
    database.kysely,
    worst.map(({ id }) => id),
  );
  const users = await usernamesOf(
    database.kysely,
    worst.map(({ userId }) => userId),
  );
  return worst.map(({ userId, id, figures }) => ({
    id,
    name: names.get(id) ?? "",
    username: users.get(userId) ?? "",
    figures,
  }));
}

async function namedRoutes({ database, snapshot }: CallContext, range: HourRange) {
  const rows = await inPieces(range, (piece) => callsByRoute(database, piece));
  const listed = (sums: Map<number | string, readonly number[]>, nameOf: (key: number | string) => [number, string]) =>
    worstFirst(
      [...sums].map(([key, counts]): NamedFigures => {
        const [id, name] = nameOf(key);
        return { id, name, username: "", figures: figuresOf(counts, ROUTE_COUNTS) };
      }),
      NAMED_FIGURES,
    );
  return {
    models: listed(
      groupedCounts(rows, ({ model }): number | string => model, ROUTE_COUNTS),
      (model) => [0, String(model)],
    ),
    channels: listed(
      groupedCounts(rows, ({ channelId }): number | string => channelId, ROUTE_COUNTS),
      (id) => [Number(id), snapshot.channelById(Number(id))?.name ?? ""],
    ),
  };
}

/** Everything of a report but its lists. */
async function reportOf(context: CallContext, view: View, userId: number | undefined) {
  const { database } = context;
  const kind = userId === undefined ? ROUTE_COUNTS : TOKEN_COUNTS;
  const read = (range: HourRange): Promise<HourCounts[]> =>
    inPieces(range, (piece) =>
      userId === undefined ? callsByHour(database, piece) : userCallsByHour(database, piece, userId),
    );
  const zone = clockOf(view);
  const range = hoursOfView(view, nowSeconds(context.clock));
  const length = range.last + HOUR - range.first;
  const before = { first: range.first - length, last: range.first - HOUR };
  const summed = (hours: readonly HourCounts[]) =>
    figuresOf(
      sumCounts(
        hours.map(({ counts }) => counts),
        kind,
      ),
      kind,
    );
  // One after the other: together they would take every core of a small machine from the calls.
  const hours = await read(range);
  const isFull = await isCountedSince(database, before.first, userId);
  const previous = isFull ? summed(await read(before)) : null;
  const buckets = bucketStarts(range, view.granularity, zone);
  return {
    range,
    report: {
      start: range.first,
      end: range.last + HOUR - 1,
      granularity: view.granularity,
      buckets,
      totals: summed(hours),
      previous,
      series: callSeries(hours, buckets, kind),
      is_counting: await isFilling(database),
    },
  };
}

/** Failures and times of one account. Throws range_too_wide beyond 93 days and invalid_field for an unknown time zone. */
export async function readOwnCalls(context: CallContext, userId: number, view: View): Promise<CallReport> {
  const { range, report } = await reportOf(context, view, userId);
  const tokens = await inPieces(range, (piece) => callsByToken(context.database, piece, [userId]));
  return { ...report, models: [], channels: [], tokens: await namedTokens(context, tokens) };
}

/** An id that no user has: an unknown name shows nothing. */
const NO_USER_ID = -1;

/** The same for all users, or for the user of that name. */
export async function readCalls(context: CallContext, username: string | undefined, view: View): Promise<CallReport> {
  if (username !== undefined)
    return readOwnCalls(context, (await userIdOf(context.database, username)) ?? NO_USER_ID, view);
  const { range, report } = await reportOf(context, view, undefined);
  return { ...report, ...(await namedRoutes(context, range)), tokens: [] };
}

/** All users' calls by token, those with most failures first. Throws range_too_wide. */
export async function listTokenCalls(context: CallContext, asked: RequestedRange): Promise<NamedFigures[]> {
  const { database } = context;
  const range = hoursOfView(asked, nowSeconds(context.clock));
  if (range.last - range.first > TOKEN_LIST_SPAN_SECONDS)
    throw new AppError("range_too_wide", { field: "start_timestamp" });
  const ranks = new Map<string, TokenRank>();
  for (const piece of piecesOf(range, TOKEN_PIECE_HOURS))
    for (const rank of await tokenRanks(database, piece)) addRank(ranks, rank);
  const worst = [...ranks.values()]
    .toSorted((a, b) => b.failed - a.failed || b.succeeded - a.succeeded)
    .slice(0, NAMED_FIGURES);
  const chosen = new Set(worst.map(tokenKey));
  const counts = await callsByToken(database, range, [...new Set(worst.map(({ userId }) => userId))]);
  return namedTokens(
    context,
    counts.filter((row) => chosen.has(tokenKey(row))),
  );
}

/** Tokens of the playground have no id of their own. */
const tokenKey = ({ userId, tokenId }: Pick<TokenRank, "userId" | "tokenId">): string => `${userId} ${tokenId}`;

function addRank(ranks: Map<string, TokenRank>, rank: TokenRank): void {
  const known = ranks.get(tokenKey(rank));
  if (known === undefined) return void ranks.set(tokenKey(rank), rank);
  known.succeeded += rank.succeeded;
  known.failed += rank.failed;
}

/** Missing steps of a new site. */
export async function readFirstSteps({ database, snapshot }: CallContext): Promise<FirstSteps> {
  const { hasToken, hasCall } = await firstFacts(database);
  const hasChannel = snapshot.channels().some(({ status }) => status === CHANNEL_STATUS.enabled);
  return { has_channel: hasChannel, has_token: hasToken, has_call: hasCall };
}
