/** The table of tasks (images, songs, videos). A row is written before the request to its upstream, and stores the state of its charge. */
import type { Generated } from "kysely";

/** Times in milliseconds are 0 where they are not known. */
export interface TaskTable {
  id: Generated<number>;
  /** Unix seconds. */
  created_at: number;
  /** Unix seconds of the last change. */
  updated_at: number;
  /** One of TASK_PLATFORMS (contract/tasks). */
  platform: string;
  action: string;
  /** Its id at the upstream, by which its owner asks for it; empty until that took it. */
  task_id: string;
  /** Of the call that asked for it, unique: also the entry of its charge in the ledger. Its refund has that of `refundEntry`. */
  request_id: string;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** Of a channel with several keys, whose the task is; else 0. */
  channel_key_id: Generated<number>;
  /** As prices and channels know it. */
  model: string;
  /** What it was charged. */
  quota: number;
  /** One of TASK_CHARGES. */
  charge: string;
  /** `code` of the upstream's answer to the submission; 0 where it was not taken. */
  code: number;
  /** One of TASK_STATUSES. */
  status: string;
  /** Percent. */
  progress: number;
  prompt: string;
  /** Of the picture, song or video that came of it; empty before. */
  result_url: string;
  /** One of TASK_FAIL_CODES, or empty where the upstream says why. */
  fail_code: string;
  /** The upstream's own words. */
  fail_reason: string;
  submit_time_ms: number;
  start_time_ms: number;
  finish_time_ms: number;
  /** The address that is notified of each event; empty for none. */
  notify_url: string;
  /** HMAC of what the upstream's notifications are known by; empty where it sends none. */
  notify_hash: string;
  /** JSON: what its kind keeps of the request. */
  properties: string;
  /** JSON: what its kind keeps of the result; "null" where there is none. */
  data: string;
  /** Unix seconds when the upstream is polled next; 0 once nothing is left to do. */
  next_poll_time: number;
  /** Polls in a row that brought no event of it. */
  silent_polls: number;
  /** Seconds through which the upstream has been asked in vain, since it last said how the task is: the pauses between questions. */
  vain_seconds: Generated<number>;
  /** Seconds through which it has been asked since the task's last change, whatever it said. */
  asked_seconds: Generated<number>;
  /** Unix seconds when its owner deleted it: their API does not show it any more. */
  deleted_at: number | null;
}
