/** Retention of the usage log: deletes rows that are older than LogRetentionDays, once a day and in rounds of bounded length. The ledger and the roll-ups stay. */
import { z } from "zod";
import { keyValueStore } from "../../db/key-value-store.ts";
import { wholePartitionsBefore } from "../../db/log-partitions.ts";
import { type Queries, affectedRows } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { recordTrail } from "../kit/audit-trail.ts";
import { isClearing } from "./clear.ts";
import { chunksOf, deleteGently } from "./gentle-delete.ts";
import { logPlaces } from "./store.ts";

type RetentionContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

const DAY_SECONDS = 86_400;
const EVERY_SECONDS = 15;
/** Of one round: a large backlog takes about half of the time, and half of that are pauses. */
const ROUND_MS = 8_000;
const PASS_FACT = "log_retention_pass";
/** Counts calls of an older version's log (jobs/call-hours-fill.ts): until it is 0, old rows are still to be counted. */
export const FILL_FACT = "call_hours_fill";
const ACTOR = { id: 0, username: "log retention" };

const passSchema = z.object({
  /** Rows older than this go; Unix seconds. */
  before: z.int(),
  /** LogRetentionDays when it began. */
  days: z.int(),
  deleted: z.int(),
  is_ended: z.boolean(),
});
type Pass = z.output<typeof passSchema>;

/** Thrown in a transaction, to undo it, where another process has written the pass since it was read. */
class PassTaken extends Error {}

/** Midnight by UTC, so that there is one pass a day: rows of `days` whole days and of the present one stay. */
const cutoffOf = (now: number, days: number): number => (Math.floor(now / DAY_SECONDS) - days) * DAY_SECONDS;

async function readPass({ database }: RetentionContext): Promise<Pass | undefined> {
  const value = await keyValueStore(database).read(PASS_FACT);
  return value === undefined ? undefined : passSchema.parse(JSON.parse(value));
}

/** Replaces the pass as it was read. Throws PassTaken where it is another by now. */
async function replacePass(queries: Queries, was: Pass, is: Pass): Promise<void> {
  const result = await queries
    .updateTable("facts")
    .set({ value: JSON.stringify(is) })
    .where("name", "=", PASS_FACT)
    .where("value", "=", JSON.stringify(was))
    .executeTakeFirstOrThrow();
  if (affectedRows(result) !== 1) throw new PassTaken();
}

/** The end of the pass and its entry in the audit trail are one transaction: of two processes one writes them, once. */
async function endPass({ database, clock }: RetentionContext, pass: Pass): Promise<Pass> {
  const { days, deleted: count } = pass;
  const ended = { ...pass, is_ended: true };
  await database.kysely.transaction().execute(async (transaction) => {
    await replacePass(transaction, pass, ended);
    if (count === 0) return;
    const event = { code: "logs_expired", values: { count, days } } as const;
    await recordTrail(transaction, { actor: ACTOR, event, detail: {}, now: nowSeconds(clock) });
  });
  return ended;
}

/** The pass of the present cutoff: the one under way, else a new one. Another one that is under way ends with what it deleted. */
async function beginPass(context: RetentionContext, days: number): Promise<Pass> {
  const before = cutoffOf(nowSeconds(context.clock), days);
  const fresh: Pass = { before, days, deleted: 0, is_ended: false };
  const stored = await readPass(context);
  if (stored === undefined) {
    const text = await keyValueStore(context.database).writeOnce(PASS_FACT, JSON.stringify(fresh));
    return passSchema.parse(JSON.parse(text));
  }
  if (stored.before === before) return stored;
  const last = stored.is_ended ? stored : await endPass(context, stored);
  await replacePass(context.database.kysely, last, fresh);
  return fresh;
}

/** Deletes for one round, or until the pass is at its end. */
async function runRound(context: RetentionContext, days: number, goesOn: () => boolean): Promise<void> {
  const { database, logger } = context;
  let pass = await beginPass(context, days);
  if (pass.is_ended) return;
  let isCut = false;
  for (const place of logPlaces(database)) {
    // Rows of a partition that is not over yet stay until it can be dropped whole.
    const before = await wholePartitionsBefore(place.rows, pass.before, days);
    // Counted in the transaction that deletes: a process that is killed leaves a count that is exact.
    const chunks = chunksOf(place, before, async (transaction, deleted) => {
      const next = { ...pass, deleted: pass.deleted + deleted };
      await replacePass(transaction, pass, next);
      pass = next;
    });
    await deleteGently(chunks, () => {
      isCut = !goesOn();
      return Promise.resolve(!isCut);
    });
    if (isCut) break;
  }
  if (isCut) return;
  await endPass(context, pass);
  logger.info({ deleted: pass.deleted, before: pass.before }, "log rows past their retention were deleted");
}

/** Where retention was switched off in the middle of a pass: what it deleted stays on record. */
async function endStarted(context: RetentionContext): Promise<void> {
  const stored = await readPass(context);
  if (stored?.is_ended === false) await endPass(context, stored);
}

async function hasWork(context: RetentionContext, days: number): Promise<boolean> {
  const pass = await readPass(context);
  if (days === 0) return pass?.is_ended === false;
  if (pass?.is_ended === true && pass.before === cutoffOf(nowSeconds(context.clock), days)) return false;
  const left = await keyValueStore(context.database).read(FILL_FACT);
  return Number(left ?? 0) === 0 && !(await isClearing(context));
}

/**
 * The job, in the process that has its lease. `days` as the option has it now, 0 to keep all rows.
 * @param roundMs the longest time that one run deletes, in milliseconds
 */
export const logRetentionJob = (context: RetentionContext, days: () => number, roundMs = ROUND_MS) => ({
  name: "log_retention",
  everySeconds: EVERY_SECONDS,
  hasWork: () => hasWork(context, days()),
  async run(signal?: AbortSignal): Promise<void> {
    const present = days();
    const end = performance.now() + roundMs;
    // A change of the option stops a round that is under way.
    const goesOn = () => signal?.aborted !== true && days() === present && performance.now() < end;
    try {
      await (present === 0 ? endStarted(context) : runRound(context, present, goesOn));
    } catch (error) {
      if (!(error instanceof PassTaken)) throw error;
      context.logger.warn("another process goes on with the retention of the log");
    }
  },
});
