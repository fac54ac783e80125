/** Several identity providers made, changed and deleted in one transaction, each by the rules of its form, all of them or none. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import { insertReturningId, isUniqueViolation } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { Actor } from "../kit/audit.ts";
import { auditProvider, checkedChange, checkedProvider, refuseNeeded, type SentProvider } from "./named.ts";
import { type ProviderRow, removeRow } from "./named-store.ts";

export interface SeveralProviders {
  creates: readonly (SentProvider & { slug: string })[];
  updates: readonly { row: ProviderRow; sent: SentProvider }[];
  deletes: readonly ProviderRow[];
}

type Checked = Awaited<ReturnType<typeof checkAll>>;

/** Everything that has to be looked up, before the lock is taken. */
async function checkAll(context: ConsoleContext, { creates, updates, deletes }: SeveralProviders) {
  const created = [];
  for (const sent of creates) created.push(await checkedProvider(context, sent));
  const changed = [];
  for (const { row, sent } of updates) changed.push({ row, change: await checkedChange(context, row, sent) });
  for (const row of deletes) await refuseNeeded(context, row);
  return { created, changed };
}

async function write(
  { database }: ConsoleContext,
  transaction: Transaction<Schema>,
  { created, changed }: Checked,
  deletes: readonly ProviderRow[],
): Promise<ProviderRow[]> {
  const rows: ProviderRow[] = [];
  for (const row of created)
    rows.push({ ...row, id: await insertReturningId(database, transaction, "identity_providers", row) });
  for (const { row, change } of changed)
    await transaction.updateTable("identity_providers").set(change).where("id", "=", row.id).execute();
  for (const row of deletes) await removeRow(transaction, row);
  return rows;
}

/**
 * Writes them, once `confirm` has agreed under the lock of all who apply configurations, and then `alongside` with the new rows. What either
 * throws, or a provider is refused for, undoes everything. Throws what createProvider, updateProvider and deleteProvider throw.
 */
export async function changeSeveralProviders(
  context: ConsoleContext,
  actor: Actor,
  several: SeveralProviders,
  {
    confirm,
    alongside,
  }: {
    confirm: (transaction: Transaction<Schema>) => Promise<void>;
    alongside: (transaction: Transaction<Schema>, created: readonly ProviderRow[]) => Promise<void>;
  },
): Promise<void> {
  const checked = await checkAll(context, several);
  const work = context.database.kysely.transaction().execute(async (transaction) => {
    // For its lock: providers have no version of their own.
    await bumpVersion(transaction, "options");
    await confirm(transaction);
    const created = await write(context, transaction, checked, several.deletes);
    await alongside(transaction, created);
    return created;
  });
  const created = await work.catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new AppError("provider_slug_taken", { field: "slug" });
    throw error;
  });
  for (const row of created) await auditProvider(context, actor, "provider_created", row);
  for (const { row, change } of checked.changed)
    await auditProvider(context, actor, "provider_changed", { ...row, ...change });
  for (const row of several.deletes) await auditProvider(context, actor, "provider_deleted", row);
}
