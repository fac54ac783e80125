/** Model lists of upstreams, and provider manifests, for the channel form. */
import { readKeys } from "../../../../contract/src/channels/key-text.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ProviderRow } from "../../../../contract/src/channels/provider-row.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ProviderInfo, UpstreamTarget } from "../relay-tools.ts";
import { checkBaseUrl, refuseQuery } from "./rules.ts";

/** Models that a stored channel's upstream lists, sorted. Throws not_found, upstream_failed or address_refused. */
export async function modelsOfChannel(context: ConsoleContext, id: number): Promise<string[]> {
  await context.snapshot.refresh();
  const channel = context.snapshot.channelById(id);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  const { type, baseUrl, key, other, openaiOrganization, setting, headers } = channel;
  const { proxy = "" } = setting;
  return fetchModels(context, { type, baseUrl, key, other, openaiOrganization, proxy, ...(headers && { headers }) });
}

export interface SentTarget {
  type: number;
  base_url?: string | null | undefined;
  key?: string | null | undefined;
  other?: string | null | undefined;
  openai_organization?: string | null | undefined;
}

/** Models that an upstream lists before its channel is saved; of several keys the first one asks. */
export async function modelsOfUpstream(context: ConsoleContext, sent: SentTarget): Promise<string[]> {
  const [key = ""] = readKeys(sent.key ?? "").keys;
  if (key === "") throw new AppError("channel_key_missing", { field: "key" });
  const baseUrl = checkBaseUrl(sent.base_url ?? "");
  const provider = context.relay.providers.find(({ manifest }) => manifest.id === sent.type);
  if (provider !== undefined) refuseQuery(provider.manifest, baseUrl);
  if (baseUrl !== "") await context.relay.checkAddress(baseUrl);
  return fetchModels(context, {
    type: sent.type,
    baseUrl,
    key,
    other: sent.other ?? "",
    openaiOrganization: sent.openai_organization ?? "",
  });
}

async function fetchModels(context: ConsoleContext, target: UpstreamTarget): Promise<string[]> {
  const models = await context.relay.fetchUpstreamModels(target);
  return [...new Set(models)].toSorted();
}

const FIELD_NAMES = ["base_url", "other", "openai_organization"] as const;

/** A provider as the drawer draws it. */
export function providerView({ manifest, models, balance, storedModels }: ProviderInfo): ProviderRow {
  const fields = manifest.fields.flatMap((field) => {
    const name = FIELD_NAMES.find((known) => known === field.name);
    if (name === undefined) return [];
    const { label, isRequired, placeholder = "", choices = [], pattern = "" } = field;
    return [{ name, label, is_required: isRequired, placeholder, choices: [...choices], pattern }];
  });
  return {
    id: manifest.id,
    slug: manifest.slug,
    name: manifest.name,
    default_base_url: manifest.defaultBaseUrl,
    key_hint: manifest.keyHint,
    key_forms: (manifest.keyForms ?? []).map((form) => [...form]),
    is_key_document: manifest.isKeyDocument ?? false,
    notice: manifest.notice ?? "",
    is_retired: manifest.isRetired ?? false,
    fields,
    models: [...models],
    can_test: manifest.canTest,
    tells_balance: balance !== undefined,
    lists_models: manifest.operations.includes("models"),
    stores_models: storedModels !== undefined,
    mark: { glyph: manifest.mark.glyph, colour: manifest.mark.colour },
  };
}

/** When the family's model lists were frozen; clients expect some date. */
const MODEL_CREATED = 1_626_777_600;

/** Default models of all providers as model objects, each name once, with the first provider that has it. */
export function modelObjects(providers: readonly ProviderInfo[]) {
  const owners = new Map<string, string>();
  for (const { manifest, models } of providers) {
    for (const model of models) if (!owners.has(model)) owners.set(model, manifest.slug);
  }
  const names = [...owners.keys()].toSorted();
  return names.map((id) => ({ id, object: "model" as const, created: MODEL_CREATED, owned_by: owners.get(id) ?? "" }));
}

/** Channel type to the default models of its provider. */
export const modelsByType = (providers: readonly ProviderInfo[]): Record<string, string[]> =>
  Object.fromEntries(providers.map(({ manifest, models }) => [String(manifest.id), [...models]]));
