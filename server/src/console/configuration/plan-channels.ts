/** The plan of a file's channels and identity providers: what is made, changed and deleted, and what each is refused for. */
import { isDeepStrictEqual } from "node:util";
import type {
  ResolvedChannel,
  ResolvedDocument,
  ResolvedProvider,
} from "../../../../contract/src/configuration/document.ts";
import type { PlanChange } from "../../../../contract/src/configuration/plan.ts";
import type { ChannelUpdate } from "../../../../contract/src/channels/channel-form.ts";
import { identityContext } from "../../db/secrets.ts";
import type { CreatedChannel } from "../channels/several.ts";
import { checkReach } from "../channels/service.ts";
import { chunks } from "../channels/abilities.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { providerView, type ProviderRow, type SentProvider } from "../identities/named.ts";
import {
  channelDifference,
  meaningsOfRow,
  type StoredChannelWithKeys,
  updateOf,
  type WantedChannel,
  wantedChannel,
} from "./channel-fields.ts";
import {
  emptySection,
  enter,
  enterMissing,
  missingNames,
  type PlanWish,
  refuseAt,
  type SectionPlan,
} from "./ownership.ts";
import { channelNames, type ChannelsState, type ProvidersState } from "./state.ts";

export interface ChannelsPlan extends SectionPlan {
  creates: (CreatedChannel & { name: string })[];
  updates: (ChannelUpdate & { wanted: WantedChannel })[];
  deletes: number[];
  /** Channels of the file that exist, by their names. */
  ids: Map<string, number>;
}

/** Names of hosts that are looked up side by side. */
const LOOK_UPS = 20;

interface Looked {
  path: string;
  reach: Parameters<typeof checkReach>[1];
}

/** Looks addresses up, each within the bound of checkAddress. */
async function refuseUnreachable(context: ConsoleContext, plan: SectionPlan, looked: readonly Looked[]): Promise<void> {
  for (const part of chunks(looked, LOOK_UPS))
    await Promise.all(
      part.map(({ path, reach }) => checkReach(context, reach).catch((error: unknown) => refuseAt(plan, path, error))),
    );
}

function planChannel(
  context: ConsoleContext,
  wish: PlanWish,
  plan: ChannelsPlan,
  {
    name,
    sent,
    stored,
    managers,
  }: { name: string; sent: ResolvedChannel; stored: StoredChannelWithKeys | undefined } & Pick<
    ChannelsState,
    "managers"
  >,
): Looked[] {
  const { secrets, relay } = context;
  const path = `channels.${name}`;
  const wanted = wantedChannel(sent, stored, secrets, relay.providers);
  const before = stored && meaningsOfRow(stored, secrets, relay.providers);
  const changes = channelDifference(before, wanted.meanings);
  const exists = stored !== undefined;
  const thing = { kind: "channel", name, path, manager: managers.get(name), exists, changes } as const;
  if (stored !== undefined) plan.ids.set(name, stored.row.id);
  if (!enter(plan, wish, thing)) return [];
  if (stored === undefined) plan.creates.push({ name, sent: wanted.form, isEnabled: wanted.isEnabled });
  else plan.updates.push({ ...updateOf(stored.row.id, wanted, changes), wanted });
  if (!changes.some(({ field }) => ["type", "base_url", "other", "openai_organization"].includes(field))) return [];
  const { base_url, other, openai_organization, type = 0 } = wanted.form;
  const reach = {
    type,
    base_url: (base_url ?? "").trim().replace(/\/+$/, ""),
    other: other ?? "",
    openai_organization: openai_organization ?? "",
  };
  return [{ path, reach }];
}

/** The plan of the channels of the file. */
export async function planChannels(
  context: ConsoleContext,
  { channels }: ResolvedDocument,
  state: ChannelsState,
  wish: PlanWish,
): Promise<ChannelsPlan> {
  const plan: ChannelsPlan = { ...emptySection(), creates: [], updates: [], deletes: [], ids: new Map() };
  if (channels === undefined) return plan;
  const byName = channelNames(state);
  const looked: Looked[] = [];
  for (const [name, sent] of Object.entries(channels))
    try {
      looked.push(
        ...planChannel(context, wish, plan, { name, sent, stored: byName.get(name), managers: state.managers }),
      );
    } catch (error) {
      refuseAt(plan, `channels.${name}`, error);
    }
  await refuseUnreachable(context, plan, looked);
  const missing = missingNames(state.managers, wish, new Set(Object.keys(channels)));
  const gone = missing.filter((name) => byName.has(name)).map((name) => ({ name, path: `channels.${name}` }));
  for (const name of enterMissing(plan, wish, "channel", gone)) {
    const id = byName.get(name)?.row.id;
    if (id !== undefined) plan.deletes.push(id);
  }
  return plan;
}

