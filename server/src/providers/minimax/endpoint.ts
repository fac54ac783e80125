/** Where MiniMax is: Messages under /anthropic, all else under /v1 (platform.minimax.io/docs/api-reference/text-anthropic-api). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

/** Roots that operators may have copied with the base URL: either format's is known from the call. */
const ROOT = /(?:\/anthropic)?(?:\/v1)?\/*$/;
const VERSION = "2023-06-01";

export function endpoint(channel: ProviderChannel, { operation, dialect, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(ROOT, "");
  const headers = ["authorization", `Bearer ${channel.key}`];
  if (operation === "models") return { url: `${base}/v1/models`, headers };
  if (operation !== "chat" || dialect !== "anthropic-messages") return { url: base + path, headers };
  return { url: `${base}/anthropic${path}`, headers: [...headers, "anthropic-version", VERSION] };
}
