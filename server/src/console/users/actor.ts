/** The administrator who acts on a user, and the audit row of each act. */
import type { LogEvent } from "../../../../contract/src/log-events.ts";
import { auditEntry } from "../audit-entry.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";

export type PeopleContext = Pick<ConsoleContext, "database" | "snapshot" | "billing" | "secrets" | "clock" | "logger">;

export interface Actor {
  session: Session;
  request: RequestFacts;
  /** Throws AppError step_up_required; an access token never gets past it. */
  requireStepUp(): void;
}

/** @param detail what was before and what is now, by field; never a secret */
export function auditAct(context: PeopleContext, actor: Actor, event: LogEvent, detail: object = {}): Promise<void> {
  return context.billing.record(auditEntry({ ...actor, now: context.clock(), event, detail }));
}
