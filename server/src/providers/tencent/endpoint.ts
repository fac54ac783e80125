/** Where Hunyuan is: one address for signed calls, whose action is a header, or OpenAI's paths (cloud.tencent.com/document/product/1729/101843, /111007). */
import { compatibleUrl } from "../../dialects/openai-chat/compatible.ts";
import { keyParts } from "../key-parts.ts";
import { isLite } from "./models.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const SIGNED_HOST = /^https:\/\/hunyuan\.tencentcloudapi\.com\/*$/;
const COMPATIBLE_BASE = "https://api.hunyuan.cloud.tencent.com/v1";
const VERSION = "2023-09-01";
/** Pictures are drawn in one region, which the call names (cloud.tencent.com/document/product/1729/105969, /108738). */
const REGION = ["x-tc-region", "ap-guangzhou"];

function actionOf({ operation, model }: ProviderCall): string[] {
  if (operation === "embeddings") return ["x-tc-action", "GetEmbedding"];
  if (operation !== "images") return ["x-tc-action", "ChatCompletions"];
  return ["x-tc-action", isLite(model) ? "TextToImageLite" : "SubmitHunyuanImageJob", ...REGION];
}

/** A key with bars signs; the default base URL stands for the compatible service where the key is an API key. */
export function endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest {
  if (keyParts(channel.key).length === 1) {
    const base = SIGNED_HOST.test(channel.baseUrl) ? COMPATIBLE_BASE : channel.baseUrl;
    return { url: compatibleUrl(base, call.path), headers: ["authorization", `Bearer ${channel.key}`] };
  }
  return {
    url: `${channel.baseUrl.replace(/\/+$/, "")}/`,
    headers: [...actionOf(call), "x-tc-version", VERSION],
  };
}
