/** Turns any thrown value into a readable sentence, with details for troubleshooting. */
import { ApiError } from "../../lib/api.ts";
import { i18n } from "../../lib/i18n.ts";
import { isMissingPart } from "./missing-part.ts";

/** Error types of the JavaScript engine, whose messages mean nothing to users. */
const ENGINE_ERRORS = ["TypeError", "ReferenceError", "SyntaxError", "RangeError", "InternalError"];

function messageOf(error: unknown): string {
  if (isMissingPart(error)) return i18n.t("ui:error.partMissing");
  if (!(error instanceof Error)) return String(error);
  return ENGINE_ERRORS.includes(error.name) ? i18n.t("ui:error.unexpected") : error.message;
}

/** The sentence to show, what 'copy details' copies, and the id under which the server's log has it. */
export function describeError(error: unknown): { message: string; details: string; requestId: string | undefined } {
  if (error instanceof ApiError) return { message: error.message, details: error.details, requestId: error.requestId };
  const details = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return { message: messageOf(error), details, requestId: undefined };
}
