/**
 * Where a call goes at Bedrock: the runtime of the key's region, the model in the path (docs.aws.amazon.com/bedrock/latest/APIReference,
 * InvokeModel, Converse, CountTokens and those that stream). A colon in an id travels encoded, as it is signed.
 */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";
import { foundationId, modelId } from "./models.ts";
import { regionOf } from "./signature.ts";

/** Claude is invoked in its own words, everybody else is conversed with. */
function actionOf({ dialect, isStream }: ProviderCall): string {
  if (dialect === "vendor") return isStream ? "converse-stream" : "converse";
  return isStream ? "invoke-with-response-stream" : "invoke";
}

function pathOf(call: ProviderCall, region: string): string {
  const { operation, model } = call;
  if (operation === "models") return "/foundation-models?byOutputModality=TEXT";
  // Profiles of areas cannot count.
  if (operation === "count_tokens") return `/model/${encodeURIComponent(foundationId(model))}/count-tokens`;
  return `/model/${encodeURIComponent(modelId(model, region))}/${actionOf(call)}`;
}

export function endpoint({ baseUrl, key }: ProviderChannel, call: ProviderCall): ProviderRequest {
  const region = regionOf(key);
  const host = call.operation === "models" ? "bedrock" : "bedrock-runtime";
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const base = baseUrl === "" ? `https://${host}.${region}.${domain}` : baseUrl.replace(/\/+$/, "");
  return { url: base + pathOf(call, region), headers: [] };
}
