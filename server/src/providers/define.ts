/** Builds a provider from its declaration: what it does not declare is as with any OpenAI-compatible vendor. */
import { GEMINI_MODELS } from "../dialects/gemini/models.ts";
import { ANTHROPIC_MODELS } from "../dialects/anthropic-messages/models.ts";
import type { FormatName } from "../dialects/dialect.ts";
import { isCompletions } from "../dialects/openai-chat/compatible.ts";
import { OPENAI_CHAT_MODELS } from "../dialects/openai-chat/models.ts";
import { readFailure } from "../dialects/neutral/failure.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { withNativeFormats } from "./native-formats.ts";
import type {
  NativeName,
  Operation,
  Provider,
  ProviderCall,
  ProviderChannel,
  ProviderDeclaration,
  ProviderDefinition,
  ProviderManifest,
  ProviderParts,
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

/** The manifest as the other rooms read it: what is declared without the fields that only this file reads, and defaults for the rest. */
function completeManifest(declared: ProviderDeclaration): ProviderManifest {
  const {
    models: _models,
    apiRoot: _root,
    keyHeader: _header,
    paths: _paths,
    refusedFields: _refused,
    natives = {},
    baseEndings: _endings,
    dialects = ["openai-chat"],
    ...given
  } = declared;
  const { name, defaultBaseUrl, isRetired = false, canTest = true } = given;
  const partialFormats = Object.keys(natives) as NativeName[];
  return {
    keyHint: "sk-...",
    fields: [
      {
        name: "base_url",
        label: "baseUrl",
        isRequired: defaultBaseUrl === "",
        placeholder: defaultBaseUrl || "https://",
      },
    ],
    operations: OPERATIONS,
    supportsStreamUsage: true,
    thinksInParts: false,
    hasPlaceholderUsage: false,
    isKeyDocument: false,
    mark: { glyph: name.slice(0, 1), colour: "#6b7280" },
    ...given,
    dialects: [...dialects, ...partialFormats],
    partialFormats,
    isRetired,
    canTest: !isRetired && canTest,
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
  appliesTo: isCompletions,
  patch: (body) => (body[field] === undefined ? {} : { remove: [field] }),
});

/** The code among what a vendor defines; all else is data. */
const PARTS: Readonly<Record<keyof ProviderParts, true>> = {
  endpoint: true,
  quirks: true,
  modelName: true,
  prepare: true,
  additions: true,
  failure: true,
  isFailure: true,
  modelNames: true,
  dialectsOf: true,
  format: true,
  isLastMessage: true,
  ownOperations: true,
  beforeSend: true,
  balance: true,
  storedModels: true,
};

/** The data and the code of a definition, separated. */
function splitDefinition(definition: ProviderDefinition): { declared: ProviderDeclaration; parts: ProviderParts } {
  const entries = Object.entries(definition);
  return {
    declared: Object.fromEntries(entries.filter(([name]) => !(name in PARTS))) as unknown as ProviderDeclaration,
    parts: Object.fromEntries(entries.filter(([name]) => name in PARTS)),
  };
}

/**
 * The provider of a vendor: its data with defaults for what is not declared, and its code in place of the common one. A name that no
 * provider has is an error of types.
 */
export function defineProvider(definition: ProviderDefinition): Provider {
  const { declared, parts } = splitDefinition(definition);
  const manifest = completeManifest(declared);
  const [dialect = "openai-chat"] = manifest.dialects;
  return withNativeFormats(declared, {
    models: declared.models ?? MODELS[dialect],
    endpoint: compatibleEndpoint(declared),
    // Readers have parameters of their own behind these two, for which an answer's headers are not meant.
    failure: (status, body) => (dialect === "vendor" ? readFailure : DIALECTS[dialect].readFailure)(status, body),
    ...parts,
    manifest,
    quirks: [...Object.entries(declared.refusedFields ?? {}).map(refusedField), ...(parts.quirks ?? [])],
  });
}
