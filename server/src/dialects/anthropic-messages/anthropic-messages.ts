/** Anthropic's Messages API as a wire format (platform.claude.com/docs/en/api/messages), put together from its parts. */
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { createDecoder } from "./decoder.ts";
import { createEncoder } from "./encoder.ts";
import { errorBody, readFailure } from "./errors.ts";
import { AnthropicPassPipe } from "./pass.ts";
import { readRequest } from "./read.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request.ts";
import { withoutForeignProofs } from "./foreign.ts";
import { findUsage, normaliseUsage } from "./usage.ts";
import type { Dialect } from "../dialect.ts";
import { isObject, textOf } from "../json-fields.ts";

export const anthropicMessagesDialect: Dialect = {
  name: "anthropic-messages",
  readRequest,
  needed: [
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
  createPassPipe: () => new AnthropicPassPipe(),
  findUsage,
  normaliseUsage,
  isErrorBody: (fields) =>
    fields["type"] === "error" ||
    ((isObject(fields["error"]) || textOf(fields["error"]) !== "") && fields["content"] === undefined),
  tokenCount: (tokens) => ({ input_tokens: tokens }),
  readFailure,
  errorBody,
};
