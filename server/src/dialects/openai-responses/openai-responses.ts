/** OpenAI's Responses API as a wire format (platform.openai.com/docs/api-reference/responses). */
import type { Dialect, RequestFacts } from "../dialect.ts";
import { type JsonTop, valueOf } from "../json-bytes.ts";
import { textOf } from "../json-fields.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { ResponsesDecoder } from "./decoder.ts";
import { ResponsesEncoder } from "./encoder.ts";
import { errorBody, isErrorBody, readFailure } from "./errors.ts";
import { ResponsesPassPipe } from "./pass.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request.ts";
import { withoutForeignProofs } from "./signature.ts";
import { findTier, findUsage, normaliseUsage } from "./usage.ts";
import { positive, wordBytes } from "../request-facts.ts";

function readRequest(body: Buffer, top: JsonTop): RequestFacts {
  return {
    top,
    model: textOf(valueOf(body, top, "model")),
    isStream: valueOf(body, top, "stream") === true,
    asksUsage: true,
    maxTokens: positive(valueOf(body, top, "max_output_tokens")),
    choices: 1,
    ...wordBytes(body, top),
  };
}

export const openAiResponsesDialect: Dialect = {
  name: "openai-responses",
  readRequest,
  needed: [{ field: "input", code: "input_missing" }],
  fieldNames: {
    messages: "input",
    max_tokens: "max_output_tokens",
    logprobs: "include",
    response_format: "text.format",
    verbosity: "text.verbosity",
  },
  unserved: { background: "answers are not kept here, so one that is made in the background could never be fetched" },
  path: () => "/v1/responses",
  fetchedMedia: [],
  withoutForeignProofs,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  createDecoder: () => new ResponsesDecoder(),
  createEncoder: (facts) => new ResponsesEncoder(facts),
  createPassPipe: (facts) => new ResponsesPassPipe(facts),
  findUsage,
  findTier,
  normaliseUsage,
  isErrorBody,
  readFailure,
  errorBody: (error) => errorBody(error),
};
