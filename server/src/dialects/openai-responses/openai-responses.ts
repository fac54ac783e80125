/** OpenAI's Responses API as a wire format (platform.openai.com/docs/api-reference/responses). */
import type { Dialect } from "../dialect.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { ResponsesDecoder } from "./stream/decoder.ts";
import { ResponsesEncoder } from "./stream/encoder.ts";
import { isPlainEnvelope } from "../neutral/passed-error.ts";
import { errorBody, isErrorBody, readFailure } from "./errors.ts";
import { ResponsesPassthrough } from "./stream/passthrough.ts";
import { encodeRequest } from "./request-encode.ts";
import { readRequest } from "./request-info.ts";
import { decodeRequest } from "./request-decode.ts";
import { withoutForeignProofs } from "./signature.ts";
import { findTier, findUsage, normaliseUsage } from "./usage.ts";

export const openAiResponsesDialect: Dialect = {
  name: "openai-responses",
  readRequest,
  requiredFields: [{ field: "input", code: "input_missing" }],
  fieldNames: {
    messages: "input",
    max_tokens: "max_output_tokens",
    logprobs: "include",
    response_format: "text.format",
    verbosity: "text.verbosity",
  },
  path: () => "/v1/responses",
  fetchedMedia: [],
  withoutForeignProofs,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder: () => new ResponsesDecoder(),
  createEncoder: (info) => new ResponsesEncoder(info),
  createPassthrough: (info) => new ResponsesPassthrough(info),
  findUsage,
  findTier,
  normaliseUsage,
  isErrorBody,
  readFailure,
  isErrorEnvelope: isPlainEnvelope,
  errorBody: (error) => errorBody(error),
  tokenCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};
