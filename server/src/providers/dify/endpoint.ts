/** Where the apps of Dify are asked: each kind has a path of its own (docs.dify.ai/api-reference). */
import { ownOf } from "../../dialects/json/fields.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const PATHS: Readonly<Record<string, string>> = {
  completion: "/completion-messages",
  workflow: "/workflows/run",
};

export function endpoint({ baseUrl, key, other }: ProviderChannel, _call: ProviderCall): ProviderRequest {
  const root = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  const path = ownOf(PATHS, other) ?? "/chat-messages";
  return { url: `${root}/v1${path}`, headers: ["authorization", `Bearer ${key}`] };
}
