/** Where GLM models are, with the key as it is, which the vendor takes beside signed tokens (docs.bigmodel.cn/cn/api/introduction). */
import { glmUrl } from "../../dialects/openai-chat/vendors/glm.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

export const endpoint = (channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest => ({
  url: glmUrl(channel.baseUrl, operation === "models" ? "/v1/models" : path),
  headers: ["authorization", `Bearer ${channel.key}`],
});
