/** Turns any thrown value into a readable sentence, with details for troubleshooting. */
import { ApiError } from "../../lib/api.ts";
import { translate } from "../../lib/i18n.ts";
import { isMissingPart } from "./missing-part.ts";

/** Error types of the JavaScript engine, whose messages mean nothing to users. */
const ENGINE_ERRORS = ["TypeError", "ReferenceError", "SyntaxError", "RangeError", "InternalError"];

function messageOf(error: unknown): string {
  if (isMissingPart(error)) return translate("ui:error.partMissing");
  if (!(error instanceof Error)) return String(error);
  return ENGINE_ERRORS.includes(error.name) ? translate("ui:error.unexpected") : error.message;
}

export interface ErrorInWords {
  message: string;
  details: string;
  requestId: string | undefined;
  /** The call that failed, for what a later success of it closes. */
  act: string | undefined;
}

/** The sentence to show, what 'copy details' copies, the id under which the server's log has it, and the call that failed. */
export function describeError(error: unknown): ErrorInWords {
  if (error instanceof ApiError) {
    const { message, details, requestId, act } = error;
    return { message, details, requestId, act };
  }
  const details = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  return { message: messageOf(error), details, requestId: undefined, act: undefined };
}
