/** Where an Ollama server answers: its own API at `/api`, OpenAI's at `/v1`, behind a base URL that may end in either (docs.ollama.com/api/introduction). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/(?:api|v1)$/, "");
  const url = base + (operation === "models" ? "/api/tags" : path);
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}
