/** The values that occur in a range, with how many calls each has: answered calls from the roll-up, failed ones from the newest of them. */
import type { LogFacet, LogFacets } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { errorsByCode, errorsByField, hoursByField, type Counted, tokenNames, userNames } from "./facet-store.ts";
import type { LogQuery } from "./filter.ts";
import { resolveFilter } from "./filter.ts";

type FacetContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

const HOUR_S = 3600;
/** Hours further back are not counted. */
const LONGEST_S = 92 * 86_400;
/** Values that are given. */
const FACET_VALUES = 100;

/** The filter that a field is chosen for: its own value must not hide the others. */
const OWN_FILTER = {
  model: "modelName",
  token: "tokenName",
  user: "username",
  channel: "channelId",
  group: "group",
  error_code: "errorCode",
} as const satisfies Record<LogFacet, keyof LogQuery>;

/** The whole hours that the range touches, at most the newest 92 days of it. */
function rangeOf({ start = 0, end }: LogQuery, now: number): { start: number; end: number } {
  const last = end === undefined || end <= 0 ? now : Math.min(end, now);
  const since = Math.max(start, last - LONGEST_S);
  return { start: Math.floor(since / HOUR_S) * HOUR_S, end: last };
}

/** Sums of both, most calls first. */
function merged(parts: readonly (readonly Counted[])[]): Counted[] {
  const calls = new Map<string, number>();
  for (const { key, calls: more } of parts.flat())
    if (key !== "" && key !== "0") calls.set(key, (calls.get(key) ?? 0) + more);
  return [...calls]
    .map(([key, count]) => ({ key, calls: count }))
    .toSorted((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
}

/** People and tokens are counted by id and filtered by name. */
async function named(database: Database, field: LogFacet, counted: readonly Counted[]): Promise<Counted[]> {
  const read = field === "token" ? tokenNames : field === "user" ? userNames : undefined;
  if (read === undefined) return [...counted];
  const names = await read(
    database,
    counted.map(({ key }) => Number(key)),
  );
  return merged([counted.map(({ key, calls }) => ({ key: names.get(Number(key)) ?? "", calls }))]);
}

/** Throws nothing of its own; a name nobody has gives no values. */
export async function listFacets(context: FacetContext, query: LogQuery, field: LogFacet): Promise<LogFacets> {
  const { database } = context;
  const range = rangeOf(query, nowSeconds(context.clock));
  const own = OWN_FILTER[field];
  const filter = await resolveFilter(database, { ...query, [own]: undefined, requestId: undefined, ...range });
  if (filter === undefined) return { values: [], is_cut: false, is_sample: false, since: range.start };
  const errors = await (field === "error_code"
    ? errorsByCode(database, filter)
    : errorsByField(database, filter, field));
  const answered = field === "error_code" ? [] : await hoursByField(database, filter, field, FACET_VALUES + 1);
  const all = merged([answered, errors.counted]);
  const values = await named(database, field, all.slice(0, FACET_VALUES));
  return {
    values: values.map(({ key, calls }) => ({
      value: key,
      name: field === "channel" ? (context.snapshot.channelById(Number(key))?.name ?? "") : "",
      calls,
    })),
    is_cut: all.length > FACET_VALUES,
    is_sample: errors.isSample,
    since: range.start,
  };
}
