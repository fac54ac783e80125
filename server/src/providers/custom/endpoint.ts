/** The base URL of a custom channel is the whole request URL; `{model}` in it is the upstream's model name. */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const OPERATION_PATH = /\/(?:chat\/completions|completions|embeddings)(?=\?|$)/;

/** Beside an operation's address stands the list of models; any other address is asked as it is. */
const modelsUrl = (url: string): string => url.replace(OPERATION_PATH, "/models");

/** Every operation goes to the same URL, whatever path the client used. */
export function endpoint(channel: ProviderChannel, { operation, model }: ProviderCall): ProviderRequest {
  const url = channel.baseUrl.replaceAll("{model}", encodeURIComponent(model));
  return { url: operation === "models" ? modelsUrl(url) : url, headers: ["authorization", `Bearer ${channel.key}`] };
}
