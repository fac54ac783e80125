/** Reads the model, stream flag and limits of a Responses request from its own bytes. */
import type { RequestInfo } from "../neutral/info.ts";
import { type JsonTop, valueOf } from "../json/bytes.ts";
import { textOf } from "../json/fields.ts";
import { positive, estimateRequest } from "../neutral/request-info.ts";

/** What the relay needs of a body; values of the wrong type count as absent. */
export function readRequest(body: Buffer, top: JsonTop): RequestInfo {
  return {
    top,
    model: textOf(valueOf(body, top, "model")),
    isStream: valueOf(body, top, "stream") === true,
    asksUsage: true,
    maxTokens: positive(valueOf(body, top, "max_output_tokens")),
    choices: 1,
    ...estimateRequest(body, top),
  };
}
