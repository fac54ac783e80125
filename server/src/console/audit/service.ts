/** Rules of the audit trail: who sees what, and the job that deletes what is old. */
import {
  AUDIT_KINDS,
  type AuditChange,
  type AuditEntry,
  type AuditKind,
} from "../../../../contract/src/features/audit.ts";
import { type Act, mayDo } from "../../../../contract/src/permissions.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import type { Database } from "../../db/database.ts";
import { type Clock, nowSeconds } from "../../util/clock.ts";
import { parseJson } from "../../util/json-read.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { isRevertible } from "./revertible.ts";
import { type AuditFilter, type AuditReach, deleteOldEntries, findEntries, type StoredEntry } from "./store.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** What an administrator has to be permitted to read of each kind, as for the things themselves; `site` is the super administrator's. */
const ACTS: Readonly<Partial<Record<AuditKind, Act>>> = {
  option: ["options", "money"],
  price: ["options", "money"],
  channel: "channels_see",
  user: ["users", "money"],
  code: "money",
};

/** The entries that a person may see. */
export function reachOf({ user, role }: Pick<Session, "user" | "role">): AuditReach {
  if (isRoot(role)) return { kinds: AUDIT_KINDS, belowRole: Number.MAX_SAFE_INTEGER };
  const kinds = AUDIT_KINDS.filter((kind) => {
    const act = ACTS[kind];
    return act !== undefined && mayDo(user, act);
  });
  return { kinds, belowRole: role };
}

/** The changed fields of a stored entry. */
export const changesOf = ({ changes }: Pick<StoredEntry, "changes">): AuditChange[] =>
  // Written by recordTrail alone.
  (parseJson(changes) ?? []) as AuditChange[];

const viewOf = (row: StoredEntry, { user }: Pick<Session, "user">): AuditEntry => {
  const changes = changesOf(row);
  const kind = row.kind as AuditKind;
  return {
    id: row.id,
    created_time: row.created_time,
    actor: row.actor,
    actor_id: row.actor_id,
    kind,
    object: row.object_id,
    object_name: row.object_name,
    event: row.event,
    changes,
    can_revert: isRevertible({ event: row.event, changes }, user),
  };
};

/** One page of what the caller may see, newest first. */
export async function listAudit(
  { database }: Pick<ConsoleContext, "database">,
  session: Pick<Session, "user" | "role">,
  filter: AuditFilter,
  { p, page_size }: { p: number; page_size: number },
) {
  const page = { offset: (p - 1) * page_size, limit: page_size };
  const { rows, total } = await findEntries(database, reachOf(session), filter, page);
  return { items: rows.map((row) => viewOf(row, session)), total, page: p, page_size };
}

/** Deletes entries older than `days`, every hour. */
export const oldAuditJob = (database: Database, clock: Clock, days: () => number) => ({
  name: "old_audit_entries",
  everySeconds: HOUR_SECONDS,
  run: () => deleteOldEntries(database, nowSeconds(clock) - days() * DAY_SECONDS),
});
