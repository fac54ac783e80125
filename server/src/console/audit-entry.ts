/** The log row (type 3) of an administrator's act, as every feature writes it through billing.record. */
import { randomUUID } from "node:crypto";
import type { LogEntry } from "../billing/billing.ts";
import type { RequestFacts, Session } from "./handlers.ts";

export interface AuditFacts {
  session: Session;
  request: RequestFacts;
  /** Unix milliseconds. */
  now: number;
  /** One English sentence. */
  content: string;
  /** What changed; never a secret. */
  detail?: object;
}

export function auditEntry({ session, request, now, content, detail = {} }: AuditFacts): LogEntry {
  return {
    type: 3,
    requestId: randomUUID(),
    createdAt: Math.floor(now / 1000),
    userId: session.user.id,
    username: session.user.username,
    tokenId: 0,
    tokenName: "",
    channelId: 0,
    modelName: "",
    groupName: session.user.groupName,
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    useTimeMs: 0,
    firstTokenMs: 0,
    isStream: false,
    ip: request.ip,
    content,
    other: JSON.stringify({ admin_info: detail }),
  };
}
