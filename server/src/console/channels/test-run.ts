/** The test of all channels in the background: one run at a time over all processes, its progress readable in each of them. */
import { randomUUID } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import type { TestProgress } from "../../../../contract/src/features/channels.ts";
import { CHANNEL_STATUS, testProgress } from "../../../../contract/src/features/channels.ts";
import { disableReason } from "../../channels/auto-disable.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows, insertOrIgnore, upsert } from "../../db/portable.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ConsoleContext } from "../handlers.ts";
import type { ChannelTestResult } from "../relay-tools.ts";
import { autoDisable, autoEnable } from "./status.ts";
import type { Tester } from "./tests.ts";
import { isTestable, runTest, TEST_TIMEOUT_MS } from "./tests.ts";

const LEASE = "channel_test";
const FACT = "channel_test_progress";
/** Channels tested at the same time. */
const PARALLEL = 3;
/** A run that was not heard of for this long is dead, and another may begin. */
const LEASE_SECONDS = (TEST_TIMEOUT_MS / 1000) * 2;

const NEVER_RUN: TestProgress = Object.freeze({
  running: false,
  done: 0,
  total: 0,
  failed: 0,
  disabled: 0,
  enabled: 0,
  started_time: 0,
  finished_time: 0,
});

const secondsOf = (context: ConsoleContext): number => Math.floor(context.clock() / 1000);

/** Takes the lease where nobody living has it: one insert or one conditional update, so of two only one gets it. */
async function takeLease(database: Database, holder: string, now: number): Promise<boolean> {
  const row = { name: LEASE, holder, expires_time: now + LEASE_SECONDS };
  if (await insertOrIgnore(database, database.kysely, "leases", row)) return true;
  const { name: _name, ...change } = row;
  const dead = database.kysely
    .updateTable("leases")
    .set(change)
    .where("name", "=", LEASE)
    .where("expires_time", "<=", now);
  return affectedRows(await dead.executeTakeFirstOrThrow()) === 1;
}

/** Keeps the lease for a running test, or with `expiresTime` 0 gives it back. */
async function setLease(database: Database, holder: string, expiresTime: number): Promise<void> {
  const own = database.kysely.updateTable("leases").set({ expires_time: expiresTime });
  await own.where("name", "=", LEASE).where("holder", "=", holder).execute();
}

async function writeProgress(database: Database, progress: TestProgress): Promise<void> {
  const value = JSON.stringify(progress);
  await upsert(database, database.kysely, "facts", { name: FACT, value }, ["name"], { value });
}

/** How far the running test is, or how the last one ended; `running` is false for one whose process died. */
export async function readProgress(context: Pick<ConsoleContext, "database" | "clock">): Promise<TestProgress> {
  const { kysely } = context.database;
  const [fact, lease] = await Promise.all([
    kysely.selectFrom("facts").select("value").where("name", "=", FACT).executeTakeFirst(),
    kysely.selectFrom("leases").select("expires_time").where("name", "=", LEASE).executeTakeFirst(),
  ]);
  if (fact === undefined) return NEVER_RUN;
  const progress = testProgress.parse(JSON.parse(fact.value));
  const isAlive = (lease?.expires_time ?? 0) > Math.floor(context.clock() / 1000);
  return { ...progress, running: progress.running && isAlive };
}

/** Writes the counters one after the other, so that an older count never overwrites a newer one. */
class Run {
  readonly holder = randomUUID();
  readonly #context: ConsoleContext;
  #progress: TestProgress;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: ConsoleContext, total: number) {
    this.#context = context;
    this.#progress = { ...NEVER_RUN, running: true, total, started_time: secondsOf(context) };
  }

  /** Adds to the counters and keeps the lease. */
  count(added: Partial<Record<"done" | "failed" | "disabled" | "enabled", number>>): Promise<void> {
    const { done = 0, failed = 0, disabled = 0, enabled = 0 } = added;
    const before = this.#progress;
    this.#progress = {
      ...before,
      done: before.done + done,
      failed: before.failed + failed,
      disabled: before.disabled + disabled,
      enabled: before.enabled + enabled,
    };
    return this.#write();
  }

  finish(): Promise<void> {
    this.#progress = { ...this.#progress, running: false, finished_time: secondsOf(this.#context) };
    return this.#write();
  }

  #write(): Promise<void> {
    const progress = this.#progress;
    const { database } = this.#context;
    this.#writing = this.#writing.then(async () => {
      await writeProgress(database, progress);
      if (progress.running) await setLease(database, this.holder, secondsOf(this.#context) + LEASE_SECONDS);
    });
    return this.#writing;
  }
}

/** Why a test should switch its channel off, or undefined: what the upstream said, or that it took too long. */
export function reasonToDisable(
  channel: Pick<SnapshotChannel, "status" | "type" | "autoBan">,
  result: ChannelTestResult,
  options: Pick<
    ConsoleContext["snapshot"]["options"],
    "AutomaticDisableChannelEnabled" | "AutomaticDisableKeywords" | "ChannelDisableThreshold"
  >,
): string | undefined {
  if (channel.status !== CHANNEL_STATUS.enabled) return undefined;
  if (result.failure !== undefined) return disableReason(result.failure, channel, options);
  const limitSeconds = Number(options.ChannelDisableThreshold);
  const isSlow = limitSeconds > 0 && result.durationMs > limitSeconds * 1000;
  if (!isSlow || !channel.autoBan || !options.AutomaticDisableChannelEnabled) return undefined;
  return `response time ${(result.durationMs / 1000).toFixed(1)} s exceeds ${limitSeconds} s`;
}

async function testOne(context: ConsoleContext, tester: Tester, run: Run, channel: SnapshotChannel): Promise<void> {
  const result = await runTest(context, tester, channel, "");
  const { options } = context.snapshot;
  const reason = reasonToDisable(channel, result, options);
  const hasRecovered =
    result.isSuccess && channel.status === CHANNEL_STATUS.autoDisabled && options.AutomaticEnableChannelEnabled;
  const disabled = reason !== undefined && (await autoDisable(context, channel.id, reason)) ? 1 : 0;
  const enabled = hasRecovered && (await autoEnable(context, channel.id)) ? 1 : 0;
  await run.count({ done: 1, failed: result.isSuccess ? 0 : 1, disabled, enabled });
}

async function testAll(
  context: ConsoleContext,
  tester: Tester,
  run: Run,
  channels: readonly SnapshotChannel[],
): Promise<void> {
  const waiting = [...channels];
  const work = async () => {
    for (let channel = waiting.shift(); channel !== undefined; channel = waiting.shift()) {
      await testOne(context, tester, run, channel);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/**
 * Starts a test of every channel that can be tested, whatever its status, and returns at once; `finished` settles with its end and
 * never rejects. Throws channel_test_running while one is under way in any process.
 */
export async function startTestOfAll(context: ConsoleContext, tester: Tester): Promise<{ finished: Promise<void> }> {
  await context.snapshot.refresh();
  const channels = context.snapshot.channels().filter((channel) => isTestable(context, channel));
  const run = new Run(context, channels.length);
  const hasLease = await takeLease(context.database, run.holder, secondsOf(context));
  if (!hasLease) throw new AppError("channel_test_running");
  await run.count({});
  const end = async () => {
    await run.finish();
    await setLease(context.database, run.holder, 0);
  };
  const report = (error: unknown) => context.logger.error({ err: error }, "test of all channels ended early");
  return { finished: testAll(context, tester, run, channels).catch(report).then(end).catch(report) };
}
