/** Asks upstreams for news of open tasks, and ends what nobody will hear of again. Run by one process at a time; two do no harm. */
import { type TaskFailCode, isFinished } from "../../../contract/src/tasks/task.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { type AskChannel, type TaskContext, nowSeconds } from "./context.ts";
import type { Poll, StoredTask, TaskKind, TaskNews } from "./kinds/kind.ts";
import { kindOf } from "./kinds/registry.ts";
import { type Told, applyNews, failTask } from "./news.ts";
import { settleEnded } from "./refund.ts";
import { dueTasks, postpone } from "./store.ts";
import { together } from "./together.ts";
import { LIFE_SECONDS, POLL_SECONDS, pauseFor } from "./times.ts";

/** Rows of one round. */
const ROUND = 500;
/** Channels that are asked side by side, so that a slow one holds up few others. */
const CHANNELS_AT_ONCE = 16;
const WRITES_AT_ONCE = 8;

/** The channel with the key that a task was handed over with; undefined where the channel is gone. */
function channelOf({ snapshot }: TaskContext, task: StoredTask): SnapshotChannel | undefined {
  const channel = snapshot.channelById(task.channel_id);
  if (task.channel_key_id === 0) return channel;
  return channel?.keys?.members.find(({ ofKey }) => ofKey.id === task.channel_key_id) ?? channel;
}

/** True where a task is given up: its kind has been silent for too long, or it is older than any may be. */
function isGivenUp(task: StoredTask, kind: TaskKind, now: number): boolean {
  if (now - task.created_at >= LIFE_SECONDS) return true;
  // It waits for its owner, not for the upstream.
  return task.status !== "MODAL" && now - task.updated_at >= kind.silenceSeconds;
}

/** Rows of which there was nothing new are asked for again, those that nobody answered for ever later; or given up. */
async function wait(
  context: TaskContext,
  tasks: readonly StoredTask[],
  kind: TaskKind,
  { isAnswered, code }: { isAnswered: boolean; code: TaskFailCode },
): Promise<void> {
  const now = nowSeconds(context);
  const [over, open] = [[] as StoredTask[], [] as StoredTask[]];
  for (const task of tasks) (isGivenUp(task, kind, now) ? over : open).push(task);
  await together(over, WRITES_AT_ONCE, (task) => failTask(context, task, code));
  const silentOf = (task: StoredTask): number => (isAnswered ? 0 : task.silent_polls + 1);
  const alike = Map.groupBy(open, (task) => `${pauseFor(now - task.created_at, silentOf(task))} ${silentOf(task)}`);
  for (const [key, group] of alike) {
    const [pause = 0, silent_polls = 0] = key.split(" ").map(Number);
    await postpone(context, group, { next_poll_time: now + pause, silent_polls });
  }
}

class Poller {
  readonly #context: TaskContext;
  readonly #ask: AskChannel;

  constructor(context: TaskContext, ask: AskChannel) {
    this.#context = context;
    this.#ask = ask;
  }

  /** Undefined where there was no answer, or one that says nothing of tasks; the log has what it was. */
  async #answerTo(kind: TaskKind, channel: SnapshotChannel, poll: Poll): Promise<readonly TaskNews[] | undefined> {
    const { logger } = this.#context;
    const { operation } = kind;
    const { method, path, fields } = poll;
    const about = { channelId: channel.id, platform: kind.platform, tasks: poll.tasks.length };
    try {
      const question = { operation, model: poll.tasks[0]?.model ?? "", method, path };
      const { status, body } = await this.#ask(channel, fields === undefined ? question : { ...question, fields });
      const news = kind.news(poll, status, body);
      if (news === undefined) logger.warn({ ...about, status }, "an upstream did not say how its tasks are");
      return news;
    } catch (error) {
      logger.warn({ ...about, err: error }, "an upstream could not be asked how its tasks are");
      return undefined;
    }
  }

  async #poll(kind: TaskKind, channel: SnapshotChannel, poll: Poll): Promise<void> {
    const context = this.#context;
    const news = await this.#answerTo(kind, channel, poll);
    if (news === undefined) return wait(context, poll.tasks, kind, { isAnswered: false, code: "timed_out" });
    const byId = new Map(news.map((each) => [each.taskId, each]));
    const [known, unknown] = [[] as Told[], [] as StoredTask[]];
    for (const task of poll.tasks) {
      const told = byId.get(task.task_id);
      if (told === undefined) unknown.push(task);
      else known.push({ task, news: told });
    }
    const unchanged = await applyNews(context, known);
    await wait(context, unchanged, kind, { isAnswered: true, code: "timed_out" });
    await wait(context, unknown, kind, { isAnswered: false, code: "lost_upstream" });
  }

  /** Tasks of one platform at one channel and key. */
  async #ofChannel(kind: TaskKind, tasks: readonly StoredTask[]): Promise<void> {
    const [first] = tasks;
    const channel = first === undefined ? undefined : channelOf(this.#context, first);
    if (channel === undefined)
      return together(tasks, WRITES_AT_ONCE, (task) => failTask(this.#context, task, "channel_deleted"));
    for (const poll of kind.polls(tasks)) await this.#poll(kind, channel, poll);
  }

  /** Rows whose end needs no upstream; gives the others. */
  async #withoutUpstream(tasks: readonly StoredTask[]): Promise<StoredTask[]> {
    const now = nowSeconds(this.#context);
    const open: StoredTask[] = [];
    await together(tasks, WRITES_AT_ONCE, async (task) => {
      const kind = kindOf(task.platform);
      if (isFinished(task.status)) await settleEnded(this.#context, task);
      else if (task.task_id === "") await failTask(this.#context, task, "interrupted");
      else if (kind === undefined) await postpone(this.#context, [task], { next_poll_time: now + LIFE_SECONDS });
      else open.push(task);
    });
    return open;
  }

  async round(): Promise<number> {
    const due = await dueTasks(this.#context, ROUND);
    const open = await this.#withoutUpstream(due);
    const groups = Map.groupBy(open, (task) => `${task.platform} ${task.channel_id} ${task.channel_key_id}`);
    await together([...groups.values()], CHANNELS_AT_ONCE, (tasks) => {
      const kind = kindOf(tasks[0]?.platform ?? "");
      return kind === undefined ? Promise.resolve() : this.#ofChannel(kind, tasks);
    });
    return due.length;
  }
}

/** The scheduled job, every `everySeconds`. `round` does what is due once, and gives how many rows that were. */
export function taskPoller(context: TaskContext, ask: AskChannel, everySeconds = POLL_SECONDS) {
  const poller = new Poller(context, ask);
  return {
    round: () => poller.round(),
    job: {
      name: "tasks",
      everySeconds,
      hasWork: async () => (await dueTasks(context, 1)).length > 0,
      run: async () => void (await poller.round()),
    },
  };
}
