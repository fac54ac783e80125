/** Baidu's Qianfan (version 2 of its API): channel type 46 (cloud.baidu.com/doc/qianfan-api). */
import { servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { defined, isObject, listOf, objectOf, textOf } from "../dialects/json/fields.ts";
import { readFailure, withKind } from "../dialects/neutral/failure.ts";
import {
  effortAsSwitch,
  mappedEffort,
  isCompletions,
  plainVectors,
  systemRole,
} from "../dialects/openai-chat/compatible.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedSize,
  warnOfSettings,
} from "../dialects/openai-chat/operations/images.ts";
import { documentTexts, rankedResults } from "../dialects/openai-chat/operations/rerank.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import { defineProvider } from "./define.ts";
import type { Quirk, UpstreamFailure } from "./provider.ts";

/** Where Qianfan differs from OpenAI's chat completions (cloud.baidu.com/doc/qianfan-api/s/3m7of64lb), and what it takes of Messages (cloud.baidu.com/doc/qianfan-docs/s/6mh3e6gjp). */
const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  {
    reason: "the vendor switches thinking off by a field of its own, and knows the efforts low to high",
    appliesTo: isCompletions,
    patch: (body) =>
      body["reasoning_effort"] === "none"
        ? effortAsSwitch(body, (isOn) => ({ enable_thinking: isOn }))
        : mappedEffort(body, { minimal: "low", xhigh: "high", max: "high" }),
  },
  {
    reason: "the vendor's vectors are numbers only",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: plainVectors,
  },
  servedMessages({ vendor: "Qianfan" }),
];

/** Failures of Qianfan, whose types say what its statuses do not (cloud.baidu.com/doc/qianfan-api/s/rmwbl43x7). */
const failure = (status: number, body: string): UpstreamFailure =>
  withKind(readFailure(status, body), { unsafe_request: "content" });

// Qianfan's pictures and ranks (cloud.baidu.com/doc/qianfan-api/s/8m7u6un8a, cloud.baidu.com/doc/WENXINWORKSHOP/s/Dm6071svf).

const images: VendorOperation = {
  givesAddresses: true,
  path: () => "/v1/images/generations",
  encodeRequest({ fields }, warn) {
    inOnePiece(fields);
    atMostPictures(fields, 4);
    const others = ["quality", "style", "background", "output_format", "output_compression", "moderation"];
    warnOfSettings(fields, others, warn);
    const { model, prompt, refer_image, user } = fields;
    return defined({ model, prompt, refer_image, n: wantedPictures(fields), size: wantedSize(fields), user });
  },
  decodeAnswer: ({ data, created }) =>
    pictureAnswer(
      listOf(data).map((picture) => textOf(objectOf(picture)["url"])),
      defined({ created }),
    ),
};

const rerank: VendorOperation = {
  path: () => "/v1/rerankers",
  encodeRequest({ fields }, warn) {
    warnOfSettings(fields, ["max_chunks_per_doc", "max_chunk_per_doc", "overlap_tokens"], warn);
    const { model, query, top_n, user } = fields;
    return defined({ model, query, documents: documentTexts(fields), top_n, user });
  },
  /** The vendor sends the documents back as texts, whether they are wanted or not. */
  decodeAnswer({ id, results, usage }, { fields }) {
    if (!Array.isArray(results)) return undefined;
    const plain = results.filter(isObject).map(({ document: _document, ...result }) => result);
    return { ...defined({ id, usage }), model: fields["model"], results: rankedResults(plain, fields) };
  },
};

export const qianfan = defineProvider({
  id: 46,
  slug: "qianfan",
  name: "Baidu Qianfan (v2)",
  defaultBaseUrl: "https://qianfan.baidubce.com",
  apiRoot: "/v2",
  keyHint: "bce-v3/ALTAK-.../...",
  models: [
    "ernie-5.1",
    "ernie-5.0",
    "ernie-5.0-thinking-latest",
    "ernie-x1.1",
    "ernie-4.5-turbo-128k",
    "ernie-4.5-turbo-32k",
    "embedding-v1",
    "bge-large-zh",
    "tao-8k",
    "bce-reranker-base",
    "irag-1.0",
    "flux.1-schnell",
  ],
  // cloud.baidu.com/doc/qianfan-docs/s/6mh3e6gjp: all models that chat
  natives: { "anthropic-messages": { root: "/anthropic/v1", keyHeader: "x-api-key" } },
  baseEndings: ["/v2"],
  notice: "nativeFormats",
  operations: ["chat", "embeddings", "images", "rerank", "models"],
  mark: { glyph: "B", colour: "#2a55d8" },
  quirks,
  failure,
  ownOperations: { images, rerank },
});
