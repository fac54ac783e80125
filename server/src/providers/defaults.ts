/** What a provider does where its folder says nothing else: an OpenAI-compatible vendor is a manifest, and the rest is here. */
import { GEMINI_MODELS } from "../dialects/gemini/models.ts";
import { ANTHROPIC_MODELS } from "../dialects/anthropic-messages/models.ts";
import type { FormatName } from "../dialects/dialect.ts";
import { OPENAI_CHAT_MODELS } from "../dialects/openai-chat/models.ts";
import { readFailure } from "../dialects/neutral/failure.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type {
  Operation,
  Provider,
  ProviderCall,
  ProviderChannel,
  ProviderDeclaration,
  ProviderManifest,
  ProviderRequest,
  Quirk,
} from "./provider.ts";

const OPERATIONS: readonly Operation[] = ["chat", "completions", "embeddings", "models"];

/** Models a new channel starts with, by the first format of its provider. */
const MODELS: Readonly<Record<FormatName, readonly string[]>> = {
  "openai-chat": OPENAI_CHAT_MODELS,
  "openai-responses": OPENAI_CHAT_MODELS,
  "anthropic-messages": ANTHROPIC_MODELS,
  gemini: GEMINI_MODELS,
  vendor: [],
};

/** The manifest as everybody reads it, with what the folder left out. */
function completeManifest(declared: ProviderDeclaration): ProviderManifest {
  const { id, slug, name, defaultBaseUrl, fetchedMedia, forwardedHeaders, keyForms, notice } = declared;
  return {
    id,
    slug,
    name,
    dialects: declared.dialects ?? ["openai-chat"],
    defaultBaseUrl,
    keyHint: declared.keyHint ?? "sk-...",
    fields: declared.fields ?? [
      {
        name: "base_url",
        label: "baseUrl",
        isRequired: defaultBaseUrl === "",
        placeholder: defaultBaseUrl || "https://",
      },
    ],
    operations: declared.operations ?? OPERATIONS,
    supportsStreamUsage: declared.supportsStreamUsage ?? true,
    ...(fetchedMedia === undefined ? {} : { fetchedMedia }),
    ...(forwardedHeaders === undefined ? {} : { forwardedHeaders }),
    ...(keyForms === undefined ? {} : { keyForms }),
    ...(notice === undefined ? {} : { notice }),
    thinksInParts: declared.thinksInParts ?? false,
    hasPlaceholderUsage: declared.hasPlaceholderUsage ?? false,
    isKeyDocument: declared.isKeyDocument ?? false,
    isRetired: declared.isRetired ?? false,
    canTest: declared.isRetired !== true && (declared.canTest ?? true),
    mark: declared.mark ?? { glyph: name.slice(0, 1), colour: "#6b7280" },
  };
}

const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com";

/** Base URL and path in one; a base that already ends in `/v1`, and Cloudflare's gateway, have no second one. */
function urlOf(base: string, path: string, apiRoot: string): string {
  const trimmed = base.replace(/\/+$/, "");
  if (!path.startsWith("/v1/")) return trimmed + path;
  const hasRoot = trimmed.startsWith(CLOUDFLARE_GATEWAY) || trimmed.endsWith("/v1") || trimmed.endsWith(apiRoot);
  return trimmed + (hasRoot ? "" : apiRoot) + path.slice("/v1".length);
}

function authorization(keyHeader: string | undefined, key: string): string[] {
  if (keyHeader === undefined) return ["authorization", `Bearer ${key}`];
  return keyHeader === "" ? [] : [keyHeader, key];
}

/**
 * The client's own path behind the base URL, the key as a bearer token (platform.openai.com/docs/api-reference/authentication). An
 * organization goes to vendors that ask for one, and to no other that a channel is moved to.
 */
function compatibleEndpoint(declared: ProviderDeclaration): Provider["endpoint"] {
  const { apiRoot = "/v1", fields = [], paths = {}, keyHeader } = declared;
  const hasOrganization = fields.some(({ name }) => name === "openai_organization");
  return (channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest => {
    const headers = authorization(keyHeader, channel.key);
    if (hasOrganization && channel.openaiOrganization !== "")
      headers.push("openai-organization", channel.openaiOrganization);
    const own = paths[operation];
    if (own !== undefined) return { url: channel.baseUrl.replace(/\/+$/, "") + own, headers };
    return { url: urlOf(channel.baseUrl, operation === "models" ? "/v1/models" : path, apiRoot), headers };
  };
}

/** Fields of a request that the vendor refuses are left out of it. */
const refusedField = ([field, reason]: readonly [field: string, reason: string]): Quirk => ({
  reason,
  appliesTo: (_model, operation) => operation === "chat",
  patch: (body) => (body[field] === undefined ? {} : { remove: [field] }),
});

/** The provider of a manifest, with the parts that its folder has in place of the common ones. */
export function completeProvider(declared: ProviderDeclaration, own: Partial<Omit<Provider, "manifest">>): Provider {
  const manifest = completeManifest(declared);
  const [dialect = "openai-chat"] = manifest.dialects;
  return {
    models: declared.models ?? MODELS[dialect],
    endpoint: compatibleEndpoint(declared),
    // Readers have parameters of their own behind these two, for which an answer's headers are not meant.
    failure: (status, body) => (dialect === "vendor" ? readFailure : DIALECTS[dialect].readFailure)(status, body),
    ...own,
    manifest,
    quirks: [...Object.entries(declared.refusedFields ?? {}).map(refusedField), ...(own.quirks ?? [])],
  };
}
