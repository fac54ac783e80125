/** The log by one field: calls, failures, spend and cached tokens of each user, token, model, channel, group, program or error code. */
import {
  LOG_GROUPS_MOST,
  type LogGroupField,
  type LogGroupOrder,
  type LogGroups,
} from "../../../../contract/src/logs/sums.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import { newestFirst } from "../../db/log-order.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { tokensOf } from "../kit/cached-tokens.ts";
import { tokenNamesOf, usernamesOf } from "../kit/lists.ts";
import { addByClient, addCached } from "./answered.ts";
import { errorCodeOf, READ_ERRORS } from "./facets.ts";
import { asksFor, type LogFilter, type LogQuery, only } from "./filter.ts";
import { summedFilter, summedRange } from "./histogram.ts";
import { idsOf } from "./store.ts";
import {
  addAnsweredHours,
  addAnsweredRows,
  addErrors,
  addTo,
  type CallSums,
  type SummedField,
  type SumsByKey,
} from "./sums.ts";
import { isInRollUp } from "./totals.ts";

interface Grouped {
  sums: SumsByKey;
  isCut: boolean;
  errorsSince: number;
  tokensSince: number;
}

/** Adds the newest failed calls by what their receipts have. Answers since when they were counted; 0 where all were. */
async function addReadErrors(
  database: Database,
  filter: LogFilter,
  keyOf: (receipt: string) => string,
  sums: SumsByKey,
): Promise<number> {
  if (!asksFor(filter, LOG_TYPE.error)) return 0;
  const errors = idsOf(database, only(filter, LOG_TYPE.error)).select(["logs.other", "logs.created_at"]);
  const rows = await newestFirst(database.logs, errors, { limit: READ_ERRORS + 1, end: filter.end });
  const counted = rows.slice(0, READ_ERRORS);
  for (const { other } of counted) addTo(sums, keyOf(other), { errors: 1 });
  return rows.length > READ_ERRORS ? (counted.at(-1)?.created_at ?? 0) : 0;
}

async function byErrorCode(database: Database, filter: LogFilter): Promise<Grouped> {
  const sums: SumsByKey = new Map();
  const errorsSince = await addReadErrors(database, filter, errorCodeOf, sums);
  return { sums, isCut: false, errorsSince, tokensSince: 0 };
}

const clientOf = (receipt: string): string => tokensOf({ other: receipt, prompt_tokens: 0 }).client;

async function byClient(database: Database, filter: LogFilter): Promise<Grouped> {
  const sums: SumsByKey = new Map();
  const errorsSince = await addReadErrors(database, filter, clientOf, sums);
  return { sums, isCut: false, errorsSince, tokensSince: await addByClient(database, filter, sums) };
}

/** The fields that only receipts have. */
const OF_RECEIPTS = { error_code: byErrorCode, client: byClient } as const;

async function byField(database: Database, filter: LogFilter, field: SummedField, now: number): Promise<Grouped> {
  const sums: SumsByKey = new Map();
  const by = { field };
  const errorsSince = await addErrors(database, filter, by, sums);
  let isCut = false;
  if (isInRollUp(filter)) isCut = await addAnsweredHours(database, filter, { by, now }, sums);
  else await addAnsweredRows(database, filter, by, sums);
  return { sums, isCut, errorsSince, tokensSince: await addCached(database, filter, field, sums) };
}

/** Ids whose names are looked up. */
const NAMED_MOST = 1000;

const sorted = (sums: SumsByKey, order: LogGroupOrder): (readonly [string, CallSums])[] =>
  [...sums].toSorted(
    ([a, one], [b, other]) => other[order] - one[order] || other.errors - one.errors || (a < b ? -1 : 1),
  );

/** Users and tokens are summed by id and filtered by name; "" is what has none any more. */
async function named(
  database: Database,
  field: LogGroupField,
  largest: readonly (readonly [string, CallSums])[],
): Promise<SumsByKey> {
  const read = field === "token" ? tokenNamesOf : field === "user" ? usernamesOf : undefined;
  const names = await read?.(
    database.kysely,
    largest.map(([key]) => Number(key)),
  );
  const result: SumsByKey = new Map();
  for (const [key, each] of largest) {
    const name = names === undefined ? key : (names.get(Number(key)) ?? "");
    addTo(result, field === "channel" && key === "0" ? "" : name, each);
  }
  return result;
}

type GroupContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

/** @param order what the list is sorted by, from the largest on; answered calls if undefined */
export async function groupLogs(
  context: GroupContext,
  query: LogQuery,
  { field, order = "calls" }: { field: LogGroupField; order?: LogGroupOrder | undefined },
): Promise<LogGroups> {
  const { database, snapshot, clock } = context;
  const now = nowSeconds(clock);
  const range = summedRange(query, now);
  const none = { groups: [], is_cut: false, ...range, errors_since: 0, searched_since: 0, tokens_since: 0 };
  const found = range.start > range.end ? undefined : await summedFilter(database, query, range);
  if (found === undefined) return none;
  const { sums, isCut, errorsSince, tokensSince } = await (field === "error_code" || field === "client"
    ? OF_RECEIPTS[field](database, found.filter)
    : byField(database, found.filter, field, now));
  const largest = sorted(sums, order).slice(0, NAMED_MOST);
  const all = sorted(await named(database, field, largest), order).map(([value, each]) => ({
    value,
    name: field === "channel" ? (snapshot.channelById(Number(value))?.name ?? "") : "",
    ...each,
  }));
  return {
    ...none,
    groups: all.slice(0, LOG_GROUPS_MOST),
    is_cut: isCut || sums.size > NAMED_MOST || all.length > LOG_GROUPS_MOST,
    errors_since: errorsSince,
    searched_since: found.searchedSince,
    tokens_since: tokensSince,
  };
}
