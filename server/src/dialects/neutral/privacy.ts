/** Refuses a client's terms of data residency and privacy if the upstream's format cannot express them; part of the hub. */
import { objectOf } from "../json/fields.ts";
import { type JsonObject, TranslationFault } from "./neutral.ts";

interface PrivacyTerm {
  /** Names of the field, from the outermost object to it. */
  path: readonly string[];
  isRequested(value: unknown): boolean;
}

const is =
  (wanted: unknown) =>
  (value: unknown): boolean =>
    value === wanted;

/** Other formats cannot express these, and an answer without them would break what the client relies on. */
const PRIVACY_TERMS: readonly PrivacyTerm[] = [
  // `global`, the default, asks for no place (platform.claude.com/docs/en/manage-claude/data-residency).
  { path: ["inference_geo"], isRequested: (value) => typeof value === "string" && value !== "global" },
  // openrouter.ai/docs/features/provider-routing and docs/guides/privacy/zdr
  { path: ["provider", "data_collection"], isRequested: is("deny") },
  { path: ["provider", "zdr"], isRequested: is(true) },
  // vercel.com/docs/ai-gateway/capabilities/zdr
  { path: ["providerOptions", "gateway", "zeroDataRetention"], isRequested: is(true) },
];

const valueAt = (fields: JsonObject, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => objectOf(value)[name], fields);

/** Throws TranslationFault for a request to another format with terms that it cannot express. */
export function refusePrivacyTerms(fields: JsonObject): void {
  const asked = PRIVACY_TERMS.find(({ path, isRequested: isAsked }) => isAsked(valueAt(fields, path)));
  if (asked === undefined) return;
  throw new TranslationFault(
    asked.path.join("."),
    "asks for a promise of where words are read or that they are not kept, which the upstream of this model has no word for: leave it out",
  );
}

/** NeutralRequest.isKept of a request; the formats that have such a field call it `store`. */
export const isKeptOf = ({ store }: JsonObject): false | undefined => (store === false ? store : undefined);
