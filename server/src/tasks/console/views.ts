/** What drawings, songs and videos have in common when a browser reads them, and how clients send what they want to see. */
import type { StoredTask } from "./store.ts";

/** JSON as it was stored; what another program stored as something else is its text, and nothing is null. */
export function parsed(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The fields that every kind has, as clients of this API family know them. */
export const commonView = (row: StoredTask) => ({
  id: row.id,
  request_id: row.request_id,
  user_id: row.user_id,
  created_at: row.created_at,
  action: row.action,
  model: row.model,
  status: row.status,
  progress: `${row.progress}%`,
  fail_code: row.fail_code,
  fail_reason: row.fail_reason,
  quota: row.quota,
  charge: row.charge,
});

/** The part of a query that both logs have; 0 is no channel, and all of them to clients of this API family. */
export interface SentTaskQuery {
  p: number;
  page_size: number;
  username?: string | undefined;
  channel_id?: number | undefined;
  request_id?: string | undefined;
  action?: string | undefined;
  status?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
}

export const filterOf = (sent: SentTaskQuery) => ({
  username: sent.username,
  channelId: sent.channel_id === 0 ? undefined : sent.channel_id,
  requestId: sent.request_id,
  action: sent.action,
  status: sent.status,
  startMs: sent.start_timestamp,
  endMs: sent.end_timestamp,
});

export const pagingOf = ({ p, page_size }: SentTaskQuery) => ({ page: p, pageSize: page_size });
