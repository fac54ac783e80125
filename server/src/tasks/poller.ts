/** Asks upstreams how open tasks are doing, and ends the tasks that they were asked for in vain. Run by one process at a time; two do no harm. */
import { type TaskFailCode, isFinished } from "../../../contract/src/tasks/task.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { type AskChannel, type TaskContext, nowSeconds } from "./context.ts";
import type { Poll, StoredTask, TaskKind, TaskNews } from "./kinds/kind.ts";
import { kindOf } from "./kinds/registry.ts";
import { type Told, applyNews, failTask } from "./events.ts";
import { settleEnded } from "./refunds.ts";
import { type Postponement, dueTasks, postpone } from "./store.ts";
import { together } from "./concurrency.ts";
import { LIFE_SECONDS, MAX_PAUSE_SECONDS, POLL_SECONDS, pauseFor } from "./times.ts";

/** Rows that are read at once. */
const PAGE_ROWS = 500;
/** Groups, of one channel and key each, that are asked side by side; those that wait for a silent upstream count. */
const GROUPS_AT_ONCE = 32;
/** Questions side by side to one upstream, once it has answered the first: more of them, up to the second, the more are waiting. */
const QUESTIONS_AT_ONCE = { least: 16, most: 64 } as const;
/** So many rows of questions, one behind the other, are aimed at. */
const QUESTIONS_IN_ROW = 8;
/** After so many questions in a row without an answer the upstream is asked no more in this round. */
const SILENCES = 3;
const WRITES_AT_ONCE = 8;
/** How long a round may go on beginning questions: behind it the lease is looked at again. */
const ROUND_MS = 300_000;
/** Between two looks for what has become due while an upstream is waited for. */
const LOOK_MS = 1_000;

const questionsAtOnce = (waiting: number): number =>
  Math.min(Math.max(QUESTIONS_AT_ONCE.least, Math.ceil(waiting / QUESTIONS_IN_ROW)), QUESTIONS_AT_ONCE.most, waiting);

/** The channel with the key that a task was handed over with; undefined where the channel is gone. */
function channelOf({ snapshot }: TaskContext, task: StoredTask): SnapshotChannel | undefined {
  const channel = snapshot.channelById(task.channel_id);
  if (task.channel_key_id === 0) return channel;
  return channel?.keys?.members.find(({ ofKey }) => ofKey.id === task.channel_key_id) ?? channel;
}

/**
 * Seconds through which a task's upstream has been asked, of which so many were counted before this question: the pauses between questions,
 * and up to the longest pause by which this one came late. While no process of this site ran, it was not asked.
 */
function askedSeconds(counted: number, { next_poll_time }: StoredTask, now: number): number {
  if (counted === 0) return 0;
  return counted + Math.min(Math.max(0, now - next_poll_time), MAX_PAUSE_SECONDS);
}

/** What a question brought that changed nothing: whether the upstream said how the task is, and why the task has failed where it is given up. */
interface Outcome {
  isAnswered: boolean;
  code: TaskFailCode;
}

/**
 * True where a task is given up: it did not change through all of its kind's time, in which its upstream was asked in vain, or through
 * a day in which it was asked and said the same again and again.
 */
function isGivenUp(task: StoredTask, kind: TaskKind, now: number, { isAnswered }: Outcome): boolean {
  const limit = isAnswered ? LIFE_SECONDS : kind.silenceSeconds;
  const asked = askedSeconds(isAnswered ? task.asked_seconds : task.vain_seconds, task, now);
  if (asked < limit || now - task.updated_at < limit) return false;
  // One that waits for its owner, not for the upstream, may do so for a day.
  return task.status !== "MODAL" || now - task.created_at >= LIFE_SECONDS;
}

/** The columns of a task that is asked for again later. */
function postponed(task: StoredTask, now: number, { isAnswered }: Outcome): Postponement {
  const silent_polls = isAnswered ? 0 : task.silent_polls + 1;
  const pause = pauseFor(now - task.created_at, silent_polls);
  return {
    next_poll_time: now + pause,
    silent_polls,
    vain_seconds: isAnswered ? 0 : askedSeconds(task.vain_seconds, task, now) + pause,
    asked_seconds: askedSeconds(task.asked_seconds, task, now) + pause,
  };
}

