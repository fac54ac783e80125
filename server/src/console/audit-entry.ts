/** The log row (type 3) of an administrator's act, as every feature writes it through billing.record. */
import { randomUUID } from "node:crypto";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import type { LogEntry } from "../billing/billing.ts";
import { BLANK_ENTRY } from "../billing/log-row.ts";
import type { LogEvent } from "../../../contract/src/log-events.ts";
import { toSeconds } from "../util/clock.ts";
import type { RequestFacts, Session } from "./http/handlers.ts";

export interface AuditInfo {
  session: Session;
  request: RequestFacts;
  /** Unix milliseconds. */
  now: number;
  /** What was done. */
  event: LogEvent;
  /** What changed; never a secret. */
  detail?: object;
}

export function auditEntry({ session, request, now, event, detail = {} }: AuditInfo): LogEntry {
  return {
    ...BLANK_ENTRY,
    type: LOG_TYPE.admin,
    requestId: randomUUID(),
    createdAt: toSeconds(now),
    userId: session.user.id,
    username: session.user.username,
    groupName: session.user.groupName,
    ip: request.ip,
    other: JSON.stringify({ event, admin_info: detail }),
  };
}
