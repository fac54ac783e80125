/** Exports what is stored as a configuration file, in a stable order and without a secret. */
import { optionPart, type OptionPart } from "../../../../contract/src/configuration/document.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { OPTION_NAMES, type OptionName, optionDefinition } from "../../../../contract/src/options/options.ts";
import { hasOwnPrice, modelsWithOwnPrice, ownPriceOf } from "../../../../contract/src/pricing/own-prices.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { providerView } from "../identities/named.ts";
import { storedPriceTables } from "../options/change.ts";
import { channelOfRow } from "./channel-fields.ts";
import { channelNames, readState, type ConfigurationState } from "./state.ts";
import { documentPriceOf, documentValue, meaningOf } from "./values.ts";

export type SecretsAs = "stored" | "env";

type Reference = { from: string };
type ReferenceOf = (...words: readonly string[]) => Reference;

/** `openai-main`, `key` becomes OPENAI_MAIN_KEY. */
const variable = (words: readonly string[]): string => {
  const name = words
    .join("_")
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
  return /^\d/.test(name) ? `_${name}` : name;
};

const REFERENCES: Readonly<Record<SecretsAs, ReferenceOf>> = {
  stored: () => ({ from: "stored" }),
  env: (...words) => ({ from: `env:${variable(words)}` }),
};

const sorted = <Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> =>
  Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Options that are set to something else than their default; one that cannot be read any more is left out with a line in the log. */
function optionsOf(
  { logger, snapshot }: Pick<ConsoleContext, "logger" | "snapshot">,
  { options: { stored, managers } }: ConfigurationState,
  part: OptionPart,
  referenceOf: ReferenceOf,
): Record<string, unknown> {
  const entryOf = (name: OptionName): (readonly [string, unknown])[] => {
    const row = stored.get(name);
    const { isSecret, defaultText } = optionDefinition(name);
    if (row === undefined) return [];
    if (isSecret) return snapshot.options[name] === "" ? [] : [[name, referenceOf(name)]];
    const isDefault = meaningOf(name, row.value) === meaningOf(name, defaultText);
    if (isDefault && !managers.option.has(name)) return [];
    try {
      return [[name, documentValue(name, row.value)]];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.warn({ option: name, err: error }, "an option cannot be read; the configuration file is without it");
      return [];
    }
  };
  return sorted(OPTION_NAMES.filter((name) => optionPart(name) === part).flatMap(entryOf));
}

function pricesOf({ options: { stored } }: ConfigurationState) {
  const tables = storedPriceTables(stored);
  const own = [...modelsWithOwnPrice(tables)].map((model) => [model, ownPriceOf(tables, model)] as const);
  // What a table of tools says of a model stands in that table.
  return sorted(
    own
      .filter(([, price]) => hasOwnPrice({ ...price, tools: {} }))
      .map(([model, price]) => [model, documentPriceOf(price)] as const),
  );
}

/** Secrets of a channel's headers and proxy as references. */
function withReferences(channel: ReturnType<typeof channelOfRow>, name: string, referenceOf: ReferenceOf) {
  const { setting, header_override: headers } = channel;
  const { proxy } = setting;
  return {
    ...channel,
    setting: { ...setting, ...(typeof proxy === "object" ? { proxy: referenceOf(name, "proxy") } : {}) },
    header_override: Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [
        header,
        typeof value === "object" ? referenceOf(name, header) : value,
      ]),
    ),
  };
}

const isBlank = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Fields that say nothing are left out: their defaults say the same. */
const withoutBlanks = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && !isBlank(value)));

function channelsOf(
  { secrets, relay }: Pick<ConsoleContext, "secrets" | "relay">,
  { channels }: ConfigurationState,
  referenceOf: ReferenceOf,
) {
  return sorted(
    [...channelNames(channels)].map(([name, stored]) => {
      const {
        name: title,
        type,
        enabled,
        ...rest
      } = withReferences(channelOfRow(stored, secrets, relay.providers), name, referenceOf);
      return [name, { name: title, type, enabled, key: referenceOf(name, "key"), ...withoutBlanks(rest) }] as const;
    }),
  );
}

function providersOf({ providers: { providers } }: ConfigurationState, referenceOf: ReferenceOf) {
  return sorted(
    providers.map((row) => {
      const { id: _id, slug, kind, name, is_enabled, client_id, ...view } = providerView(row);
      const { scopes, client_authentication, user_id_field, username_field, ...more } = view;
      const mapping = kind === "oauth2" ? { scopes, client_authentication, user_id_field, username_field } : {};
      const rest = withoutBlanks({ ...more, ...mapping });
      return [
        slug,
        { kind, name, is_enabled, client_id, client_secret: referenceOf(slug, "client_secret"), ...rest },
      ] as const;
    }),
  );
}

/** The file; `managedBy` is the name that it gets. */
export async function exportDocument(
  context: Pick<ConsoleContext, "database" | "secrets" | "relay" | "logger" | "snapshot">,
  { managedBy, secretsAs }: { managedBy: string; secretsAs: SecretsAs },
): Promise<Record<string, unknown>> {
  const state = await readState(context.database);
  const referenceOf = REFERENCES[secretsAs];
  return {
    version: 1,
    managed_by: managedBy,
    options: optionsOf(context, state, "options", referenceOf),
    groups: optionsOf(context, state, "groups", referenceOf),
    prices: { models: pricesOf(state), tables: optionsOf(context, state, "tables", referenceOf) },
    channels: channelsOf(context, state, referenceOf),
    identity_providers: providersOf(state, referenceOf),
  };
}
