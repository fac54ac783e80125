/** Reads an upstream's error, for the log and the next attempt, and the part that a client of the same format is shown. */
import { passedError } from "../../dialects/neutral/passed-error.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import { withoutUpstreamKey } from "../../upstream/fault.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";

/** An error as it came: `status` is that of the answer it is in, 200 where that began as a success. */
interface ErrorAnswer {
  status: number;
  body: string;
  headers?: ResponseHeaders;
}

/** The failure, without the key of the channel; with the upstream's own envelope where it speaks the client's format. */
export function readUpstreamFailure(
  { provider, channel, dialect: format, operationCall }: Target,
  { dialect }: Pick<Accepted, "dialect">,
  { status, body, headers }: ErrorAnswer,
): UpstreamFailure {
  const hide = (text: string): string => withoutUpstreamKey(text, channel.key);
  const failure = provider.failure(status, hide(body), headers);
  if (format !== dialect || operationCall !== undefined) return failure;
  const verbatim = passedError({ body, failure, hide, isEnvelope: dialect.isErrorEnvelope });
  return verbatim === undefined ? failure : { ...failure, verbatim };
}

/** The error that ends a stream whose client has some of the answer. */
export function errorInStream(
  { message, type, code, verbatim }: UpstreamFailure,
  { dialect: format }: Pick<Target, "dialect">,
  { dialect }: Pick<Accepted, "dialect">,
): RelayError {
  return new RelayError("upstream_failed", { message, type, code, verbatim, hasPlainWords: format === dialect });
}
