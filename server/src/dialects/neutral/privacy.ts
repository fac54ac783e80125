/** Wishes of a client for a place or for privacy, which only the one who serves its own format may keep; part of the hub. */
import { objectOf } from "./json-fields.ts";
import { type JsonObject, TranslationFault } from "./neutral.ts";

interface Promised {
  /** Names of the field, from the outermost object to it. */
  path: readonly string[];
  isAsked(value: unknown): boolean;
}

const is =
  (wanted: unknown) =>
  (value: unknown): boolean =>
    value === wanted;

/** Another format has no word for these, and whoever answers without them breaks what the client relies on. */
const PROMISES: readonly Promised[] = [
  // `global`, the default, asks for no place (platform.claude.com/docs/en/manage-claude/data-residency).
  { path: ["inference_geo"], isAsked: (value) => typeof value === "string" && value !== "global" },
  // openrouter.ai/docs/features/provider-routing and docs/guides/privacy/zdr
  { path: ["provider", "data_collection"], isAsked: is("deny") },
  { path: ["provider", "zdr"], isAsked: is(true) },
  // vercel.com/docs/ai-gateway/capabilities/zdr
  { path: ["providerOptions", "gateway", "zeroDataRetention"], isAsked: is(true) },
];

const valueAt = (fields: JsonObject, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => objectOf(value)[name], fields);

/** Throws TranslationFault for a request on its way into another format that asks for what nobody there would promise. */
export function refusePromises(fields: JsonObject): void {
  const asked = PROMISES.find(({ path, isAsked }) => isAsked(valueAt(fields, path)));
  if (asked === undefined) return;
  throw new TranslationFault(
    asked.path.join("."),
    "asks for a promise of where words are read or that they are not kept, which the upstream of this model has no word for: leave it out",
  );
}

/** NeutralRequest.isKept of a request; the formats that have such a field call it `store`. */
export const keptOf = ({ store }: JsonObject): false | undefined => (store === false ? store : undefined);
