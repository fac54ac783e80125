/** Errors of chat completions: the envelope, and the error event inside a stream (platform.openai.com/docs/guides/error-codes). */
import type { ErrorInfo } from "../neutral/info.ts";
import { objectOf, parseObject } from "../json/fields.ts";
import { type ReadFailure, readFailure as readAnyFailure, redact } from "../neutral/failure.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { brokenWord } from "./finish.ts";

/** The error envelope: `{"error":{...}}`, every field present as the official SDKs expect. */
export const errorBody = ({ message, type, param, code, details }: ErrorInfo): string =>
  JSON.stringify({ error: { ...details, message, type, param, code: code === "" ? null : code } });

/** Longer ones an agent does not mend. */
const MAX_GENERATION_CHARACTERS = 16_000;

/**
 * Reads a failed answer, or an error inside a success (status 200). Groq's holds what the model wrote in place of a call or of the JSON it was
 * asked for, which agents mend or show to the model (console.groq.com/docs/errors).
 */
export function readFailure(status: number, body: string): ReadFailure {
  const failure = readAnyFailure(status, body);
  const generation = objectOf(parseObject(body)?.["error"])["failed_generation"];
  if (typeof generation !== "string" || generation === "") return failure;
  return { ...failure, details: { failed_generation: redact(generation).slice(0, MAX_GENERATION_CHARACTERS) } };
}

/** An error inside a stream that has begun. */
export const errorFrame = (error: ErrorInfo): string => `data: ${error.verbatim ?? errorBody(error)}\n\n`;

/** True for a parsed body that came with a status of success and is an error all the same. */
export const isErrorBody = (fields: JsonObject): boolean =>
  (fields["error"] !== undefined && fields["error"] !== null && fields["choices"] === undefined) ||
  brokenWord(fields) !== undefined;
