/** The site's settings for Gemini and Claude at Vertex AI, and fields that Vertex's Gemini does not know. */
import {
  CLAUDE_QUIRKS,
  claudeName,
  withSiteSettings,
} from "../../dialects/anthropic-messages/vendors/site-settings.ts";
import { VERTEX_SERVERS } from "../../dialects/anthropic-messages/vendors/cloud.ts";
import { GEMINI_QUIRKS, geminiName, siteAdditions } from "../../dialects/gemini/vendors/site-settings.ts";
import type { FormatQuirk } from "../../dialects/format-quirk.ts";
import { isObject, listOf, objectOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Provider, Quirk } from "../provider.ts";
import { type Family, familyOf } from "./models.ts";

const NAMES: Readonly<Record<Family, NonNullable<Provider["modelName"]>>> = {
  google: geminiName,
  claude: claudeName,
  open: (model) => model,
};

export const modelName: NonNullable<Provider["modelName"]> = (model, options) => NAMES[familyOf(model)](model, options);

export const prepare: NonNullable<Provider["prepare"]> = (request, site) =>
  familyOf(request.model) === "claude" ? withSiteSettings(request, site) : request;

export const additions: NonNullable<Provider["additions"]> = (fields, model, options) =>
  familyOf(model) === "google" ? siteAdditions(fields, model, options) : {};

/** Calls and results of functions, in both spellings. */
const CALLED = ["functionCall", "function_call", "functionResponse", "function_response"];

/** Vertex gives calls ids since September 2026 and takes them back, not of these generations (github.com/anomalyco/opencode/pull/50504). */
const HAS_NO_IDS = /^gemini-(?:pro$|1|2)/;

/** A part without the id of its call. */
function withoutId(part: unknown): unknown {
  const name = CALLED.find((each) => isObject(objectOf(part)[each]) && "id" in objectOf(objectOf(part)[each]));
  if (name === undefined) return part;
  const { id: _id, ...rest } = objectOf(objectOf(part)[name]);
  return { ...objectOf(part), [name]: rest };
}

function withoutIds(body: JsonObject): ReturnType<Quirk["patch"]> {
  let hasChanged = false;
  const contents = listOf(body["contents"]).map((content) => {
    const parts = listOf(objectOf(content)["parts"]);
    const kept = parts.map(withoutId);
    if (kept.every((part, index) => part === parts[index])) return content;
    hasChanged = true;
    return { ...objectOf(content), parts: kept };
  });
  return hasChanged ? { set: { contents } } : {};
}

const ofFamily = (family: Family, quirk: FormatQuirk): Quirk => ({
  ...quirk,
  appliesTo: (model, operation, dialect) =>
    familyOf(model) === family && operation !== "embeddings" && quirk.appliesTo(model, operation, dialect),
});

export const quirks: readonly Quirk[] = [
  ofFamily("claude", VERTEX_SERVERS),
  ...CLAUDE_QUIRKS.map((quirk) => ofFamily("claude", quirk)),
  ...GEMINI_QUIRKS.map((quirk) => ofFamily("google", quirk)),
  {
    reason: "Vertex AI knows no ids of this model's calls",
    appliesTo: (model, operation, dialect) =>
      dialect === "gemini" && HAS_NO_IDS.test(model) && (operation === "chat" || operation === "count_tokens"),
    patch: withoutIds,
  },
];
