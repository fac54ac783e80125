/** Many channels made, changed and deleted in one transaction, each by the rules of its form, all of them or none. */
import type { Transaction } from "kysely";
import type { ChannelCreate, ChannelUpdate } from "../../../../contract/src/channels/channel-form.ts";
import { storedKeyChoice } from "../../../../contract/src/channels/choices.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { insertReturningId } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { rebuildAbilities } from "./abilities.ts";
import { insertKeys, reviveKeys } from "./keys/rows.ts";
import { patchOf } from "./rules.ts";
import { announce, announceChange, createdEvent, newRows, plannedChange, severalKeyRows } from "./service.ts";
import { type ChannelPatch, deleteRows, findByIds, findChannel, type StoredChannel } from "./store.ts";

/** A channel to be made; several keys make one channel that has them all. */
export interface CreatedChannel {
  sent: ChannelCreate;
  isEnabled: boolean;
}

export interface SeveralChannels {
  creates: readonly CreatedChannel[];
  updates: readonly ChannelUpdate[];
  deletes: readonly number[];
}

type Change = { before: StoredChannel; patch: ChannelPatch };

interface Written {
  created: { id: number; name: string }[];
  changed: Change[];
  deleted: StoredChannel[];
}

async function insertOne(
  context: ConsoleContext,
  transaction: Transaction<Schema>,
  { sent, isEnabled }: CreatedChannel,
  changed_version: number,
): Promise<number> {
  const { keys, rows } = newRows(context, sent);
  const [first] = rows;
  if (first === undefined) throw new Error("A channel has a key");
  const hasSeveral = keys.length > 1;
  const id = await insertReturningId(context.database, transaction, "channels", {
    ...first,
    status: isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled,
    ...(hasSeveral ? { key_choice: storedKeyChoice(sent.key_choice ?? "random") } : {}),
    changed_version,
  });
  if (hasSeveral) await insertKeys(transaction, id, severalKeyRows(context, keys), first.created_time);
  return id;
}

/** Undefined for a channel that is gone. */
async function changeOne(
  context: ConsoleContext,
  transaction: Transaction<Schema>,
  actor: ConfirmingActor,
  sent: ChannelUpdate,
  changed_version: number,
): Promise<Change | undefined> {
  const before = await findChannel(transaction, sent.id);
  if (before === undefined) return undefined;
  const patch = await plannedChange(context, transaction, actor, { before, sent, sentPatch: patchOf(sent) });
  await transaction
    .updateTable("channels")
    .set({ ...patch, changed_version })
    .where("id", "=", sent.id)
    .execute();
  if (patch.status === CHANNEL_STATUS.enabled) await reviveKeys(transaction, [sent.id], nowSeconds(context.clock));
  return { before, patch };
}

async function write(
  context: ConsoleContext,
  transaction: Transaction<Schema>,
  actor: ConfirmingActor,
  { creates, updates, deletes }: SeveralChannels,
  version: number,
): Promise<Written> {
  const created = [];
  for (const each of creates)
    created.push({ id: await insertOne(context, transaction, each, version), name: each.sent.name ?? "" });
  const changed = [];
  for (const sent of updates) {
    const change = await changeOne(context, transaction, actor, sent, version);
    if (change !== undefined) changed.push(change);
  }
  const deleted = await findByIds(transaction, deletes);
  await deleteRows(transaction, deletes);
  const ids = [...created.map(({ id }) => id), ...changed.map(({ before }) => before.id)];
  await rebuildAbilities(transaction, await findByIds(transaction, ids));
  return { created, changed, deleted };
}

/**
 * Does what `decide` says of the channels as they are stored, under the lock of all writers; then `alongside` with the ids of the new channels
 * in their order. What either throws, or what a channel is refused for, undoes everything. Addresses are not looked up: that is done before.
 */
export async function changeSeveral(
  context: ConsoleContext,
  actor: ConfirmingActor,
  decide: (transaction: Transaction<Schema>) => Promise<SeveralChannels>,
  alongside: (transaction: Transaction<Schema>, createdIds: readonly number[]) => Promise<void>,
): Promise<void> {
  const { created, changed, deleted } = await context.database.kysely.transaction().execute(async (transaction) => {
    const version = await bumpVersion(transaction, "channels");
    const written = await write(context, transaction, actor, await decide(transaction), version);
    await alongside(
      transaction,
      written.created.map(({ id }) => id),
    );
    return written;
  });
  await context.snapshot.refresh();
  for (const { id, name } of created) await announce(context, actor, createdEvent(name, [id]));
  for (const change of changed) await announceChange(context, actor, change);
  for (const { id, name } of deleted) await announce(context, actor, { code: "channel_deleted", values: { name, id } });
}
