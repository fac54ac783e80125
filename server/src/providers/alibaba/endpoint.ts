/** Where Model Studio's compatible mode is, and its own API beside it, in each of its regions (help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const ROOT = "/compatible-mode";

/** Paths of its own API. */
const isOwn = (path: string): boolean => path.startsWith("/api/") || path.startsWith("/compatible-api/");

/** Calls that are tasks: the vendor takes them in no other way. */
const isTask = (path: string): boolean => path.endsWith("/image-synthesis");

/** Behind the base URL, which may end in the root or in the version behind it. */
export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/(?:\/compatible-mode)?(?:\/v1)?\/*$/, "");
  const target = operation === "models" ? `${ROOT}/v1/models` : isOwn(path) ? path : ROOT + path;
  const asTask = isTask(target) ? ["x-dashscope-async", "enable"] : [];
  return { url: base + target, headers: ["authorization", `Bearer ${channel.key}`, ...asTask] };
}
