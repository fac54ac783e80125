/** The stored state of everything a configuration file can describe, with digests that show whether it changed since a plan. */
import type { ManagedKind } from "../../../../contract/src/configuration/marks.ts";
import type { ConfigurationSection } from "../../../../contract/src/configuration/plan.ts";
import type { Queries } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { readRows, type StoredOptions } from "../options/change.ts";
import { allProviders, type ProviderRow } from "../identities/named.ts";
import { type Manager, managersOf } from "../managed-store.ts";
import { meaningsOfRow, type StoredChannelWithKeys } from "./channel-fields.ts";
import { canonical } from "./values.ts";

type Managers = ReadonlyMap<string, Manager>;

/** Characters of a digest. */
const DIGEST = 32;

export const digest = ({ secrets }: Pick<ConsoleContext, "secrets">, text: string): string =>
  secrets.hash("configuration", text).slice(0, DIGEST);

export interface OptionsState {
  stored: StoredOptions;
  managers: Readonly<Record<"option" | "price", Managers>>;
}

export async function readOptionsState(queries: Queries, stored?: StoredOptions): Promise<OptionsState> {
  return {
    stored: stored ?? (await readRows(queries)),
    managers: { option: await managersOf(queries, "option"), price: await managersOf(queries, "price") },
  };
}

export interface ChannelsState {
  channels: readonly StoredChannelWithKeys[];
  managers: Managers;
}

export async function readChannelsState(queries: Queries): Promise<ChannelsState> {
  const rows = await queries.selectFrom("channels").selectAll().orderBy("id").execute();
  const keys = await queries.selectFrom("channel_keys").select(["channel_id", "key_hash"]).execute();
  const hashes = new Map<number, string[]>();
  for (const { channel_id, key_hash } of keys) hashes.getOrInsertComputed(channel_id, () => []).push(key_hash);
  const channels = rows.map((row) => ({ row, keyHashes: hashes.get(row.id) ?? [row.key_hash] }));
  return { channels, managers: await managersOf(queries, "channel") };
}

export interface ProvidersState {
  providers: readonly ProviderRow[];
  managers: Managers;
}

export async function readProvidersState(queries: Queries): Promise<ProvidersState> {
  return { providers: await allProviders(queries), managers: await managersOf(queries, "provider") };
}

export interface ConfigurationState {
  options: OptionsState;
  channels: ChannelsState;
  providers: ProvidersState;
}

export async function readState({ kysely }: { kysely: Queries }): Promise<ConfigurationState> {
  return {
    options: await readOptionsState(kysely),
    channels: await readChannelsState(kysely),
    providers: await readProvidersState(kysely),
  };
}

const marksText = (managers: Managers): unknown =>
  [...managers.values()]
    .map(({ name, targetId, managedBy, isLocked }) => [name, targetId, managedBy, isLocked])
    .toSorted();

type DigestContext = Pick<ConsoleContext, "secrets" | "relay">;

/** Names the options that are stored, and who manages them. A secret is known by its revision. */
export const optionsDigest = (context: DigestContext, { stored, managers }: OptionsState): string =>
  digest(
    context,
    canonical([
      [...stored].map(([name, { value, revision }]) => [name, revision, value]).toSorted(),
      marksText(managers.option),
      marksText(managers.price),
    ]),
  );

/** Names the channels as a file would describe them: counters, tests and balances do not count, nor being switched off by failures. */
export const channelsDigest = (context: DigestContext, { channels, managers }: ChannelsState): string =>
  digest(
    context,
    canonical([
      channels.map((stored) => [stored.row.id, [...meaningsOfRow(stored, context.secrets, context.relay.providers)]]),
      marksText(managers),
    ]),
  );

export const providersDigest = (context: DigestContext, { providers, managers }: ProvidersState): string =>
  digest(context, canonical([providers, marksText(managers)]));

/** The digests of all sections. */
export const revisionsOf = (
  context: DigestContext,
  state: ConfigurationState,
): Record<ConfigurationSection, string> => ({
  options: optionsDigest(context, state.options),
  identity_providers: providersDigest(context, state.providers),
  channels: channelsDigest(context, state.channels),
});

/** Names of channels in a file: the name under which one is managed, else one made of its name, with its id where that is not its alone. */
export function channelNames({ channels, managers }: ChannelsState): ReadonlyMap<string, StoredChannelWithKeys> {
  const managed = new Map([...managers.values()].map(({ name, targetId }) => [targetId, name]));
  const made = channels.map((channel) => [madeName(channel.row.name), channel] as const);
  const counts = new Map<string, number>();
  for (const [name] of made) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set(managed.values());
  return new Map(
    made.map(([name, channel]) => {
      const { id } = channel.row;
      const own = counts.get(name) === 1 && !taken.has(name) && name !== "" ? name : `${name || "channel"}-${id}`;
      return [managed.get(id) ?? own, channel];
    }),
  );
}

const NAME_LENGTH = 48;
const madeName = (name: string): string =>
  name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, NAME_LENGTH);

/** Kinds of things by the section that writes them. */
export const KINDS_OF_SECTION: Readonly<Record<ConfigurationSection, readonly ManagedKind[]>> = {
  options: ["option", "price"],
  identity_providers: ["provider"],
  channels: ["channel"],
};
