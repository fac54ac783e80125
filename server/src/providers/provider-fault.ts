/** Keys that have parts, and failures to prepare a request (token, signature, upload), in the form of an upstream's failure. */
import { Fault } from "../../../contract/src/fault.ts";
import type { UpstreamFailure } from "./provider.ts";

/** A request could not be made ready, for a reason that speaks of the channel or of the request. */
export class ProviderFault extends Fault<"provider"> {
  readonly failure: UpstreamFailure;
  constructor(failure: UpstreamFailure) {
    super("provider", failure.message);
    this.failure = failure;
  }
}

/** The parts of a key such as `AccessKey|SecretKey|Region` in their order, trimmed. */
export const keyParts = (key: string): string[] => key.split("|").map((part) => part.trim());

/** A key that has not the parts that its provider needs. */
export const malformedKey = (message: string): ProviderFault =>
  new ProviderFault({
    kind: "auth",
    status: 401,
    isRetryable: true,
    message,
    type: "authentication_error",
    code: "malformed_key",
  });
