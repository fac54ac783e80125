/** Azure OpenAI: channel type 3 (learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle). */
import { readFailure, withKind } from "../dialects/neutral/failure.ts";
import { OPENAI_SHARED } from "../dialects/neutral/openai-shared.ts";
import { plainName } from "../dialects/neutral/model-names.ts";
import { REASONING_QUIRKS } from "../dialects/openai-chat/reasoning-models.ts";
import { defineProvider } from "./define.ts";
import type {
  Provider,
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  UpstreamErrorKind,
  UpstreamFailure,
} from "./provider.ts";

// Where a call goes at Azure (learn.microsoft.com/en-us/azure/foundry/openai/latest, .../openai/reference): to the v1 surface, where the
// deployment is named in the body, or to the deployment's own address with a dated version of the API.

const KNOWN = /^(?:v1|preview|latest|\d{4}-\d\d-\d\d(?:-preview)?)$/;
const DATED = /^\d/;

/** True for the versions whose calls go to a deployment's own address. */
const isDated = (version: string): boolean => DATED.test(version);

/** The client's where it names one, else the channel's, else v1; what is no version counts as none. */
const versionOf = ({ other }: Pick<ProviderChannel, "other">, ofClient = ""): string =>
  [ofClient, other.trim()].find((version) => KNOWN.test(version)) ?? "v1";

const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com/";

/** The resource's address, without a path of the API that was copied along with it. */
const resourceOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/openai(?:\/v1)?$/, "");

/** Cloudflare's gateway replaces everything before the deployment (developers.cloudflare.com/ai-gateway/usage/providers/azureopenai). */
const deploymentsAt = (resource: string): string =>
  resource.startsWith(CLOUDFLARE_GATEWAY) ? resource : `${resource}/openai/deployments`;

/** Behind the resource with a dated version; what is no call of one deployment is beside them. */
function datedUrl(resource: string, task: string, { operation, model, dialect }: ProviderCall): string {
  if (operation === "models") return `${resource}/openai/models`;
  if (operation === "realtime") return `${resource}/openai/realtime`;
  if (operation === "chat" && dialect === "openai-responses") return `${resource}/openai${task}`;
  return `${deploymentsAt(resource)}/${encodeURIComponent(model)}${task}`;
}

/** The rest of the client's query is passed on. */
function queryOf(query: URLSearchParams, version: string, { operation, model }: ProviderCall): string {
  // The version that v1 stands for is no parameter there.
  if (version === "v1") query.delete("api-version");
  else query.set("api-version", version);
  if (operation === "realtime" && isDated(version)) {
    query.delete("model");
    query.set("deployment", model);
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
  const [path = "", given = ""] = call.path.split("?", 2);
  const query = new URLSearchParams(given);
  const named = versionOf(channel, query.get("api-version") ?? "");
  // Videos are of the v1 surface alone.
  const version = call.operation === "videos" && isDated(named) ? "v1" : named;
  const resource = resourceOf(channel.baseUrl);
  const task = call.operation === "models" ? "/models" : path.slice("/v1".length);
  const url = isDated(version) ? datedUrl(resource, task, call) : `${resource}/openai/v1${task}`;
  return { url: url + queryOf(query, version, call), headers: ["api-key", channel.key] };
}

// Failures of Azure, known by their codes (learn.microsoft.com/en-us/azure/foundry/openai/concepts/content-filter, .../how-to/quota).

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  content_filter: "content",
  contentFilter: "content",
  ResponsibleAIPolicyViolation: "content",
};

/** Another channel may have the deployment that this resource lacks, or another kind of model behind the name. */
const OF_THE_RESOURCE: ReadonlySet<string> = new Set(["DeploymentNotFound", "OperationNotSupported"]);

function failure(status: number, body: string): UpstreamFailure {
  const read = withKind(readFailure(status, body), KINDS);
  if (!OF_THE_RESOURCE.has(read.code)) return read;
  // Some models are served in the format of Responses alone.
  const lacks = read.code === "OperationNotSupported" ? ({ missingFormat: "model" } as const) : {};
  return { ...read, ...lacks, isRetryable: true };
}

// Formats of a channel: Responses are part of the v1 surface, and of dated previews since the first one that had them
// (learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle).

const FIRST_WITH_RESPONSES = "2025-03-01-preview";

const hasResponses = (version: string): boolean =>
  !isDated(version) || (version.endsWith("-preview") && version >= FIRST_WITH_RESPONSES);

const dialectsOf: NonNullable<Provider["dialectsOf"]> = (_model, channel) =>
  hasResponses(versionOf(channel)) ? ["openai-chat", "openai-responses"] : ["openai-chat"];

export const azure = defineProvider({
  id: 3,
  slug: "azure",
  name: "Azure OpenAI",
  dialects: ["openai-chat", "openai-responses"],
  compacts: true,
  defaultBaseUrl: "",
  keyHint: "",
  fields: [
    { name: "base_url", label: "azureEndpoint", isRequired: true, placeholder: "https://resource.openai.azure.com" },
    {
      name: "other",
      label: "azureApiVersion",
      isRequired: false,
      placeholder: "v1 / 2024-10-21",
      pattern: "^(?:v1|preview|latest|\\d{4}-\\d\\d-\\d\\d(?:-preview)?)$",
    },
  ],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "images",
    "image_edits",
    "speech",
    "transcriptions",
    "translations",
    "realtime",
    "videos",
    "models",
  ],
  // learn.microsoft.com/en-us/azure/foundry/openai/how-to/prompt-caching; other vendors' models refuse them there (zed-industries/zed#52000).
  openAiSettings: { names: OPENAI_SHARED, ownModelsBut: "" },
  servesAnyModel: true,
  mark: { glyph: "A", colour: "#0078d4" },
  endpoint,
  failure,
  dialectsOf,
  // Deployments are usually named after OpenAI's models, and take what those take.
  quirks: REASONING_QUIRKS,
  // The deployment is in the path of dated versions.
  modelName: (model) => plainName("openai", model),
});
