/** Ark's addresses: apps, whose names begin with `bot-`, have one of their own (volcengine.com/docs/82379/1298454, /1526787). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const ROOT = "/api/v3";

/** Behind the base URL, which may end in the root. */
export function endpoint(channel: ProviderChannel, { operation, path, model }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/api\/v3$/, "");
  const target = operation === "models" ? "/models" : path.replace(/^\/v1(?=\/)/, "");
  const room = operation === "chat" && model.startsWith("bot-") ? "/bots" : "";
  return { url: base + ROOT + room + target, headers: ["authorization", `Bearer ${channel.key}`] };
}
