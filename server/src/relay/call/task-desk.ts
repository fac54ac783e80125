/** What the relay needs of whoever keeps tasks; app.ts hands it in. */
import type { TaskPlatform } from "../../../../contract/src/tasks/task.ts";
import type { StoredTask, Submission, TaskEvent } from "../../tasks/kinds/kind.ts";

/** A task that is about to be handed to a channel. */
export interface NewTask {
  platform: TaskPlatform;
  submission: Submission;
  requestId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** Of a channel with several keys; else 0. */
  channelKeyId: number;
  /** What an upstream's notices are known by; empty where it sends none. */
  notifySecret: string;
  /** False where its row is there, and another channel is asked now. */
  isFirst: boolean;
}

/** Keeps tasks for all processes of a database. Methods reject where it does not answer. */
export interface TaskRepository {
  /** Writes the row before a channel is asked; for the next channel that is asked the same row. */
  begin(task: NewTask): Promise<void>;
  /** The upstream took it: the row has its id before anything is charged for it. */
  accepted(requestId: string, code: number, event: TaskEvent): Promise<void>;
  /** Its charge is with the ledger. */
  charged(requestId: string, quota: number): Promise<void>;
  /** No upstream took it; `words` are those of the last one, or empty. */
  refused(requestId: string, code: number, words: string): Promise<void>;
  /** The newest tasks of a user with these ids; those of others are not there. */
  find(userId: number, platform: TaskPlatform, taskIds: readonly string[]): Promise<StoredTask[]>;
  /** A user's tasks of one platform, newest first, from behind the one with the id `after` on. */
  list(userId: number, platform: TaskPlatform, page: TaskPage): Promise<StoredTask[]>;
  /** Everybody's tasks with this id, for who brings another proof that one of them may be seen. */
  withId(platform: TaskPlatform, taskId: string): Promise<StoredTask[]>;
  /** News of it are wanted at once. */
  wake(task: StoredTask): Promise<void>;
  /** News that an upstream brings itself. False for a secret that belongs to no such task. */
  notified(platform: TaskPlatform, secret: string, event: TaskEvent): Promise<boolean>;
  /** Its owner does not want to see it any more. */
  remove(task: StoredTask): Promise<void>;
  /** Where a picture of a drawing may be fetched by whoever is told of it; empty where there is none. */
  pictureUrl(task: StoredTask): string;
  /** True for a picture's address that this site gave. */
  isSigned(task: StoredTask, sign: string): boolean;
}

export interface TaskPage {
  limit: number;
  /** Id of the row; 0 for the first page. */
  afterRow: number;
  isAscending: boolean;
}
