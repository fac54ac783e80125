/** Maps failures of upstream requests for the console: to an error for the caller, or to a code with values that is stored with the channel. */
import type { TestFailure } from "../../../contract/src/channel-tests.ts";
import { AppError } from "../../../contract/src/errors.ts";
import { redact } from "../observe/logger.ts";
import { type FaultKind, UpstreamFault } from "../upstream/fault.ts";

/** Timeout of the first byte for requests of the console. */
const FIRST_BYTE_TIMEOUT_SECONDS = 30;

/** In texts for users, a refused address is an error of its own. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? redact(error.message) : "The upstream did not answer";
  const code = error instanceof UpstreamFault && error.kind === "address" ? "address_refused" : "upstream_failed";
  return new AppError(code, { message, cause: error });
}

const UNREADABLE: TestFailure = { code: "unreadable_answer", values: {} };

const REASONS: Readonly<Record<FaultKind, TestFailure>> = {
  address: { code: "address_refused", values: {} },
  connect: { code: "connect", values: {} },
  connect_timeout: { code: "connect_timeout", values: {} },
  first_byte_timeout: { code: "timeout", values: { seconds: FIRST_BYTE_TIMEOUT_SECONDS } },
  idle_timeout: { code: "idle_timeout", values: {} },
  reset: { code: "reset", values: {} },
  // Given up because it had no end.
  aborted: UNREADABLE,
  decode: UNREADABLE,
};

/** The stored reason of an unanswered request to a channel. */
export function reasonOf(error: unknown): TestFailure {
  if (!(error instanceof UpstreamFault))
    return { code: "not_possible", values: { message: asAppError(error).message } };
  const { cause, kind } = error as UpstreamFault;
  const said = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  const hasSaid = kind === "connect" && said !== "" && !said.startsWith("UND_ERR");
  return hasSaid ? { code: "connect", values: { reason: said } } : REASONS[kind];
}
