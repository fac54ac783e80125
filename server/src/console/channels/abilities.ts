/** Abilities of channels: always the product of a channel's groups and models, written in the transaction that changes the channel. */
import type { Insertable, Selectable, Transaction } from "kysely";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../contract/src/query.ts";
import type { AbilityTable, ChannelTable, Schema } from "../../db/schema.ts";

/** The columns that abilities follow from. */
export type AbilitySource = Pick<
  Selectable<ChannelTable>,
  "id" | "group_names" | "models" | "status" | "priority" | "weight" | "tag"
>;

/** Rows of one insert: seven columns each, far under every engine's limit of parameters. */
const INSERT_ROWS = 500;

/** The abilities a channel has: each group with each model, enabled where the channel is. */
export function abilitiesOf(channel: AbilitySource): Insertable<AbilityTable>[] {
  const { id: channel_id, priority, weight, tag } = channel;
  const enabled = channel.status === CHANNEL_STATUS.enabled ? 1 : 0;
  const models = splitList(channel.models);
  return splitList(channel.group_names).flatMap((group_name) =>
    models.map((model) => ({ group_name, model, channel_id, enabled, priority, weight, tag }) as const),
  );
}

/** Removes the abilities of these channels. */
export async function deleteAbilities(transaction: Transaction<Schema>, channelIds: readonly number[]): Promise<void> {
  for (const part of chunks(channelIds, INSERT_ROWS)) {
    await transaction.deleteFrom("abilities").where("channel_id", "in", part).execute();
  }
}

/** Replaces the abilities of these channels by what follows from them. */
export async function rebuildAbilities(
  transaction: Transaction<Schema>,
  channels: readonly AbilitySource[],
): Promise<void> {
  await deleteAbilities(
    transaction,
    channels.map(({ id }) => id),
  );
  for (const part of chunks(channels.flatMap(abilitiesOf), INSERT_ROWS)) {
    await transaction.insertInto("abilities").values(part).execute();
  }
}

export function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
