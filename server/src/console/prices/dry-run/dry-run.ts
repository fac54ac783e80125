/** A dry run, from its draft to its lines: one at a time in a process, cancelled when its client disconnects. */
import { AppError } from "../../../../../contract/src/errors.ts";
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { DryRunLine, DryRunResult, PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import type { Database } from "../../../db/database.ts";
import { nowSeconds } from "../../../util/clock.ts";
import type { ConsoleContext } from "../../http/handlers.ts";
import type { Range } from "./pages.ts";
import { runningOut } from "./running-out.ts";
import { type Run, startRun } from "./runs.ts";
import type { ComparedTerms, Summary, SumsBy } from "./sums.ts";
import { draftTerms } from "./terms.ts";

type DryRunContext = Pick<ConsoleContext, "database" | "snapshot" | "clock" | "logger">;

const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3_600;
/** The interval of progress events. */
const PROGRESS_MS = 200;
/** How long a run waits for the previous one, whose client may just have disconnected. */
const TURN_MS = 5_000;

const busy = new WeakSet<Database>();

/** What is to be read, and how much it is: models and calls by the roll-up, which has each charge in the transaction that posts it. */
interface Plan {
  range: Range;
  models: readonly string[];
  total: number;
}

/** The last calls that a run is about. */
export interface LastDays {
  days: number;
  /** Where the first of them begins, in Unix seconds; `days` times 24 hours ago where undefined. */
  start?: number | undefined;
}

/** Days on which clocks are set back have an hour more. */
function beginningOf({ days, start }: LastDays, now: number): number {
  const from = now - days * SECONDS_PER_DAY;
  return start === undefined ? from : Math.min(Math.max(start, from - SECONDS_PER_HOUR), now);
}

/** The range begins with a whole hour, as the roll-up does. */
async function planOf({ database: { kysely }, clock }: DryRunContext, last: LastDays): Promise<Plan> {
  const to = nowSeconds(clock);
  const from = beginningOf(last, to);
  const hour = from - (from % SECONDS_PER_HOUR);
  // First the last charge, then the roll-up: each charge up to that one is in it.
  const newest = await kysely
    .selectFrom("ledger")
    .select(({ fn }) => fn.max("id").as("id"))
    .executeTakeFirst();
  const rows = await kysely
    .selectFrom("usage_hours")
    .select(({ fn }) => ["model", fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", hour)
    .groupBy("model")
    .execute();
  return {
    range: { from: hour, to, lastId: Number(newest?.id ?? 0) },
    models: rows.map(({ model }) => model),
    total: rows.reduce((sum, { requests }) => sum + Number(requests), 0),
  };
}

const named = ({ list }: SumsBy<string>) => list.map(([name, sums]) => ({ name, ...sums }));

function othersOf({ models, groups, users }: Summary): DryRunResult["others"] {
  const all = { models: models.others, groups: groups.others, users: users.others };
  return Object.fromEntries(Object.entries(all).filter(([, sums]) => sums !== undefined));
}

function resultOf(
  { snapshot }: DryRunContext,
  terms: ComparedTerms,
  { from, to }: Range,
  summary: Summary,
): Omit<DryRunResult, "running_out"> {
  const { totals, charged, freeCalls, models, groups, users, notes } = summary;
  return {
    kind: "result",
    from,
    to,
    totals,
    charged,
    free_calls: freeCalls,
    models: named(models).map((each) => ({ ...each, is_unpriced: terms.draft.priceOf(each.name) === undefined })),
    groups: named(groups),
    users: users.list.map(([id, sums]) => ({ id, name: snapshot.userById(id)?.username ?? "", ...sums })),
    others: othersOf(summary),
    notes,
  };
}

/** Waits for the run before this one, and takes its place. Throws AppError dry_run_running where that takes too long. */
async function* turn(database: Database): AsyncGenerator<DryRunLine | undefined> {
  for (let waitedMs = 0; busy.has(database); waitedMs += PROGRESS_MS) {
    if (waitedMs >= TURN_MS) throw new AppError("dry_run_running");
    await delay(PROGRESS_MS);
    yield undefined;
  }
  busy.add(database);
}

async function* progress(run: Run, total: number): AsyncGenerator<DryRunLine> {
  for (;;) {
    const isDone = await Promise.race([run.finished.then(() => true), delay(PROGRESS_MS, false)]);
    // Calls that are made meanwhile are in the total and not in the run.
    yield { kind: "progress", done: run.done, total: Math.max(total, run.done) };
    if (isDone) return;
  }
}

async function* linesOf(
  context: DryRunContext,
  terms: ComparedTerms,
  last: LastDays,
): AsyncGenerator<DryRunLine | undefined> {
  const { database } = context;
  yield* turn(database);
  let run: Run | undefined;
  try {
    const { range, models, total } = await planOf(context, last);
    yield { kind: "progress", done: 0, total };
    run = startRun(database, range, terms, models);
    yield* progress(run, total);
    const summary = await run.finished;
    yield { ...resultOf(context, terms, range, summary), running_out: await runningOut(context, summary, last.days) };
  } finally {
    await run?.stop();
    busy.delete(database);
  }
}

const lineText = (line: DryRunLine | undefined): string => (line === undefined ? "" : `${JSON.stringify(line)}\n`);

async function* textOf(context: DryRunContext, terms: ComparedTerms, last: LastDays): AsyncGenerator<string> {
  try {
    for await (const line of linesOf(context, terms, last)) yield lineText(line);
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    if (code === "internal") context.logger.error({ err: error }, "a dry run of prices failed");
    yield lineText({ kind: "failure", code });
  }
}

const comparedTerms = (options: OptionValues, draft: PriceDraft, before: PriceDraft = {}): ComparedTerms => ({
  draft: draftTerms(options, draft),
  current: draftTerms(options, before),
});

/**
 * The result of the same run without its progress, of one draft beside another. Undefined where `signal` aborts first. Throws AppError as
 * `dryRun`, and dry_run_running where the run before takes too long.
 */
export async function dryRunResult(
  context: DryRunContext,
  { before, after, days }: { before: PriceDraft; after: PriceDraft; days: number },
  signal?: AbortSignal,
): Promise<DryRunResult | undefined> {
  for await (const line of linesOf(context, comparedTerms(context.snapshot.options, after, before), { days })) {
    if (line?.kind === "result") return line;
    if (signal?.aborted === true) return undefined;
  }
  throw new Error("A dry run ended without a result");
}

/**
 * Lines of a dry run of the `last` days under a draft. Throws AppError, naming the option, where the draft could not be saved; what fails
 * later is the last line.
 */
export const dryRun = (context: DryRunContext, draft: PriceDraft, last: LastDays): AsyncGenerator<string> =>
  textOf(context, comparedTerms(context.snapshot.options, draft), last);