/** Postpones tasks whose question changed nothing, ever longer where the upstream did not answer, or gives them up. */
async function wait(
  context: TaskContext,
  tasks: readonly StoredTask[],
  kind: TaskKind,
  outcome: Outcome,
): Promise<void> {
  const now = nowSeconds(context);
  const [over, open] = [[] as StoredTask[], [] as StoredTask[]];
  for (const task of tasks) (isGivenUp(task, kind, now, outcome) ? over : open).push(task);
  await together(over, WRITES_AT_ONCE, (task) => failTask(context, task, outcome.code));
  const alike = Map.groupBy(open, (task) => JSON.stringify(postponed(task, now, outcome)));
  for (const group of alike.values()) {
    const [first] = group;
    if (first !== undefined) await postpone(context, group, postponed(first, now, outcome));
  }
}

/** Tasks of one platform at one channel and key. */
interface Group {
  kind: TaskKind;
  channel: SnapshotChannel;
  tasks: readonly StoredTask[];
}

/** What is asked until the round ends: groups side by side, so that none waits for another's silent upstream. */
class Round {
  readonly #context: TaskContext;
  readonly #ask: AskChannel;
  readonly #signal: AbortSignal | undefined;
  readonly #endMs = performance.now() + ROUND_MS;
  /** The groups that are being asked, by their channel's id. */
  readonly #asking = new Map<Promise<void>, number>();
  /** `next_poll_time` of rows when they were last read: what nothing was written to is left to the next round. */
  readonly #read = new Map<number, number>();
  #fault: { error: unknown } | undefined;
  #count = 0;

  constructor(context: TaskContext, ask: AskChannel, signal?: AbortSignal) {
    this.#context = context;
    this.#ask = ask;
    this.#signal = signal;
  }

