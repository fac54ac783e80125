/** Where the compatible mode of Model Studio is, in each of its regions (help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const ROOT = "/compatible-mode";

/** Behind the base URL, which may end in the root or in the version behind it. */
export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/(?:\/compatible-mode)?(?:\/v1)?\/*$/, "");
  const url = base + ROOT + (operation === "models" ? "/v1/models" : path);
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}
