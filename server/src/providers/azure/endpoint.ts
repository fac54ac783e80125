/**
 * Where a call goes at Azure (learn.microsoft.com/en-us/azure/foundry/openai/latest, .../openai/reference): to the v1 surface, where the
 * deployment is named in the body, or to the deployment's own address with a dated version of the API.
 */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const KNOWN = /^(?:v1|preview|latest|\d{4}-\d\d-\d\d(?:-preview)?)$/;
const DATED = /^\d/;

/** True for the versions whose calls go to a deployment's own address. */
export const isDated = (version: string): boolean => DATED.test(version);

/** The client's where it names one, else the channel's, else v1; what is no version counts as none. */
export const versionOf = ({ other }: Pick<ProviderChannel, "other">, ofClient = ""): string =>
  [ofClient, other.trim()].find((version) => KNOWN.test(version)) ?? "v1";

const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com/";

/** The resource's address, without a path of the API that was copied along with it. */
const resourceOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, "").replace(/\/openai(?:\/v1)?$/, "");

/** Cloudflare's gateway stands in place of everything before the deployment (developers.cloudflare.com/ai-gateway/usage/providers/azureopenai). */
const deploymentsAt = (resource: string): string =>
  resource.startsWith(CLOUDFLARE_GATEWAY) ? resource : `${resource}/openai/deployments`;

/** Behind the resource with a dated version; what is no call of one deployment stands beside them. */
function datedUrl(resource: string, task: string, { operation, model, dialect }: ProviderCall): string {
  if (operation === "models") return `${resource}/openai/models`;
  if (operation === "realtime") return `${resource}/openai/realtime`;
  if (operation === "chat" && dialect === "openai-responses") return `${resource}/openai/responses`;
  return `${deploymentsAt(resource)}/${encodeURIComponent(model)}${task}`;
}

/** The rest of the client's query goes on. */
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

export function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
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
