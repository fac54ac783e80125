/** Audit records: who acts in the console, and the log row (type 3) of an administrator's action, written alike by every feature. */
import { randomUUID } from "node:crypto";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import type { LogEntry } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { toSeconds } from "../../util/clock.ts";
import { type FieldChange, recordTrail } from "./audit-trail.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";

/** Who acts, and from where. */
export interface Actor {
  session: Session;
  request: RequestFacts;
  /** Name of the configuration that is being applied: it may change what it locks. */
  configuration?: string;
}

/** An actor who may have to confirm who they are. */
export interface ConfirmingActor extends Actor {
  /** Throws AppError step_up_required; an access token never gets past it. */
  requireStepUp(): void;
}

interface AuditInfo extends Actor {
  /** Unix milliseconds. */
  now: number;
  /** What was done. */
  event: LogEvent;
  /** What changed; never a secret. */
  detail?: object;
}

/** The row of an act, for billing.record. */
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

/** An event, with what `audit` takes beside it. */
export type Act = [event: LogEvent, detail?: object, changes?: readonly FieldChange[]];

/**
 * Enters an act into the administrators' log and the audit trail.
 * @param detail what changed, by field; never a secret. Everybody who may read the log of all users sees it
 * @param changes fields before and after for the trail alone, where the detail does not say them; never a secret
 */
export async function audit(
  { billing, clock, database }: Pick<ConsoleContext, "billing" | "clock" | "database">,
  { session, request }: Actor,
  event: LogEvent,
  detail: object = {},
  changes?: readonly FieldChange[],
): Promise<void> {
  const now = clock();
  await billing.record(auditEntry({ session, request, now, event, detail }));
  await recordTrail(database.kysely, { actor: session.user, event, detail, changes, now: toSeconds(now) });
}
