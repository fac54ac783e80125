/** The newest answered calls of a filter with what their receipts alone have: the program that called, and the prompt's cached tokens. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { Database } from "../../db/database.ts";
import { newestReceipts } from "../../db/log-order.ts";
import { type CallTokens, tokensOf } from "../kit/cached-tokens.ts";
import { asksFor, type LogFilter, only } from "./filter.ts";
import { tracksOf, windowEnd } from "./scan-window.ts";
import { idsOf } from "./store.ts";
import { addTo, type SummedField, SUMMED_FIELDS, type SumsByKey } from "./sums.ts";

/** Answered calls whose receipts are read. */
export const READ_CALLS = 2000;
/** Entries of an index that are gone along for them: a rare model among a user's many calls is looked for no further. */
const ENTRIES = 50_000;

async function readAnswered(database: Database, filter: LogFilter) {
  const calls = only(filter, LOG_TYPE.consumption);
  const tracks = tracksOf(calls);
  const bound = await windowEnd(database, tracks, undefined, Math.ceil(ENTRIES / tracks.length));
  const bounded = { ...calls, start: Math.max(calls.start ?? 0, bound?.created_at ?? 0) };
  const newest = { limit: READ_CALLS + 1, end: filter.end };
  const rows = await newestReceipts(database.logs, idsOf(database, bounded), newest);
  const counted = rows.slice(0, READ_CALLS);
  const isCut = rows.length > READ_CALLS;
  return { counted, since: (isCut ? counted.at(-1)?.created_at : bound?.created_at) ?? 0 };
}

const addTokens = (sums: SumsByKey, key: string, { prompt_tokens, cached_tokens }: CallTokens, more = {}): void =>
  addTo(sums, key, { prompt_tokens, cached_tokens, ...more });

/** Adds the tokens to the values that the sums have. Answers since when calls were looked at (Unix seconds); 0 where all were. */
export async function addCached(
  database: Database,
  filter: LogFilter,
  field: SummedField,
  sums: SumsByKey,
): Promise<number> {
  if (!asksFor(filter, LOG_TYPE.consumption)) return 0;
  const { counted, since } = await readAnswered(database, filter);
  for (const row of counted) {
    const key = String(row[SUMMED_FIELDS[field].rows]);
    if (sums.has(key)) addTokens(sums, key, tokensOf(row));
  }
  return since;
}

/** Adds the same calls by program, with what they cost: columns and roll-up do not know it. */
export async function addByClient(database: Database, filter: LogFilter, sums: SumsByKey): Promise<number> {
  if (!asksFor(filter, LOG_TYPE.consumption)) return 0;
  const { counted, since } = await readAnswered(database, filter);
  for (const row of counted) {
    const tokens = tokensOf(row);
    addTokens(sums, tokens.client, tokens, { calls: 1, quota: Number(row.quota) });
  }
  return since;
}
