/** Google's Gemini API as a wire format (ai.google.dev/api/generate-content): model and streaming stand in the path. */
import type { Dialect, PathFacts, RequestFacts } from "../dialect.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { GeminiDecoder } from "./decoder.ts";
import { geminiEmbeddings } from "./embeddings.ts";
import { GeminiEncoder } from "./encoder.ts";
import type { FieldNames } from "../field-names.ts";
import { errorBody, isErrorBody, readGeminiFailure } from "./errors.ts";
import { pick, snakeOf } from "./fields.ts";
import { geminiImages, geminiImagesReader } from "./images.ts";
import { GeminiPass } from "./pass.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request.ts";
import { withoutForeignProofs } from "./signature.ts";
import { TIER_HEADER, findTier, findUsage, normaliseUsage } from "./usage.ts";
import { type JsonTop, valueOf } from "../json-bytes.ts";
import { objectOf } from "../json-fields.ts";
import { positive, wordBytes } from "../request-facts.ts";

function readRequest(body: Buffer, top: JsonTop, path: PathFacts): RequestFacts {
  const name = "generationConfig";
  const config = objectOf(valueOf(body, top, name) ?? valueOf(body, top, snakeOf(name)));
  return {
    top,
    model: path.model,
    isStream: path.isStream,
    asksUsage: true,
    maxTokens: positive(pick(config, "maxOutputTokens")),
    choices: positive(pick(config, "candidateCount")) ?? 1,
    ...wordBytes(body, top),
  };
}

/** Most settings of a request stand in its generationConfig. */
const FIELD_NAMES: FieldNames = {
  messages: "contents",
  max_tokens: "generationConfig.maxOutputTokens",
  temperature: "generationConfig.temperature",
  top_p: "generationConfig.topP",
  top_k: "generationConfig.topK",
  presence_penalty: "generationConfig.presencePenalty",
  frequency_penalty: "generationConfig.frequencyPenalty",
  seed: "generationConfig.seed",
  stop: "generationConfig.stopSequences",
  n: "generationConfig.candidateCount",
  logprobs: "generationConfig.responseLogprobs",
  top_logprobs: "generationConfig.logprobs",
  response_format: "generationConfig.responseJsonSchema",
  reasoning: "generationConfig.thinkingConfig",
  tool_choice: "toolConfig",
  metadata: "labels",
  service_tier: "serviceTier",
};

/** Upstreams are always asked for events; an array for the client is made of them. */
const path = (model: string, isStream: boolean): string =>
  `/v1beta/models/${encodeURIComponent(model)}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`;

export const geminiDialect: Dialect = {
  name: "gemini",
  readRequest,
  needed: [{ field: "contents", code: "contents_missing" }],
  fieldNames: FIELD_NAMES,
  path,
  fetchedMedia: ["image", "file"],
  withoutForeignProofs,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder: () => new GeminiDecoder(),
  createEncoder: (facts) => new GeminiEncoder(facts),
  createPassPipe: (facts, options) => new GeminiPass(facts, options),
  findUsage,
  findTier,
  tierHeader: TIER_HEADER,
  normaliseUsage,
  isErrorBody,
  embeddings: geminiEmbeddings,
  images: geminiImages,
  imagesReader: geminiImagesReader,
  tokenCount: (tokens) => ({ totalTokens: tokens }),
  readFailure: readGeminiFailure,
  errorBody,
};
