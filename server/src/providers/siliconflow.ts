/** SiliconFlow: channel type 40 (docs.siliconflow.cn/cn/api-reference; abroad api.siliconflow.com). */
import { servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { defined, listOf, objectOf, textOf } from "../dialects/json/fields.ts";
import { readFailure, withKind } from "../dialects/neutral/failure.ts";
import { mappedEffort, isCompletions, olderLimit, systemRole } from "../dialects/openai-chat/compatible.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedSize,
  warnOfSettings,
} from "../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import { type BalanceOf, amountIn, bearerGet, currencyAbroad, objectIn, refusedBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";
import type { Quirk, UpstreamFailure } from "./provider.ts";

/** Where SiliconFlow differs from OpenAI's chat completions (docs.siliconflow.cn/cn/api-reference/chat-completions), and what it takes of Messages (cn/docs/api/messages-post). */
const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor knows the efforts none, low, medium, high and max",
    appliesTo: isCompletions,
    patch: (body) => mappedEffort(body, { minimal: "low", xhigh: "max" }),
  },
  servedMessages({ vendor: "SiliconFlow", toolChoices: ["auto", "tool", "none"] }),
];

/** Failures of SiliconFlow: 403 is a model one may not use, or an account that is empty (docs.siliconflow.cn/cn/faqs/error-code). */
const failure = (status: number, body: string): UpstreamFailure =>
  withKind(readFailure(status, body), { "30001": "quota" });

// SiliconFlow's pictures, under names of its own (docs.siliconflow.cn/cn/api-reference/images/images-generations).

const OTHERS = ["quality", "style", "user", "background", "output_format", "output_compression", "moderation"];

/** The one that makes several at a time. */
const makesSeveral = (model: string): boolean => model.endsWith("/Kolors");

const images: VendorOperation = {
  givesAddresses: true,
  path: () => "/v1/images/generations",
  encodeRequest({ fields }, warn) {
    const isSeveral = makesSeveral(textOf(fields["model"]));
    inOnePiece(fields);
    atMostPictures(fields, isSeveral ? 4 : 1);
    warnOfSettings(fields, OTHERS, warn);
    const { model, prompt, negative_prompt, seed, num_inference_steps, guidance_scale, image } = fields;
    return defined({
      model,
      prompt,
      negative_prompt,
      image_size: wantedSize(fields),
      batch_size: isSeveral ? wantedPictures(fields) : undefined,
      seed,
      num_inference_steps,
      guidance_scale,
      image,
    });
  },
  decodeAnswer: (answer) => pictureAnswer(listOf(answer["images"]).map((picture) => textOf(objectOf(picture)["url"]))),
};

// SiliconFlow's balance, gifts among it: yuan, and dollars abroad (docs.siliconflow.cn/cn/api-reference/userinfo/get-user-info).

/** What is in `code` of an answer that is none of its failures. */
const OK = 20_000;

const balance: BalanceOf = async (ask, channel) => {
  const { code, message, data } = await ask(bearerGet(channel, "/v1/user/info"));
  if (code !== OK) throw refusedBalance(message);
  return {
    amount: amountIn(objectIn(data)["totalBalance"]),
    currency: currencyAbroad(channel.baseUrl, ".siliconflow.com"),
  };
};

export const siliconflow = defineProvider({
  id: 40,
  slug: "siliconflow",
  name: "SiliconFlow",
  defaultBaseUrl: "https://api.siliconflow.cn",
  models: [
    "deepseek-ai/DeepSeek-V4-Pro",
    "deepseek-ai/DeepSeek-V4-Flash",
    "zai-org/GLM-5.2",
    "Pro/moonshotai/Kimi-K2.6",
    "Qwen/Qwen3.5-397B-A17B",
    "Qwen/Qwen3.6-35B-A3B",
    "Qwen/Qwen3-Embedding-8B",
    "Qwen/Qwen3-Reranker-8B",
    "BAAI/bge-m3",
    "BAAI/bge-reranker-v2-m3",
    "Kwai-Kolors/Kolors",
    "Qwen/Qwen-Image",
  ],
  // docs.siliconflow.cn/cn/docs/api/messages-post
  natives: { "anthropic-messages": { root: "/v1" } },
  notice: "invite",
  operations: ["chat", "embeddings", "images", "rerank", "models"],
  mark: { glyph: "S", colour: "#6e29f6" },
  quirks,
  failure,
  ownOperations: { images },
  balance,
});
