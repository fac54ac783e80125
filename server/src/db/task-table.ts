/** The table of tasks (images, songs, videos). A row is written before the request to its upstream, and stores the state of its charge. */
import type { Generated } from "kysely";

/** Times in milliseconds are 0 if unknown. */
export interface TaskTable {
  id: Generated<number>;
  /** Unix seconds. */
  created_at: number;
  /** Unix seconds of the last change. */
  updated_at: number;
  /** One of TASK_PLATFORMS (contract/tasks). */
  platform: string;
  action: string;
  /** Its id at the upstream, by which its owner requests it; empty until the upstream accepted it. */
  task_id: string;
  /** Request id of the submission, unique: also the id of its charge in the ledger. The refund's id is that of `refundEntry`. */
  request_id: string;
  user_id: number;
  token_id: number;
  channel_id: number;
  /** The key of a channel with several that owns the task; else 0. */
  channel_key_id: Generated<number>;
  /** The model's name for prices and channels. */
  model: string;
  /** The charged quota. */
  quota: number;
  /** One of TASK_CHARGES. */
  charge: string;
  /** `code` of the upstream's response to the submission; 0 if it was not accepted. */
  code: number;
  /** One of TASK_STATUSES. */
  status: string;
  /** Percent. */
  progress: number;
  prompt: string;
  /** URL of the resulting image, song or video; empty before. */
  result_url: string;
  /** One of TASK_FAIL_CODES, or empty if the upstream gives the reason. */
  fail_code: string;
  /** The upstream's own text. */
  fail_reason: string;
  submit_time_ms: number;
  start_time_ms: number;
  finish_time_ms: number;
  /** The address that is notified of each event; empty for none. */
  notify_url: string;
  /** HMAC of the secret in the upstream's notifications; empty if it sends none. */
  notify_hash: string;
  /** JSON: the parts of the request that its kind stores. */
  properties: string;
  /** JSON: the parts of the result that its kind stores; "null" if there is none. */
  data: string;
  /** Unix seconds of the next poll; 0 if nothing is left to do. */
  next_poll_time: number;
  /** Consecutive polls without an event. */
  silent_polls: number;
  /** Seconds of polling without an answer since the upstream's last report of the task: the sum of the pauses between polls. */
  vain_seconds: Generated<number>;
  /** Seconds of polling since the task's last change, with any answer. */
  asked_seconds: Generated<number>;
  /** Unix seconds when its owner deleted it: the API hides it from them. */
  deleted_at: number | null;
}