  get #mayBegin(): boolean {
    return this.#signal?.aborted !== true && this.#fault === undefined && performance.now() < this.#endMs;
  }

  /** Undefined where there was no answer. */
  async #answerTo(
    { kind, channel }: Group,
    poll: Poll,
  ): Promise<{ news: readonly TaskNews[] | undefined } | undefined> {
    const { logger } = this.#context;
    const { method, path, fields } = poll;
    const about = { channelId: channel.id, platform: kind.platform, tasks: poll.tasks.length };
    try {
      const question = { operation: kind.operation, model: poll.tasks[0]?.model ?? "", method, path };
      const { status, body } = await this.#ask(channel, fields === undefined ? question : { ...question, fields });
      const news = kind.news(poll, status, body);
      if (news === undefined) logger.warn({ ...about, status }, "an upstream did not say how its tasks are");
      return { news };
    } catch (error) {
      logger.warn({ ...about, err: error }, "an upstream could not be asked how its tasks are");
      return undefined;
    }
  }

  /** Asks one question and writes what came of it; false where there was no answer. */
  async #poll(group: Group, poll: Poll): Promise<boolean> {
    const context = this.#context;
    const { kind } = group;
    const answer = await this.#answerTo(group, poll);
    // A process that stops cuts its questions off: that says nothing of the upstream.
    if (this.#signal?.aborted === true) return true;
    if (answer?.news === undefined) {
      await wait(context, poll.tasks, kind, { isAnswered: false, code: "timed_out" });
      return answer !== undefined;
    }
    const byId = new Map(answer.news.map((each) => [each.taskId, each]));
    const [known, unknown] = [[] as Told[], [] as StoredTask[]];
    for (const task of poll.tasks) {
      const told = byId.get(task.task_id);
      if (told === undefined) unknown.push(task);
      else known.push({ task, news: told });
    }
    const unchanged = await applyNews(context, known);
    await wait(context, unchanged, kind, { isAnswered: true, code: "timed_out" });
    await wait(context, unknown, kind, { isAnswered: false, code: "lost_upstream" });
    return true;
  }

  /** Asks for a group's tasks: one question after the other until one is answered, then side by side. */
  async #askGroup(group: Group): Promise<void> {
    const polls = [...group.kind.polls(group.tasks)];
    let silences = 0;
    const next = async (): Promise<void> => {
      const poll = polls.shift();
      if (poll !== undefined) silences = (await this.#poll(group, poll)) ? 0 : silences + 1;
    };
    const mayGoOn = (): boolean => polls.length > 0 && silences < SILENCES && this.#mayBegin;
    do await next();
    while (mayGoOn() && silences > 0);
    const worker = async (): Promise<void> => {
      while (mayGoOn()) await next();
    };
    await Promise.all(Array.from({ length: questionsAtOnce(polls.length) }, worker));
    if (silences < SILENCES) return;
    const others = polls.flatMap(({ tasks }) => tasks);
    await wait(this.#context, others, group.kind, { isAnswered: false, code: "timed_out" });
  }

  /** Begins to ask for a group as soon as there is a place for it. */
  async #begin(group: Group): Promise<void> {
    while (this.#asking.size >= GROUPS_AT_ONCE) await Promise.race(this.#asking.keys());
    const asking = this.#askGroup(group)
      .catch((error: unknown) => void (this.#fault ??= { error }))
      .finally(() => this.#asking.delete(asking));
    this.#asking.set(asking, group.channel.id);
  }

  /** Rows whose end needs no upstream; gives the others. */
  async #withoutUpstream(tasks: readonly StoredTask[]): Promise<Group[]> {
    const context = this.#context;
    const now = nowSeconds(context);
    const open = new Map<string, { kind: TaskKind; channel: SnapshotChannel; tasks: StoredTask[] }>();
    await together(tasks, WRITES_AT_ONCE, async (task) => {
      const kind = kindOf(task.platform);
      if (isFinished(task.status)) return settleEnded(context, task);
      if (task.task_id === "") return failTask(context, task, "interrupted");
      if (kind === undefined) return postpone(context, [task], { next_poll_time: now + LIFE_SECONDS });
      const channel = channelOf(context, task);
      if (channel === undefined) return failTask(context, task, "channel_deleted");
      const key = `${task.platform} ${task.channel_id} ${task.channel_key_id}`;
      const group = open.get(key);
      if (group === undefined) open.set(key, { kind, channel, tasks: [task] });
      else group.tasks.push(task);
      return undefined;
    });
    return [...open.values()];
  }

  /** Rows that are due and were not left as they are by this round; none once it may begin nothing. */
  async #due(): Promise<StoredTask[]> {
    if (!this.#mayBegin) return [];
    const due = await dueTasks(this.#context, PAGE_ROWS, [...new Set(this.#asking.values())]);
    const fresh = due.filter(({ id, next_poll_time }) => this.#read.get(id) !== next_poll_time);
    for (const { id, next_poll_time } of fresh) this.#read.set(id, next_poll_time);
    return fresh;
  }

  /** Does what is due, and what becomes due while an upstream is waited for. Gives how many rows that were. */
  async run(): Promise<number> {
    for (;;) {
      const due = await this.#due();
      this.#count += due.length;
      for (const group of await this.#withoutUpstream(due)) await this.#begin(group);
      if (due.length > 0) continue;
      if (this.#asking.size === 0) break;
      const look = Promise.withResolvers<void>();
      const timer = setTimeout(look.resolve, LOOK_MS);
      await Promise.race([...this.#asking.keys(), look.promise]);
      clearTimeout(timer);
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    return this.#count;
  }

  /** Waits for the questions that are open. */
  async ended(): Promise<void> {
    await Promise.all(this.#asking.keys());
  }
}

/** The scheduled job, every `everySeconds`. `round` does what is due, and gives how many rows that were. */
export function taskPoller(context: TaskContext, ask: AskChannel, everySeconds = POLL_SECONDS) {
  const round = async (signal?: AbortSignal): Promise<number> => {
    const current = new Round(context, ask, signal);
    return current.run().finally(() => current.ended());
  };
  return {
    round,
    job: {
      name: "tasks",
      everySeconds,
      hasWork: async () => (await dueTasks(context, 1)).length > 0,
      run: async (signal?: AbortSignal) => void (await round(signal)),
    },
  };
}
