/** The context-length error in the format of the client's vendor: agents compact a conversation at that, and stop at others. */
import { type ContextOverflow, overflowSentence } from "../../dialects/neutral/context-overflow.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import { RelayError } from "../call/relay-error.ts";

/** The code that OpenAI's clients look for (platform.openai.com/docs/guides/error-codes). */
const SHOWN_CODE = "context_length_exceeded";

/** Field at fault in OpenAI's formats; the others name none. */
const PARAMS: Readonly<Partial<Record<DialectName, string>>> = {
  "openai-chat": "messages",
  "openai-responses": "input",
};

/** Always 400. `words` are the upstream's own, for where the numbers are not known; `vendorCode` is what the log has of an upstream's refusal. */
export function tooLong(
  code: "input_too_long" | "upstream_failed",
  dialect: DialectName,
  overflow: ContextOverflow,
  { words, vendorCode }: { words?: string; vendorCode?: string } = {},
): RelayError {
  const param = PARAMS[dialect];
  return new RelayError(code, {
    status: 400,
    type: "invalid_request_error",
    message: overflowSentence(dialect, overflow, words),
    shownCode: dialect === "openai-chat" || dialect === "openai-responses" ? SHOWN_CODE : "",
    ...(vendorCode === undefined ? {} : { code: vendorCode }),
    ...(param === undefined ? {} : { param }),
  });
}
