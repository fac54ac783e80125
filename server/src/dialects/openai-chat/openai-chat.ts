/** OpenAI's chat completions as a wire format (platform.openai.com/docs/api-reference/chat), assembled from its parts. */
import type { Dialect } from "../dialect.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { createDecoder } from "./stream/decoder.ts";
import { openAiEmbeddings } from "./operations/embeddings.ts";
import { createEncoder } from "./stream/encoder.ts";
import { isPlainEnvelope } from "../neutral/passed-error.ts";
import { errorBody, isErrorBody, readFailure } from "./errors.ts";
import { openAiImages } from "./operations/images.ts";
import { ChatPassthrough } from "./stream/passthrough.ts";
import { readRequest } from "./request-info.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request-decode.ts";
import { findTier, findUsage, normaliseUsage } from "./usage.ts";

export const openAiChatDialect: Dialect = {
  name: "openai-chat",
  readRequest,
  requiredFields: [{ field: "messages", code: "messages_missing" }],
  fieldNames: { reasoning: "reasoning_effort" },
  path: () => "/v1/chat/completions",
  fetchedMedia: ["file"],
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder,
  createEncoder,
  createPassthrough: (info, options) => new ChatPassthrough(info, options),
  findUsage,
  findTier,
  normaliseUsage,
  isErrorBody,
  embeddings: openAiEmbeddings,
  images: openAiImages,
  readFailure,
  isErrorEnvelope: isPlainEnvelope,
  errorBody,
};
