/** Queries of the audit trail: pages that the reader may see, one entry, and deletion of old ones. */
import type { ExpressionBuilder, Selectable } from "kysely";
import { AUDIT_ENTRIES_MAX, type AuditKind } from "../../../../contract/src/features/audit.ts";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";
import type { AuditEntryTable } from "../../db/user-tables.ts";

export type StoredEntry = Selectable<AuditEntryTable>;

/** The entries that a reader may see. */
export interface AuditReach {
  kinds: readonly AuditKind[];
  /** Entries about users are of people below this role. */
  belowRole: number;
}

export interface AuditFilter {
  kind?: string | undefined;
  object?: string | undefined;
  actor?: string | undefined;
  /** Unix seconds, inclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

type Entries = ExpressionBuilder<Schema, "audit_entries">;

const isBelow = (entry: Entries, belowRole: number) =>
  entry.or([
    entry("kind", "!=", "user"),
    entry.exists(
      entry
        .selectFrom("users")
        .select("users.id")
        .whereRef("users.id", "=", "audit_entries.user_id")
        .where("users.role", "<", belowRole),
    ),
  ]);

function visible({ kysely }: Database, { kinds, belowRole }: AuditReach) {
  // A list without anything is no SQL.
  const listed = kinds.length === 0 ? [""] : [...kinds];
  return kysely
    .selectFrom("audit_entries")
    .where("kind", "in", listed)
    .where((entry) => isBelow(entry, belowRole));
}

function filtered(database: Database, reach: AuditReach, { kind, object, actor, from, to }: AuditFilter) {
  let entries = visible(database, reach);
  if (kind !== undefined) entries = entries.where("kind", "=", kind);
  if (object !== undefined) entries = entries.where("object_id", "=", object);
  if (actor !== undefined) entries = entries.where("actor", "=", actor);
  if (from !== undefined) entries = entries.where("created_time", ">=", from);
  return to === undefined ? entries : entries.where("created_time", "<=", to);
}

/** One page, newest first, and how many there are. */
export async function findEntries(
  database: Database,
  reach: AuditReach,
  filter: AuditFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: StoredEntry[]; total: number }> {
  const entries = filtered(database, reach, filter);
  const [rows, counted] = await Promise.all([
    entries.selectAll().orderBy("id", "desc").offset(page.offset).limit(page.limit).execute(),
    entries.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(counted.total) };
}

/** One entry, where the reader may see it. */
export const findEntry = (database: Database, reach: AuditReach, id: number): Promise<StoredEntry | undefined> =>
  visible(database, reach).selectAll().where("id", "=", id).executeTakeFirst();

/** Deletes entries from before `oldest` (Unix seconds), and the oldest beyond the most that are stored. */
export async function deleteOldEntries({ kysely }: Pick<Database, "kysely">, oldest: number): Promise<void> {
  await kysely.deleteFrom("audit_entries").where("created_time", "<", oldest).execute();
  const last = await kysely
    .selectFrom("audit_entries")
    .select("id")
    .orderBy("id", "desc")
    .offset(AUDIT_ENTRIES_MAX)
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) await kysely.deleteFrom("audit_entries").where("id", "<=", last.id).execute();
}
