/** Reads the model, stream flag and limits of an OpenAI request from its own bytes, and the stream options the relay adds. */
import type { RequestInfo } from "../neutral/info.ts";
import { type JsonTop, fieldOf, readTopLevel, valueOf } from "../json/bytes.ts";
import { patchTopLevel } from "../json/patch.ts";
import { positive, estimateRequest } from "../neutral/request-info.ts";

const maximum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** What the relay needs of a body; every dialect of OpenAI's spells these fields alike. */
export function readRequest(body: Buffer, top: JsonTop): RequestInfo {
  const read = (name: string): unknown => valueOf(body, top, name);
  const model = read("model");
  const isStream = read("stream") === true;
  const options = isStream ? read("stream_options") : undefined;
  return {
    top,
    model: typeof model === "string" ? model : "",
    isStream,
    asksUsage:
      typeof options === "object" && options !== null && "include_usage" in options && options.include_usage === true,
    maxTokens: maximum(positive(read("max_tokens")), positive(read("max_completion_tokens"))),
    choices: positive(read("n")) ?? 1,
    ...estimateRequest(body, top),
  };
}

/** JSON text of stream_options with include_usage on and the client's other options; undefined where it already is on. */
export function forcedStreamOptions(body: Buffer, request: RequestInfo): string | undefined {
  if (request.asksUsage) return undefined;
  const field = fieldOf(request.top, "stream_options");
  const fresh = '{"include_usage":true}';
  if (field === undefined) return fresh;
  const own = body.subarray(field.valueStart, field.valueEnd);
  if (own[0] !== 123) return fresh;
  return patchTopLevel(own, readTopLevel(own.toString("latin1"), 64), new Map([["include_usage", "true"]])).toString(
    "utf8",
  );
}
