/**
 * Where a call goes at Bedrock: the runtime of the key's region, the model in the path (docs.aws.amazon.com/bedrock/latest/APIReference,
 * InvokeModel, InvokeModelWithResponseStream, CountTokens). A colon in an id travels encoded, as it is signed.
 */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";
import { foundationId, modelId } from "./models.ts";
import { regionOf } from "./signature.ts";

function pathOf({ operation, model, isStream }: ProviderCall, region: string): string {
  if (operation === "models") return "/foundation-models?byProvider=anthropic";
  // Profiles of areas cannot count.
  if (operation === "count_tokens") return `/model/${encodeURIComponent(foundationId(model))}/count-tokens`;
  const action = isStream ? "invoke-with-response-stream" : "invoke";
  return `/model/${encodeURIComponent(modelId(model, region))}/${action}`;
}

export function endpoint({ baseUrl, key }: ProviderChannel, call: ProviderCall): ProviderRequest {
  const region = regionOf(key);
  const host = call.operation === "models" ? "bedrock" : "bedrock-runtime";
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const base = baseUrl === "" ? `https://${host}.${region}.${domain}` : baseUrl.replace(/\/+$/, "");
  return { url: base + pathOf(call, region), headers: [] };
}
