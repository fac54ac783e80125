/** Where Wenxin's models are: each has a path of its own (cloud.baidu.com/doc/WENXINWORKSHOP, each model's page). */
import { ownOf } from "../../dialects/json/fields.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const ROOT = "/rpc/2.0/ai_custom/v1/wenxinworkshop";

/** Paths that are not the model's name in lower case. */
const CHAT_PATHS: Readonly<Record<string, string>> = {
  "ERNIE-4.0": "completions_pro",
  "ERNIE-4.0-8K": "completions_pro",
  "ERNIE-Bot-4": "completions_pro",
  "ERNIE-Bot": "completions",
  "ERNIE-3.5-8K": "completions",
  "ERNIE-Bot-turbo": "eb-instant",
  "ERNIE-Lite-8K-0922": "eb-instant",
  "ERNIE-Lite-8K-0308": "ernie-lite-8k",
  "ERNIE-Speed": "ernie_speed",
  "ERNIE-Speed-8K": "ernie_speed",
  "ERNIE-Bot-8K": "ernie_bot_8k",
  "ERNIE-Character-8K": "ernie-char-8k",
  "ERNIE-Functions-8K": "ernie-func-8k",
  "BLOOMZ-7B": "bloomz_7b1",
};
const EMBEDDING_PATHS: Readonly<Record<string, string>> = {
  "bge-large-zh": "bge_large_zh",
  "bge-large-en": "bge_large_en",
  "tao-8k": "tao_8k",
};

export function endpoint({ baseUrl }: ProviderChannel, { operation, model }: ProviderCall): ProviderRequest {
  const [room, paths] = operation === "embeddings" ? ["embeddings", EMBEDDING_PATHS] : ["chat", CHAT_PATHS];
  const name = ownOf(paths, model) ?? encodeURIComponent(model.toLowerCase());
  return { url: `${baseUrl.replace(/\/+$/, "")}${ROOT}/${room}/${name}`, headers: [] };
}