export interface ProvidersPlan extends SectionPlan {
  creates: (SentProvider & { slug: string })[];
  updates: { row: ProviderRow; sent: SentProvider }[];
  deletes: ProviderRow[];
}

const MAPPING = [
  "scopes",
  "client_authentication",
  "user_id_field",
  "username_field",
  "display_name_field",
  "email_field",
  "email_verified_field",
  "entry_conditions",
] as const;

/** The fields of a provider that count: those of OAuth only for OAuth. */
function fieldsOf(provider: Record<string, unknown>): Record<string, unknown> {
  const { id: _id, slug: _slug, client_secret: _secret, ...fields } = provider;
  const counted = Object.entries(fields).filter(
    ([name]) => provider["kind"] === "oauth2" || !(MAPPING as readonly string[]).includes(name),
  );
  return Object.fromEntries(counted.map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]));
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function isSameSecret({ secrets, logger }: ConsoleContext, row: ProviderRow, secret: string): boolean {
  try {
    return secrets.decrypt(row.client_secret_cipher, identityContext(row.slug)) === secret;
  } catch (error) {
    logger.warn({ provider: row.slug, err: error }, "a client secret cannot be decrypted; it counts as another one");
    return false;
  }
}

/** Undefined secret where the stored one stays. */
const secretOf = ({ client_secret: sent }: ResolvedProvider): string | undefined =>
  "secret" in sent ? sent.secret : undefined;

function providerDifference(
  context: ConsoleContext,
  row: ProviderRow | undefined,
  sent: ResolvedProvider,
): PlanChange[] {
  const after = fieldsOf(sent);
  const before = row === undefined ? {} : fieldsOf(providerView(row));
  const changes = Object.entries(after).flatMap(([field, to]): PlanChange[] => {
    const from = before[field];
    if (isDeepStrictEqual(from, to) || (from === undefined && to === "")) return [];
    return [{ field, ...(from === undefined ? {} : { from: shown(from) }), to: shown(to) }];
  });
  const secret = secretOf(sent);
  const isOther = row === undefined || (secret !== undefined && !isSameSecret(context, row, secret));
  return isOther ? [...changes, { field: "client_secret" }] : changes;
}

/** The plan of the identity providers of the file. Addresses are checked on apply. */
export function planProviders(
  context: ConsoleContext,
  { identity_providers: sentProviders }: ResolvedDocument,
  { providers, managers }: ProvidersState,
  wish: PlanWish,
): ProvidersPlan {
  const plan: ProvidersPlan = { ...emptySection(), creates: [], updates: [], deletes: [] };
  if (sentProviders === undefined) return plan;
  const rows = new Map(providers.map((row) => [row.slug, row]));
  for (const [slug, provider] of Object.entries(sentProviders)) {
    const path = `identity_providers.${slug}`;
    const row = rows.get(slug);
    const secret = secretOf(provider);
    if (row === undefined && secret === undefined) {
      const message = 'No secret is stored that {"from": "stored"} could keep';
      plan.refused.push({ path: `${path}.client_secret`, code: "configuration_invalid", message });
      continue;
    }
    const changes = providerDifference(context, row, provider);
    const thing = { kind: "provider", name: slug, path, manager: managers.get(slug), changes } as const;
    if (!enter(plan, wish, { ...thing, exists: row !== undefined })) continue;
    const isSecretSent = secret !== undefined && changes.some(({ field }) => field === "client_secret");
    const sent: SentProvider = { ...provider, client_secret: isSecretSent ? secret : "" };
    if (row === undefined) plan.creates.push({ ...sent, slug });
    else plan.updates.push({ row, sent });
  }
  const missing = missingNames(managers, wish, new Set(Object.keys(sentProviders)));
  const gone = missing.map((name) => ({ name, path: `identity_providers.${name}` }));
  for (const slug of enterMissing(plan, wish, "provider", gone)) {
    const row = rows.get(slug);
    if (row !== undefined) plan.deletes.push(row);
  }
  return plan;
}
