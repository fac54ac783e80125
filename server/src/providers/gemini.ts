/** Google's Gemini API: channel type 24. */
import { GEMINI_QUIRKS, geminiName, siteAdditions } from "../dialects/gemini/vendors/site-settings.ts";
import { defineProvider } from "./define.ts";
import type { Operation, ProviderCall, ProviderChannel, ProviderRequest, SiteInfo } from "./provider.ts";

// Where an operation of Gemini goes and how it is authorised (ai.google.dev/api, ai.google.dev/gemini-api/docs/api-key).

const VERSION = /^v\d[a-z0-9]*$/;

interface Base {
  url: string;
  version: string | undefined;
}

/** A base URL may already end in the version. */
function baseOf(baseUrl: string): Base {
  const trimmed = baseUrl.replace(/\/+$/, "");
  const cut = trimmed.lastIndexOf("/");
  const last = trimmed.slice(cut + 1);
  return VERSION.test(last) ? { url: trimmed.slice(0, cut), version: last } : { url: trimmed, version: undefined };
}

/** gemini.version_settings: versions by model, with `default` for the rest. */
function siteVersion(site: SiteInfo | undefined, ...names: readonly string[]): string | undefined {
  const versions: Readonly<Record<string, string | undefined>> = site?.options["gemini.version_settings"] ?? {};
  return names.map((name) => versions[name]).find((version) => version !== undefined && VERSION.test(version));
}

/** The version a Gemini client asked for; its model lists and calls stand at /<version>/models. */
const clientVersion = (path: string): string | undefined => /^\/(v\d[a-z0-9]*)\/models(?:[/?]|$)/.exec(path)?.[1];

const ACTIONS: Readonly<Partial<Record<Operation, (call: ProviderCall) => string>>> = {
  chat: ({ isStream }) => (isStream ? ":streamGenerateContent?alt=sse" : ":generateContent"),
  count_tokens: () => ":countTokens",
  embeddings: ({ path }) => (path.includes(":embedContent") ? ":embedContent" : ":batchEmbedContents"),
  images: () => ":predict",
  videos: () => ":predictLongRunning",
};

/**
 * The path is made anew, so that nothing of the client's query, which may hold its key, is passed on. The version is the channel's own
 * where it names one, else the site's for this model, else the client's, else the site's for all, else v1beta.
 */
function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
  const base = baseOf(channel.baseUrl);
  const ofChannel = VERSION.test(channel.other) ? channel.other : base.version;
  // The newer version has the longer list, so it is used for every client.
  const ofClient =
    call.operation === "models" || call.site?.isTranslated === true ? undefined : clientVersion(call.path);
  const ofModel = siteVersion(call.site, call.site?.requestedModel ?? "", call.model);
  const version = ofChannel ?? ofModel ?? ofClient ?? siteVersion(call.site, "default") ?? "v1beta";
  // The name of an operation begins with its model's.
  const operation = /\/models\/[^/]+\/operations\/[^/?]+$/.exec(call.path)?.[0];
  const headers = ["x-goog-api-key", channel.key];
  if (call.operation === "videos" && operation !== undefined)
    return { url: `${base.url}/${version}${operation}`, headers };
  const action = ACTIONS[call.operation];
  // A page has 50 models where nothing is said.
  const target = action === undefined ? "?pageSize=1000" : `/${encodeURIComponent(call.model)}${action(call)}`;
  return { url: `${base.url}/${version}/models${target}`, headers };
}

export const gemini = defineProvider({
  id: 24,
  slug: "gemini",
  name: "Google Gemini",
  dialects: ["gemini"],
  defaultBaseUrl: "https://generativelanguage.googleapis.com",
  keyHint: "AIza...",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://generativelanguage.googleapis.com" },
    { name: "other", label: "apiVersion", isRequired: false, placeholder: "v1beta" },
  ],
  operations: ["chat", "count_tokens", "embeddings", "images", "videos", "models"],
  mark: { glyph: "G", colour: "#1a73e8" },
  endpoint,
  // What the site's settings make of requests for Gemini.
  quirks: GEMINI_QUIRKS,
  modelName: geminiName,
  additions: siteAdditions,
});
