/** Reads the model, stream flag and limits of an Anthropic request from its own bytes. */
import type { RequestInfo } from "../neutral/info.ts";
import { type JsonTop, valueOf } from "../json/bytes.ts";
import { positive, estimateRequest } from "../neutral/request-info.ts";

/** Usage is in every stream, and there is one answer. `max_tokens: 0` only fills the vendor's cache: no bound of our own. */
export function readRequest(body: Buffer, top: JsonTop): RequestInfo {
  const model = valueOf(body, top, "model");
  return {
    top,
    model: typeof model === "string" ? model : "",
    isStream: valueOf(body, top, "stream") === true,
    asksUsage: true,
    maxTokens: positive(valueOf(body, top, "max_tokens")),
    choices: 1,
    ...estimateRequest(body, top),
  };
}
