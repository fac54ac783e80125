/** Polls upstreams for events of open tasks, and gives up tasks that were polled in vain. Run by one process at a time; two do no harm. */
import { type TaskFailCode, isFinished } from "../../../contract/src/tasks.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { type TaskContext, LIFE_SECONDS, MAX_PAUSE_SECONDS, POLL_SECONDS, nowSeconds, pauseFor } from "./context.ts";
import type { Poll, StoredTask, TaskEvent, TaskKind, TaskOperation } from "./kinds/kind.ts";
import { kindOf } from "./kinds/registry.ts";
import { type ReceivedEvent, applyEvents, failTask } from "./events.ts";
import { settleEnded } from "./refunds.ts";
import { type Postponement, dueTasks, postpone } from "./store.ts";
import { forEachConcurrent } from "./concurrency.ts";

/** Rows that are read at once. */
const PAGE_ROWS = 500;
/** Groups, of one channel and key each, that are polled concurrently; those that wait for a silent upstream count. */
const GROUPS_AT_ONCE = 32;
/** Concurrent polls of one upstream, once it has answered the first: more of them, up to `most`, the more are waiting. */
const POLLS_AT_ONCE = { least: 16, most: 64 } as const;
/** The same of polls whose answers may have a result in them: what one process keeps of such answers at a time is bounded by it. */
const LARGE_POLLS_AT_ONCE = 2;
/** Polls that each of them should make, one after the other. */
const POLLS_IN_ROW = 8;
/** After so many polls in a row without an answer the upstream is polled no more in this round. */
const MAX_SILENCES = 3;
const WRITES_AT_ONCE = 8;
/** How long a round may begin polls: after it the lease is checked again. */
const ROUND_MS = 300_000;
/** Between two searches for tasks that became due while an upstream is waited for. */
const SEARCH_MS = 1_000;

function pollsAtOnce(polls: readonly Poll[]): number {
  const waiting = polls.length;
  if (polls.some(({ mostAnswerBytes }) => mostAnswerBytes !== undefined)) return Math.min(LARGE_POLLS_AT_ONCE, waiting);
  return Math.min(Math.max(POLLS_AT_ONCE.least, Math.ceil(waiting / POLLS_IN_ROW)), POLLS_AT_ONCE.most, waiting);
}

/** The channel with the key with which a task was submitted; undefined where the channel is gone. */
function channelOf({ snapshot }: TaskContext, task: StoredTask): SnapshotChannel | undefined {
  const channel = snapshot.channelById(task.channel_id);
  if (task.channel_key_id === 0) return channel;
  return channel?.keys?.members.find(({ ofKey }) => ofKey.id === task.channel_key_id) ?? channel;
}

/**
 * Seconds through which a task's upstream has been polled, of which `counted` were counted before this poll: the pauses between polls, and
 * up to the longest pause by which this one was late. Time in which no process of this site ran does not count.
 */
function askedSeconds(counted: number, { next_poll_time }: StoredTask, now: number): number {
  if (counted === 0) return 0;
  return counted + Math.min(Math.max(0, now - next_poll_time), MAX_PAUSE_SECONDS);
}

/** The outcome of a poll that changed nothing. */
interface Outcome {
  /** True where the upstream reported the task's state. */
  isAnswered: boolean;
  /** Why the task has failed, where it is given up. */
  code: TaskFailCode;
}

/**
 * True where a task is given up: it did not change through all of its kind's time, in which its upstream was polled in vain, or through
 * a day in which the upstream reported the same state again and again.
 */
function isGivenUp(task: StoredTask, kind: TaskKind, now: number, { isAnswered }: Outcome): boolean {
  const limit = isAnswered ? LIFE_SECONDS : kind.silenceSeconds;
  const asked = askedSeconds(isAnswered ? task.asked_seconds : task.vain_seconds, task, now);
  if (asked < limit || now - task.updated_at < limit) return false;
  // One that waits for its owner, not for the upstream, may do so for a day.
  return task.status !== "MODAL" || now - task.created_at >= LIFE_SECONDS;
}

/** The columns of a task that is polled again later. */
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

/** Postpones tasks whose poll changed nothing, ever longer where the upstream did not answer, or gives them up. */
async function postponeOrGiveUp(
  context: TaskContext,
  tasks: readonly StoredTask[],
  kind: TaskKind,
  outcome: Outcome,
): Promise<void> {
  const now = nowSeconds(context);
  const [over, open] = [[] as StoredTask[], [] as StoredTask[]];
  for (const task of tasks) (isGivenUp(task, kind, now, outcome) ? over : open).push(task);
  await forEachConcurrent(over, WRITES_AT_ONCE, (task) => failTask(context, task, outcome.code));
  const alike = Map.groupBy(open, (task) => JSON.stringify(postponed(task, now, outcome)));
  for (const group of alike.values()) {
    const [first] = group;
    if (first !== undefined) await postpone(context, group, postponed(first, now, outcome));
  }
}

/** An upstream's answer to a poll: the HTTP status, and the body where it is JSON. */
interface PollAnswer {
  status: number;
  body: unknown;
}

/** Polls a channel's upstream within 15 s. Rejects where there is no answer. */
export type AskChannel = (
  channel: SnapshotChannel,
  question: { operation: TaskOperation; model: string } & Pick<Poll, "method" | "path" | "fields" | "mostAnswerBytes">,
) => Promise<PollAnswer>;

/** Tasks of one platform at one channel and key. */
interface Group {
  kind: TaskKind;
  channel: SnapshotChannel;
  tasks: readonly StoredTask[];
}

