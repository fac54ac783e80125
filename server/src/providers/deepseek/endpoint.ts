/** Where DeepSeek's operations are: completions, which fill in the middle, under /beta (api-docs.deepseek.com/guides/fim_completion). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const ROOT = /(?:\/(?:v1|beta))?\/*$/;

/** The client's own path behind the base URL, which may end in /v1 or /beta. */
export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const own = operation === "models" ? "/v1/models" : path;
  const target = operation === "completions" ? own.replace(/^\/v1\//, "/beta/") : own;
  return { url: channel.baseUrl.replace(ROOT, "") + target, headers: ["authorization", `Bearer ${channel.key}`] };
}
