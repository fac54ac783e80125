/** Where an operation of OpenAI goes and how it is authorised (platform.openai.com/docs/api-reference/authentication). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const CLOUDFLARE_GATEWAY = "https://gateway.ai.cloudflare.com";

/** Base URL and the client's path in one; a base that already ends in `/v1`, and Cloudflare's gateway, have no second one. */
function urlOf(base: string, path: string): string {
  const trimmed = base.replace(/\/+$/, "");
  const dropsVersion = trimmed.startsWith(CLOUDFLARE_GATEWAY) || trimmed.endsWith("/v1");
  return trimmed + (dropsVersion && path.startsWith("/v1/") ? path.slice(3) : path);
}

/** Every operation stands at the client's own path; GET /v1/models lists the models. */
export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const headers = ["authorization", `Bearer ${channel.key}`];
  if (channel.openaiOrganization !== "") headers.push("openai-organization", channel.openaiOrganization);
  return { url: urlOf(channel.baseUrl, operation === "models" ? "/v1/models" : path), headers };
}
