/** What the parts of the tasks share; app.ts hands it in. */
import type { Billing } from "../billing/billing.ts";
import type { Database } from "../db/database.ts";
import type { Secrets } from "../db/secrets.ts";
import type { PostToPublic } from "../notify/webhook.ts";
import type { Snapshot, SnapshotChannel } from "../snapshot/snapshot.ts";
import type { Poll, TaskOperation } from "./kinds/kind.ts";
import type { BoundedQueue } from "./concurrency.ts";

interface TaskLogger {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export interface TaskContext {
  database: Database;
  billing: Billing;
  snapshot: Snapshot;
  secrets: Secrets;
  logger: TaskLogger;
  /** Unix milliseconds. */
  clock(): number;
  /** Sends to addresses that users name, and to public ones alone. */
  post: PostToPublic;
  /** Where messages to those addresses wait. */
  notices: BoundedQueue;
}

/** What gives money back. */
export type RefundContext = Pick<TaskContext, "database" | "billing" | "snapshot" | "clock">;

/** An upstream's answer to a question: HTTP's status, and the body where it is JSON. */
export interface PollAnswer {
  status: number;
  body: unknown;
}

/** Asks a channel's upstream within 15 s. Rejects where there is no answer. */
export type AskChannel = (
  channel: SnapshotChannel,
  question: { operation: TaskOperation; model: string } & Pick<Poll, "method" | "path" | "fields">,
) => Promise<PollAnswer>;

export const nowSeconds = ({ clock }: Pick<TaskContext, "clock">): number => Math.floor(clock() / 1000);
