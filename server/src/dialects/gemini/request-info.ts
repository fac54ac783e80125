/** Reads the model, stream flag and limits of a Gemini request from its path and its own bytes. */
import type { PathInfo, RequestInfo } from "../neutral/info.ts";
import { type JsonTop, valueOf } from "../json/bytes.ts";
import { objectOf } from "../json/fields.ts";
import { positive, estimateRequest } from "../neutral/request-info.ts";
import { pick, snakeOf } from "./fields.ts";

/** What the relay needs of a call; values of the wrong type count as absent. */
export function readRequest(body: Buffer, top: JsonTop, path: PathInfo): RequestInfo {
  const name = "generationConfig";
  const config = objectOf(valueOf(body, top, name) ?? valueOf(body, top, snakeOf(name)));
  return {
    top,
    model: path.model,
    isStream: path.isStream,
    asksUsage: true,
    maxTokens: positive(pick(config, "maxOutputTokens")),
    choices: positive(pick(config, "candidateCount")) ?? 1,
    ...estimateRequest(body, top),
  };
}
