/** Baidu's Wenxin Workshop (version 1 of Qianfan's API): channel type 15 (cloud.baidu.com/doc/WENXINWORKSHOP/s/xlmokikxe). */
import { listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { textsOf, vectorsAnswer, warnOfTask } from "../../dialects/openai-chat/operations/embeddings.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { defineProvider } from "../define.ts";
import type { AccessToken, SendTools } from "../outgoing.ts";
import { malformedKey, keyParts } from "../provider-fault.ts";
import type { BeforeSend, ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";
import { failure, isFailure, refusedExchange } from "./errors.ts";
import { createDecoder, decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";

// Where Wenxin's models are: each has a path of its own (cloud.baidu.com/doc/WENXINWORKSHOP, each model's page).

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

function endpoint({ baseUrl }: ProviderChannel, { operation, model }: ProviderCall): ProviderRequest {
  const [room, paths] = operation === "embeddings" ? ["embeddings", EMBEDDING_PATHS] : ["chat", CHAT_PATHS];
  const name = ownOf(paths, model) ?? encodeURIComponent(model.toLowerCase());
  return { url: `${baseUrl.replace(/\/+$/, "")}${ROOT}/${room}/${name}`, headers: [] };
}

// Wenxin's own format (cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t), put together from the request and the answer.

const own = vendorFormat({ encodeRequest, decodeAnswer, createDecoder });

const format = () => own;

// A token in exchange for the key, in the query of each request (cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5).

const THIRTY_DAYS_SECONDS = 30 * 86_400;

async function exchange({ baseUrl, key }: ProviderChannel, { ask }: SendTools): Promise<AccessToken> {
  const [id = "", secret = ""] = keyParts(key);
  const query = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
  const url = `${baseUrl.replace(/\/+$/, "")}/oauth/2.0/token?${query}`;
  const answer = await ask({ method: "POST", url, headers: ["accept", "application/json"] });
  const token = textOf(answer.fields["access_token"]);
  if (token === "") throw refusedExchange(answer);
  return { token, lifetimeSeconds: numberOf(answer.fields["expires_in"]) ?? THIRTY_DAYS_SECONDS };
}

const beforeSend: BeforeSend = async (request, channel, _call, tools) => {
  const parts = keyParts(channel.key);
  if (parts.length !== 2 || parts.includes("")) throw malformedKey("the key must be API_KEY|SECRET_KEY");
  const token = await tools.accessToken("wenxinworkshop", () => exchange(channel, tools));
  return { ...request, url: `${request.url}?access_token=${encodeURIComponent(token)}` };
};

// Wenxin's vectors (cloud.baidu.com/doc/WENXINWORKSHOP/s/alj562vvu).

const MAX_INPUTS = 16;

const embeddings: VendorOperation = {
  // The endpoint knows the model's path.
  path: () => "",
  encodeRequest: ({ fields }, warn) => {
    const { dimensions, user } = fields;
    if (dimensions !== undefined && dimensions !== null) warn("dimensions", "this model has vectors of one length");
    warnOfTask(fields, warn);
    return { input: textsOf(fields, MAX_INPUTS), ...(typeof user === "string" ? { user_id: user } : {}) };
  },
  decodeAnswer: ({ data, usage }, { fields }) => {
    if (!Array.isArray(data)) return undefined;
    const sorted = data.map(objectOf).toSorted((a, b) => (numberOf(a["index"]) ?? 0) - (numberOf(b["index"]) ?? 0));
    const { prompt_tokens: prompt, total_tokens: total } = objectOf(usage);
    const vectors = sorted.map(({ embedding }) => listOf(embedding));
    return vectorsAnswer(vectors, fields, numberOf(prompt) ?? numberOf(total) ?? 0);
  },
};

export const wenxin = defineProvider({
  id: 15,
  slug: "wenxin",
  name: "Baidu Wenxin (v1)",
  defaultBaseUrl: "https://aip.baidubce.com",
  keyHint: "API_KEY|SECRET_KEY",
  keyForms: [["API_KEY", "SECRET_KEY"]],
  // A token in exchange for the key goes in the address (`beforeSend`).
  keyHeader: "",
  dialects: ["vendor"],
  models: [
    "ERNIE-4.0-8K",
    "ERNIE-4.0-Turbo-8K",
    "ERNIE-4.0-Turbo-128K",
    "ERNIE-3.5-8K",
    "ERNIE-3.5-128K",
    "ERNIE-Speed-Pro-128K",
    "ERNIE-Speed-8K",
    "ERNIE-Speed-128K",
    "ERNIE-Lite-8K",
    "ERNIE-Lite-Pro-128K",
    "ERNIE-Tiny-8K",
    "ERNIE-Character-8K",
    "ERNIE-Functions-8K",
    "Embedding-V1",
    "bge-large-zh",
    "bge-large-en",
    "tao-8k",
  ],
  operations: ["chat", "embeddings"],
  mark: { glyph: "W", colour: "#2932e1" },
  endpoint,
  failure,
  isFailure,
  format,
  ownOperations: { embeddings },
  beforeSend,
});
