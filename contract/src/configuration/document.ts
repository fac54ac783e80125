/** The configuration file: its schema, as it is written by operators and as a command sends it with its secrets resolved. */
import { z } from "zod";
import { channelRequestSchema, channelSettingSchema, CHANNEL_REMARK_MAX } from "../channels/channel-form.ts";
import { severalKeysChoice } from "../channels/choices.ts";
import { identityProviderFields } from "../features/identities.ts";
import { nameText } from "../names.ts";
import type { OptionDefinition } from "../options/kinds.ts";
import { OPTION_NAMES, optionDefinition, type OptionName } from "../options/options.ts";
import { OWN_PRICE_OPTIONS, OWN_RATIO_OPTIONS } from "../pricing/own-prices.ts";
import { CONFIGURATION_NAME } from "./marks.ts";

const DOCUMENT_VERSION = 1;
/** Largest file, in bytes; the body limit of the endpoints leaves room for what resolved secrets add. */
export const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;
const CHANNELS_MAX = 2_000;
const PRICES_MAX = 5_000;
const PROVIDERS_MAX = 100;

/** Where a command finds a secret; `stored` keeps what the server has. */
export const reference = z.strictObject({
  from: z
    .string()
    .max(1_024)
    .regex(/^(?:stored|env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'Expected "env:NAME", "file:/path" or "stored"'),
});

/** A secret as a command sends it: resolved, or kept as it is stored. */
export const resolvedSecret = z.union([
  z.strictObject({ secret: z.string().min(1).max(1_000_000) }),
  z.strictObject({ from: z.literal("stored") }),
]);
export type ResolvedSecret = z.output<typeof resolvedSecret>;

const decimal = z.union([
  z.number().min(0).max(1_000_000),
  z.string().regex(/^\d{1,12}(?:\.\d{1,20})?$/, "Expected a number of at least 0"),
]);

const withoutProto = (names: Readonly<Record<string, unknown>>): boolean => !Object.hasOwn(names, "__proto__");

function bounded<Value extends z.ZodType>(key: z.ZodType<string, string>, value: Value, most: number) {
  return z
    .record(key, value)
    .refine(withoutProto, "The name __proto__ is reserved")
    .refine((entries) => Object.keys(entries).length <= most, `At most ${most} entries`);
}

/** What a model costs by the operator's own entries, under the names of the options that hold them. */
const modelPrice = z
  .strictObject({
    ...Object.fromEntries(OWN_RATIO_OPTIONS.map((name) => [name, decimal.optional()])),
    /** Of long contexts: the option ContextTiers. */
    tiers: z
      .array(
        z.strictObject({
          above: z.int().min(1).max(999_999_999),
          ratio: decimal,
          completion: decimal,
          cache: decimal,
          cache_creation: decimal,
        }),
      )
      .min(1)
      .max(8)
      .optional(),
  })
  .refine((price) => Object.values(price).some((value) => value !== undefined), "Expected at least one price or ratio");
export type DocumentPrice = Partial<Record<(typeof OWN_RATIO_OPTIONS)[number], string | number>> & {
  tiers?: Record<"above" | "ratio" | "completion" | "cache" | "cache_creation", string | number>[];
};

/** The part of the file in which an option stands; `models` are written model by model. */
export type OptionPart = "options" | "groups" | "tables" | "models";
export function optionPart(name: OptionName): OptionPart {
  if ((OWN_PRICE_OPTIONS as readonly OptionName[]).includes(name)) return "models";
  const { section } = optionDefinition(name);
  return section === "groups" ? "groups" : section === "price_tables" ? "tables" : "options";
}

const OPTION_VALUES: Readonly<Record<OptionDefinition<unknown>["kind"], z.ZodType>> = {
  boolean: z.boolean(),
  integer: z.int(),
  decimal: z.union([z.number(), z.string()]),
  text: z.string(),
  content: z.string(),
  url: z.string(),
  picture: z.string(),
  choice: z.string(),
  lines: z.array(z.string()),
  commaList: z.array(z.string()),
  json: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
};

function optionValue<Secret extends z.ZodType>(name: OptionName, secret: Secret): z.ZodType {
  const { isSecret, kind, choices } = optionDefinition(name);
  if (isSecret) return secret;
  return choices === undefined ? OPTION_VALUES[kind] : z.enum([...choices]);
}

const optionsOf = <Secret extends z.ZodType>(part: OptionPart, secret: Secret) =>
  z
    .strictObject(
      Object.fromEntries(
        OPTION_NAMES.filter((name) => optionPart(name) === part).map((name) => [
          name,
          optionValue(name, secret).optional(),
        ]),
      ),
    )
    .optional();

const text = (most: number) => z.string().max(most).default("");
const jsonObject = z.record(z.string(), z.unknown()).default({});

const channelOf = <Secret extends z.ZodType>(secret: Secret) =>
  z.strictObject({
    name: nameText.pipe(z.string().trim().min(1).max(128)),
    /** Slug of the provider (docs/providers.md), or its number. */
    type: z.union([z.string().min(1).max(64), z.int()]),
    enabled: z.boolean().default(true),
    /** One key; several, one a line, make a channel of several keys where it is created. */
    key: secret,
    /** How a channel of several keys takes one; read where the channel is created. */
    key_choice: severalKeysChoice.default("random"),
    base_url: text(512),
    other: text(60_000),
    openai_organization: text(255),
    models: z.array(nameText.pipe(z.string().trim().min(1).max(255))).min(1),
    groups: z.array(nameText.pipe(z.string().trim().min(1).max(64))).default(["default"]),
    model_mapping: z.record(z.string(), z.string()).default({}),
    status_code_mapping: jsonObject,
    param_override: jsonObject,
    setting: channelSettingSchema.extend({ proxy: z.union([z.string(), secret]).optional() }).default({}),
    settings: channelRequestSchema.default({}),
    header_override: z.record(z.string(), z.union([z.string(), secret])).default({}),
    costs: jsonObject,
    remark: text(CHANNEL_REMARK_MAX),
    test_model: nameText.pipe(z.string().max(255)).default(""),
    tag: nameText.pipe(z.string().max(128)).default(""),
    priority: z.int().min(-999).default(0),
    weight: z.int().min(0).max(1_000_000).default(0),
    auto_ban: z.boolean().default(true),
    max_input_tokens: z.int().min(1).max(1_000_000_000).nullable().default(null),
  });

const channelName = z.string().regex(CONFIGURATION_NAME, "Small letters, digits, dots and hyphens, at most 64");
const providerSlug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "Small letters, digits and hyphens, at most 32");
const modelName = nameText.pipe(z.string().min(1).max(128));

