/** Anthropic's Messages API as a wire format (platform.claude.com/docs/en/api/messages), assembled from its parts. */
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { createDecoder } from "./stream/decoder.ts";
import { createEncoder } from "./stream/encoder.ts";
import { errorBody, isErrorBody, isErrorEnvelope, readFailure } from "./errors.ts";
import { AnthropicPassthrough } from "./stream/passthrough.ts";
import { readRequest } from "./request-info.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request-decode.ts";
import { withoutForeignProofs } from "./signature.ts";
import { findUsage, normaliseUsage } from "./usage.ts";
import type { Dialect } from "../dialect.ts";

export const anthropicMessagesDialect: Dialect = {
  name: "anthropic-messages",
  readRequest,
  requiredFields: [
    { field: "messages", code: "messages_missing" },
    { field: "max_tokens", code: "max_tokens_missing" },
  ],
  fieldNames: {
    reasoning: "thinking",
    response_format: "output_config.format",
    stop: "stop_sequences",
    user: "metadata.user_id",
  },
  path: () => "/v1/messages",
  fetchedMedia: [],
  withoutForeignProofs,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder,
  createEncoder,
  createPassthrough: () => new AnthropicPassthrough(),
  findUsage,
  normaliseUsage,
  isErrorBody,
  tokenCount: (tokens) => ({ input_tokens: tokens }),
  readFailure,
  isErrorEnvelope,
  errorBody,
};
