/** Maps failures of upstream requests for the console: to an error for the caller, or to a code with values that is stored with the channel. */
import type { TestFailure } from "../../../contract/src/channels/channel-tests.ts";
import { networkMeaning } from "../../../contract/src/channels/network-failures.ts";
import { AppError } from "../../../contract/src/errors.ts";
import { redact } from "../observe/logger.ts";
import { type FaultKind, UpstreamFault } from "../upstream/fault.ts";

/** Timeout of the first byte for requests of the console. */
const FIRST_BYTE_TIMEOUT_SECONDS = 30;

/** The operating system's or TLS's code of a connection that was not made, such as ECONNREFUSED; undefined where there is none. */
function networkCodeOf({ cause, kind }: UpstreamFault): string | undefined {
  const said = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  return kind === "connect" && said !== "" && !said.startsWith("UND_ERR") ? said : undefined;
}

/** In texts for users, a refused address is an error of its own. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? redact(error.message) : "The upstream did not answer";
  const code = error instanceof UpstreamFault && error.kind === "address" ? "address_refused" : "upstream_failed";
  const network = error instanceof UpstreamFault ? networkCodeOf(error) : undefined;
  if (network === undefined) return new AppError(code, { message, cause: error });
  const meaning = networkMeaning(network);
  const failure = meaning === undefined ? "connectReason" : `network.${meaning}`;
  return new AppError(code, { message, cause: error, values: { failure, code: network, reason: network } });
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
  const fault = error as UpstreamFault;
  const reason = networkCodeOf(fault);
  return reason === undefined ? REASONS[fault.kind] : { code: "connect", values: { reason } };
}
