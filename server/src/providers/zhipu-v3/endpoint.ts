/** Where GLM models are: version 4 stands in for version 3. */
import { glmUrl } from "../../dialects/openai-chat/vendors/glm.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

export const endpoint = ({ baseUrl }: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest => ({
  url: glmUrl(baseUrl, operation === "models" ? "/v1/models" : path),
  headers: [],
});
