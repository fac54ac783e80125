/** The quota that is set aside for a call while it runs; it ends in one settlement, or is given back. */
import { type Hold, isHoldFault } from "../../billing/billing.ts";
import type { SnapshotToken } from "../../snapshot/snapshot.ts";
import type { Call, CallEnd } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { withTimeout } from "../call/with-timeout.ts";

const HOLD_ERRORS = {
  user_quota: "insufficient_user_quota",
  token_quota: "pre_consume_token_quota_failed",
  unavailable: "books_unavailable",
} as const;

function holdFailed(error: unknown): never {
  if (isHoldFault(error)) throw new RelayError(HOLD_ERRORS[error.kind]);
  throw error;
}

/** Sets quota aside for a call, or for a part of it with an id of its own. Throws RelayError, or rejects with it. */
export function holdQuota(
  { context }: Call,
  token: SnapshotToken,
  amount: number,
  requestId: string,
): Promise<Hold> | Hold {
  try {
    const hold = context.billing.hold({
      requestId,
      userId: token.userId,
      tokenId: token.id,
      isTokenLimited: !token.isUnlimited,
      amount,
    });
    return hold instanceof Promise ? hold.catch(holdFailed) : hold;
  } catch (error) {
    return holdFailed(error);
  }
}

/** A database that takes longer to give a hold back is not waited for: the client reads its error at once. */
const RELEASE_WAIT_MS = 1_000;

export class HeldQuota implements CallEnd {
  readonly #call: Call;
  readonly #hold: Hold;
  #hasEnded = false;
  /** What of it the answer's tokens may cost; grows with the answer. */
  answerQuota: number;

  constructor(call: Call, hold: Hold, answerQuota: number) {
    this.#call = call;
    this.#hold = hold;
    this.answerQuota = answerQuota;
  }

  /** Holds more; false where the balance does not reach. */
  extend(amount: number): Promise<boolean> | boolean {
    return this.#call.context.billing.extend(this.#hold, amount);
  }

  /** Hands the hold over: from here on the caller of this function ends it, also where that fails. */
  take(): Hold {
    this.#hasEnded = true;
    return this.#hold;
  }

  /** Gives the quota back without a charge. */
  async release(): Promise<void> {
    if (!this.#hasEnded) await this.#call.context.billing.void(this.take());
  }

  /** So that the client's next call finds its quota free. */
  ended(): Promise<void> | undefined {
    if (this.#hasEnded) return undefined;
    const { context, requestId } = this.#call;
    const released = this.release().catch((error: unknown) =>
      context.logger.error({ requestId, err: error }, "a hold could not be given back; the sweeper will"),
    );
    return withTimeout(released, RELEASE_WAIT_MS);
  }
}
