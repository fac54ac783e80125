/** Channel types as the console lists them, drawn from the providers' manifests. */
import { z } from "zod";

/** One provider as the channel form shows it. Only the providers' manifests decide which types exist. */
export const providerRow = z.object({
  id: z.number(),
  slug: z.string(),
  name: z.string(),
  default_base_url: z.string(),
  key_hint: z.string(),
  /** Names of the parts that a key has between `|`, for each form it may have; none where every text may be one. */
  key_forms: z.array(z.array(z.string())),
  /** Whether a key may be a JSON document of many lines. */
  is_key_document: z.boolean(),
  /** Name of a text about the type, blank for none. */
  notice: z.string(),
  /** Whether the vendor has ended the service: its channels stay, and answer no calls. */
  is_retired: z.boolean(),
  fields: z.array(
    z.object({
      name: z.enum(["base_url", "other", "openai_organization"]),
      label: z.string(),
      is_required: z.boolean(),
      placeholder: z.string(),
      /** The values it may have, each with the name of its text; free text where there are none. */
      choices: z.array(z.object({ value: z.string(), label: z.string() })),
      /** Source of a regular expression that a value has to match; blank for none. */
      pattern: z.string(),
    }),
  ),
  models: z.array(z.string()),
  can_test: z.boolean(),
  /** Whether the balance behind a key can be asked for. */
  tells_balance: z.boolean(),
  /** Whether the upstream has a list of models that can be asked for. */
  lists_models: z.boolean(),
  /** Whether its server pulls models and deletes them when it is asked to. */
  stores_models: z.boolean(),
  mark: z.object({ glyph: z.string(), colour: z.string() }),
});
export type ProviderRow = z.output<typeof providerRow>;

/** Whether channels of the provider call their base URL unchanged. Otherwise a path is appended, so the URL must not end in a query. */
export const takesWholeUrl = (fields: readonly { name: string; label: string }[]): boolean =>
  fields.some(({ name, label }) => name === "base_url" && label === "fullUrl");

/** Model objects in the form that clients of this API family expect; only `id` carries information. */
export const modelObject = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.number(),
  owned_by: z.string(),
});
