/** Errors of chat completions: the envelope, and how a client is told of one inside a stream (platform.openai.com/docs/guides/error-codes). */
import type { ErrorInfo } from "../neutral/info.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { brokenWord } from "./finish.ts";

/** The error envelope: `{"error":{...}}`, every field present as the official SDKs expect. */
export const errorBody = ({ message, type, param, code }: ErrorInfo): string =>
  JSON.stringify({ error: { message, type, param, code } });

/** An error inside a stream that has begun. */
export const errorFrame = (error: ErrorInfo): string => `data: ${errorBody(error)}\n\n`;

/** True for a parsed body that came with a status of success and is an error all the same. */
export const isErrorBody = (fields: JsonObject): boolean =>
  (fields["error"] !== undefined && fields["error"] !== null && fields["choices"] === undefined) ||
  brokenWord(fields) !== undefined;