const documentOf = <Secret extends z.ZodType>(secret: Secret) =>
  z.strictObject({
    $schema: z.string().max(1_024).optional(),
    version: z.literal(DOCUMENT_VERSION),
    /** Name of the configuration: what it has written carries this mark. */
    managed_by: z.string().regex(CONFIGURATION_NAME, "Small letters, digits, dots and hyphens, at most 64"),
    /** The console and its API refuse to change what this file manages. */
    locked: z.boolean().default(false),
    options: optionsOf("options", secret),
    groups: optionsOf("groups", secret),
    prices: z
      .strictObject({
        models: bounded(modelName, modelPrice, PRICES_MAX).optional(),
        tables: optionsOf("tables", secret),
      })
      .optional(),
    channels: bounded(channelName, channelOf(secret), CHANNELS_MAX).optional(),
    identity_providers: bounded(
      providerSlug,
      z.strictObject({ ...identityProviderFields, client_secret: secret }),
      PROVIDERS_MAX,
    ).optional(),
  });

/** As operators write it: secrets are references, never texts. */
export const configurationDocument = /* @__PURE__ */ documentOf(reference);
/** As a command sends it. */
export const resolvedDocument = /* @__PURE__ */ documentOf(resolvedSecret);
export type ResolvedDocument = z.output<typeof resolvedDocument>;
export type ResolvedChannel = NonNullable<ResolvedDocument["channels"]>[string];
export type ResolvedProvider = NonNullable<ResolvedDocument["identity_providers"]>[string];
