/** Quota held for a call while it runs; it ends in one settlement, or is released. Distinguishes a low balance from a failing ledger. */
import { type Hold, isHoldFault } from "../../billing/billing.ts";
import type { SnapshotToken } from "../../snapshot/snapshot.ts";
import type { Call, CallEnd } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { endsWithin, withTimeout } from "../../util/deadline.ts";
import type { Cover, Covers, ToolQuota } from "./hold-estimate.ts";
import { LEDGER_WAIT_MS, type Needed, shortOfBalance, shortOfTokenQuota, topUpSentence } from "./shortage.ts";
import type { TokenCounts } from "./terms.ts";

async function holdFailed(error: unknown, { context }: Call, token: SnapshotToken, needed: Needed): Promise<never> {
  if (!isHoldFault(error)) throw error;
  if (error.kind === "unavailable") throw new RelayError("books_unavailable");
  throw await (error.kind === "user_quota" ? shortOfBalance : shortOfTokenQuota)(context, token, needed);
}

/**
 * Sets quota aside for a call, or for a part of it with an id of its own; `least` is enough where it is the account's only one. Rejects
 * with RelayError.
 */
export function holdQuota(
  call: Call,
  token: SnapshotToken,
  amount: number,
  requestId: string,
  least = amount,
): Promise<Hold> | Hold {
  const failed = (error: unknown): Promise<never> => holdFailed(error, call, token, { most: amount, least });
  try {
    const hold = call.context.billing.hold({
      requestId,
      userId: token.userId,
      tokenId: token.id,
      isTokenLimited: !token.isUnlimited,
      amount,
      least,
    });
    return hold instanceof Promise ? hold.catch(failed) : hold;
  } catch (error) {
    return failed(error);
  }
}

/** A database that takes longer to give a hold back is not waited for: the client reads its error at once. */
const RELEASE_WAIT_MS = 1_000;

export class HeldQuota implements CallEnd {
  readonly #call: Call;
  readonly #hold: Hold;
  #hasEnded = false;
  /** What is held that may be spent; what an answer under way adds is not counted. */
  #spendable: number;
  /** Less is held than the call may cost, which is for the only open call of an account. */
  readonly #isAlone: boolean;
  /** The part for the answer's tokens; grows with the answer. */
  answerQuota: number;
  /** Tokens that it covered when it was made, or when the request was changed. */
  tokens: TokenCounts;

  constructor(call: Call, hold: Hold, { quota, tokens }: Cover, isAlone = false) {
    this.#call = call;
    this.#hold = hold;
    this.#spendable = hold.spendable;
    this.#isAlone = isAlone;
    this.answerQuota = quota;
    this.tokens = tokens;
  }

  /** Holds more; false where the balance does not reach. */
  extend(amount: number): Promise<boolean> | boolean {
    return this.#call.context.billing.extend(this.#hold, amount);
  }

  /** Holds so much for a further part of the call, beside what is held for those before it. False where the balance does not reach. */
  async add(amount: number): Promise<boolean> {
    if (amount <= 0) return true;
    if (!(await this.extend(amount))) return false;
    this.#spendable += amount;
    this.answerQuota += amount;
    return true;
  }

  /**
   * Before an answer: holds as much as another request for the same call needs, and never less than before. Rejects with RelayError where
   * the balance does not reach.
   */
  async cover({ bound, least }: Covers, tools: ToolQuota): Promise<void> {
    const all = bound.quota + tools.most;
    const more = all - this.#spendable;
    if (more <= 0 || (await this.extend(more))) {
      this.#spendable = Math.max(all, this.#spendable);
      this.answerQuota = this.#spendable - tools.most;
      this.tokens = bound.tokens;
      return;
    }
    const needed = { most: all, least: this.#isAlone ? least.quota + tools.least : all };
    if (needed.least > this.#spendable) throw await this.#shortage(needed);
    this.answerQuota = this.#spendable - tools.least;
    this.tokens = least.tokens;
  }

  async #shortage(needed: Needed): Promise<RelayError> {
    const { context } = this.#call;
    const { userId, tokenId, isTokenLimited } = this.#hold;
    const error = await awaitedInsufficientQuota(context, userId);
    if (error.code === "books_unavailable") return error;
    const payer = { id: tokenId, userId, isUnlimited: !isTokenLimited };
    return shortOfBalance(context, payer, { ...needed, held: this.#spendable });
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
  ended(): Promise<unknown> | undefined {
    if (this.#hasEnded) return undefined;
    const { context, logFields } = this.#call;
    const released = this.release().catch((error: unknown) =>
      context.logger.error({ ...logFields, err: error }, "a hold could not be given back; the sweeper will"),
    );
    return endsWithin(released, RELEASE_WAIT_MS);
  }
}

const REACHED = "The balance does not reach for the rest of this answer.";

/** The reason as the ledger knows it at once. */
export const insufficientQuota = ({ billing, snapshot }: RelayContext): RelayError =>
  billing.isHealthy
    ? new RelayError("quota_reached", { message: REACHED + topUpSentence(snapshot.options) })
    : new RelayError("books_unavailable");

/** The same for a ledger in a database that may not have answered: one more query shows whether it is there. */
export async function awaitedInsufficientQuota(context: RelayContext, userId: number): Promise<RelayError> {
  const asked = context.billing.available(userId).then(
    () => true,
    () => false,
  );
  const isThere = await withTimeout(asked, LEDGER_WAIT_MS, () => false);
  return isThere ? insufficientQuota(context) : new RelayError("books_unavailable");
}
