/** Converts sums by hour and model to the chart's series: the largest models by name, all others as one. Pure. */
import type {
  MarginSums,
  ModelUsage,
  PayerUsage,
  UsageSeries,
  UsageSums,
} from "../../../../contract/src/features/dashboard.ts";
import { bucketOf } from "./buckets.ts";

/** Usage with what of it cost how much at the upstream. */
export interface CostedSums extends UsageSums, MarginSums {}

export interface HourSum extends CostedSums {
  hour: number;
  model: string;
}

const NOTHING: UsageSums = { requests: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };

const addSums = (a: UsageSums, b: UsageSums): UsageSums => ({
  requests: a.requests + b.requests,
  quota: a.quota + b.quota,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
});

const NO_COST: MarginSums = { quota: 0, costed_quota: 0, cost: 0 };

const addCosts = (a: MarginSums, b: MarginSums): MarginSums => ({
  quota: a.quota + b.quota,
  costed_quota: a.costed_quota + b.costed_quota,
  cost: a.cost + b.cost,
});

/** Charge and cost of all rows together. */
export const costsOf = (rows: readonly MarginSums[]): MarginSums => rows.reduce(addCosts, NO_COST);

/** Usage alone, which every user may see of their own. */
export const totalOf = (rows: readonly UsageSums[]): UsageSums => rows.reduce(addSums, NOTHING);

/** All sums of the roll-up. */
export const wholeOf = (rows: readonly CostedSums[]): CostedSums => ({ ...totalOf(rows), ...costsOf(rows) });

const byQuota = (a: UsageSums, b: UsageSums): number => b.quota - a.quota || b.requests - a.requests;

/** The greatest by quota, at most `limit`. */
export const greatest = <Row extends UsageSums & { id: number }>(rows: readonly Row[], limit: number): Row[] =>
  rows.toSorted((a, b) => byQuota(a, b) || a.id - b.id).slice(0, limit);

/** Those that are listed by name: the greatest, and a single other too, whose name takes no more room than "1 other". */
export const listedOf = <Row extends UsageSums & { id: number }>(rows: readonly Row[], limit: number): Row[] =>
  greatest(rows, rows.length === limit + 1 ? rows.length : limit);

/** Rows that `keyOf` gives one key become one row with their sums, at the place of the first. */
export function mergeBy<Row extends CostedSums>(rows: readonly Row[], keyOf: (row: Row) => number | string): Row[] {
  const merged = new Map<number | string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = merged.get(key);
    merged.set(key, known === undefined ? row : { ...known, ...addSums(known, row), ...addCosts(known, row) });
  }
  return [...merged.values()];
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

function emptyModel(model: string, modelCount: number, buckets: number): ModelUsage {
  const series = { quota: zeros(buckets), requests: zeros(buckets), tokens: zeros(buckets) };
  return { model, model_count: modelCount, ...NOTHING, series };
}

function addAt(list: number[], index: number, value: number): void {
  list[index] = (list[index] ?? 0) + value;
}

function addHour(into: ModelUsage, row: HourSum, bucket: number): void {
  Object.assign(into, addSums(into, row));
  addAt(into.series.quota, bucket, row.quota);
  addAt(into.series.requests, bucket, row.requests);
  addAt(into.series.tokens, bucket, row.prompt_tokens + row.completion_tokens);
}

/** Sums of all models in the buckets that `starts` begins. */
export function sumSeries(rows: readonly HourSum[], starts: readonly number[]): UsageSeries {
  const all = emptyModel("", 0, starts.length);
  for (const row of rows) addHour(all, row, bucketOf(starts, row.hour));
  return all.series;
}

const MEASURES: readonly ((sums: UsageSums) => number)[] = [
  ({ quota }) => quota,
  ({ requests }) => requests,
  ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens,
];

/**
 * A model's shares of spend, calls and tokens together: a cheap model that takes every second call is worth its name, and one with its
 * part in all three more than one that is a tenth of the calls and nothing else.
 */
function weightOf(sums: UsageSums, totals: UsageSums): number {
  return MEASURES.reduce((all, of) => all + (of(totals) === 0 ? 0 : of(sums) / of(totals)), 0);
}

/** Models by quota, at most `named` of them by name, those that weigh most; the sum of the rest is last, under the name "". */
export function modelSeries(rows: readonly HourSum[], starts: readonly number[], named: number): ModelUsage[] {
  const sums = new Map<string, UsageSums>();
  for (const row of rows) sums.set(row.model, addSums(sums.get(row.model) ?? NOTHING, row));
  const ranked = [...sums].toSorted(([nameA, a], [nameB, b]) => byQuota(a, b) || (nameA < nameB ? -1 : 1));
  const totals = totalOf(rows);
  const heaviest = ranked.toSorted(([, a], [, b]) => weightOf(b, totals) - weightOf(a, totals)).slice(0, named);
  const shown = ranked
    .filter((model) => heaviest.includes(model))
    .map(([model]) => emptyModel(model, 1, starts.length));
  const rest = emptyModel("", Math.max(0, ranked.length - named), starts.length);
  const byName = new Map(shown.map((usage) => [usage.model, usage]));
  for (const row of rows) addHour(byName.get(row.model) ?? rest, row, bucketOf(starts, row.hour));
  return rest.model_count === 0 ? shown : [...shown, rest];
}

/** The listed payers, and what the others have of `totals` as one more, so that the list adds up. */
export function withRest(listed: readonly PayerUsage[], totals: UsageSums, payerCount: number): PayerUsage[] {
  const others = payerCount - listed.length;
  if (others <= 0) return [...listed];
  const known = totalOf(listed);
  const rest: UsageSums = {
    requests: totals.requests - known.requests,
    quota: totals.quota - known.quota,
    prompt_tokens: totals.prompt_tokens - known.prompt_tokens,
    completion_tokens: totals.completion_tokens - known.completion_tokens,
  };
  return [...listed, { id: 0, name: "", payer_count: others, ...rest }];
}

/** A movement of a balance: Unix seconds and signed quota. */
export interface Adjustment {
  time: number;
  delta: number;
}

/**
 * The balance at the end of each bucket, gone back from what it is `now`: every movement after a bucket's end is taken off again.
 * `movements` are all since the first bucket, charges too.
 */
export function balanceSeries(now: number, movements: readonly Adjustment[], starts: readonly number[]): number[] {
  const changes = zeros(starts.length);
  for (const { time, delta } of movements) addAt(changes, bucketOf(starts, time), delta);
  const series = zeros(starts.length);
  let balance = now;
  for (let index = starts.length - 1; index >= 0; index--) {
    series[index] = balance;
    balance -= changes[index] ?? 0;
  }
  return series;
}
