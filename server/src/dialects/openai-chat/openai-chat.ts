/** OpenAI's chat completions as a wire format (platform.openai.com/docs/api-reference/chat), put together from its parts. */
import type { Dialect } from "../dialect.ts";
import { readFailure } from "../failure.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { createDecoder } from "./decoder.ts";
import { openAiEmbeddings } from "./embeddings.ts";
import { createEncoder } from "./encoder.ts";
import { errorEnvelope } from "./frames.ts";
import { openAiImages } from "./images.ts";
import { ChatPassPipe } from "./pass.ts";
import { readRequest } from "./read.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request.ts";
import { findTier, findUsage, normaliseUsage } from "./usage.ts";

export const openAiChatDialect: Dialect = {
  name: "openai-chat",
  readRequest,
  needed: [{ field: "messages", code: "messages_missing" }],
  fieldNames: { reasoning: "reasoning_effort" },
  path: () => "/v1/chat/completions",
  fetchedMedia: ["file"],
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder,
  createEncoder,
  createPassPipe: (facts, options) => new ChatPassPipe(facts, options),
  findUsage,
  findTier,
  normaliseUsage,
  isErrorBody: (fields) => fields["error"] !== undefined && fields["error"] !== null && fields["choices"] === undefined,
  embeddings: openAiEmbeddings,
  images: openAiImages,
  readFailure,
  errorBody: errorEnvelope,
};
