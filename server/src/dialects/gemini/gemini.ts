/** Google's Gemini API as a wire format (ai.google.dev/api/generate-content): model and streaming are in the path. */
import type { Dialect } from "../dialect.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { GeminiDecoder } from "./stream/decoder.ts";
import { geminiEmbeddings } from "./operations/embeddings.ts";
import { GeminiEncoder } from "./stream/encoder.ts";
import type { FieldNames } from "../neutral/field-names.ts";
import { errorBody, isErrorBody, isErrorEnvelope, readGeminiFailure } from "./errors.ts";
import { geminiImages, geminiImagesReader } from "./operations/images.ts";
import { GeminiPassthrough } from "./stream/passthrough.ts";
import { encodeRequest } from "./request-encode.ts";
import { readRequest } from "./request-info.ts";
import { decodeRequest } from "./request-decode.ts";
import { withoutForeignProofs } from "./signature.ts";
import { TIER_HEADER, findTier, findUsage, normaliseUsage } from "./usage.ts";

/** Most settings of a request are in its generationConfig. */
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
  requiredFields: [{ field: "contents", code: "contents_missing" }],
  fieldNames: FIELD_NAMES,
  path,
  fetchedMedia: ["image", "file"],
  withoutForeignProofs,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder: () => new GeminiDecoder(),
  createEncoder: (info) => new GeminiEncoder(info),
  createPassthrough: (info, options) => new GeminiPassthrough(info, options),
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
  isErrorEnvelope,
  errorBody,
};