/** One round: groups are polled concurrently, so that none waits for another's silent upstream. */
class Round {
  readonly #context: TaskContext;
  readonly #ask: AskChannel;
  readonly #signal: AbortSignal | undefined;
  readonly #endMs = performance.now() + ROUND_MS;
  /** The groups that are being polled, with their channel's id. */
  readonly #asking = new Map<Promise<void>, number>();
  /** `next_poll_time` of rows when they were last read: a row that was not written since is left to the next round. */
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
  ): Promise<{ events: readonly TaskEvent[] | undefined } | undefined> {
    const { logger } = this.#context;
    const { tasks, ...asked } = poll;
    const about = { channelId: channel.id, platform: kind.platform, tasks: tasks.length };
    try {
      const question = { operation: kind.operation, model: tasks[0]?.model ?? "", ...asked };
      const { status, body } = await this.#ask(channel, question);
      const events = kind.events(poll, status, body);
      if (events === undefined) logger.warn({ ...about, status }, "an upstream did not say how its tasks are");
      return { events };
    } catch (error) {
      logger.warn({ ...about, err: error }, "an upstream could not be asked how its tasks are");
      return undefined;
    }
  }

  /** Polls once and writes what came of it; false where there was no answer. */
  async #poll(group: Group, poll: Poll): Promise<boolean> {
    const context = this.#context;
    const { kind } = group;
    const answer = await this.#answerTo(group, poll);
    // A process that stops aborts its polls: that is no silence of the upstream.
    if (this.#signal?.aborted === true) return true;
    if (answer?.events === undefined) {
      await postponeOrGiveUp(context, poll.tasks, kind, { isAnswered: false, code: "timed_out" });
      return answer !== undefined;
    }
    const byId = new Map(answer.events.map((each) => [each.taskId, each]));
    const [known, unknown] = [[] as ReceivedEvent[], [] as StoredTask[]];
    for (const task of poll.tasks) {
      const event = byId.get(task.task_id);
      if (event === undefined) unknown.push(task);
      else known.push({ task, event });
    }
    const unchanged = await applyEvents(context, known);
    await postponeOrGiveUp(context, unchanged, kind, { isAnswered: true, code: "timed_out" });
    await postponeOrGiveUp(context, unknown, kind, { isAnswered: false, code: "lost_upstream" });
    return true;
  }

  /** Polls a group's tasks: one poll after the other until one is answered, then concurrently. */
  async #askGroup(group: Group): Promise<void> {
    const polls = [...group.kind.polls(group.tasks)];
    let silences = 0;
    const next = async (): Promise<void> => {
      const poll = polls.shift();
      if (poll !== undefined) silences = (await this.#poll(group, poll)) ? 0 : silences + 1;
    };
    const mayGoOn = (): boolean => polls.length > 0 && silences < MAX_SILENCES && this.#mayBegin;
    do await next();
    while (mayGoOn() && silences > 0);
    const worker = async (): Promise<void> => {
      while (mayGoOn()) await next();
    };
    await Promise.all(Array.from({ length: pollsAtOnce(polls) }, worker));
    if (silences < MAX_SILENCES) return;
    const others = polls.flatMap(({ tasks }) => tasks);
    await postponeOrGiveUp(this.#context, others, group.kind, { isAnswered: false, code: "timed_out" });
  }

  /** Begins to poll a group as soon as fewer than the limit are polled. */
  async #begin(group: Group): Promise<void> {
    while (this.#asking.size >= GROUPS_AT_ONCE) await Promise.race(this.#asking.keys());
    const asking = this.#askGroup(group)
      .catch((error: unknown) => void (this.#fault ??= { error }))
      .finally(() => this.#asking.delete(asking));
    this.#asking.set(asking, group.channel.id);
  }

  /** Ends the tasks that need no upstream for that; gives the others in groups. */
  async #withoutUpstream(tasks: readonly StoredTask[]): Promise<Group[]> {
    const context = this.#context;
    const now = nowSeconds(context);
    const open = new Map<string, { kind: TaskKind; channel: SnapshotChannel; tasks: StoredTask[] }>();
    await forEachConcurrent(tasks, WRITES_AT_ONCE, async (task) => {
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

  /** Rows that are due and that this round has not read before; none once it may begin nothing. */
  async #due(): Promise<StoredTask[]> {
    if (!this.#mayBegin) return [];
    const due = await dueTasks(this.#context, PAGE_ROWS, [...new Set(this.#asking.values())]);
    const fresh = due.filter(({ id, next_poll_time }) => this.#read.get(id) !== next_poll_time);
    for (const { id, next_poll_time } of fresh) this.#read.set(id, next_poll_time);
    return fresh;
  }

  /** Polls due tasks, and those that become due while an upstream is waited for. Gives the number of rows. */
  async run(): Promise<number> {
    for (;;) {
      const askedCount = this.#asking.size;
      const due = await this.#due();
      this.#count += due.length;
      for (const group of await this.#withoutUpstream(due)) await this.#begin(group);
      if (due.length > 0) continue;
      // The search passed over the rows of those that were being polled, also of one that has been answered by now.
      if (askedCount === 0) break;
      if (this.#asking.size === 0) continue;
      const searchAgain = Promise.withResolvers<void>();
      const timer = setTimeout(searchAgain.resolve, SEARCH_MS);
      await Promise.race([...this.#asking.keys(), searchAgain.promise]);
      clearTimeout(timer);
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    return this.#count;
  }

  /** Waits for the polls that are under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#asking.keys());
  }
}

/** The scheduled job, every `everySeconds`. `round` works off what is due, and gives the number of rows; it rejects where the database does not answer. */
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
