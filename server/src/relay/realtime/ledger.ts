/** The ledger of one realtime session: each answer and each transcript is a charge of its own, under its own id, with quota held before it begins. */
import { billedUsage } from "../../../../contract/src/pricing/broken-stream.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { Hold, Settlement } from "../../billing/billing.ts";
import type { NormalisedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Admission } from "../admission/admit.ts";
import { type Caller, checkModelLimits } from "../admission/caller.ts";
import { groupFor } from "../admission/groups.ts";
import type { AnswerEnd } from "../call/answer.ts";
import type { Call, Charge } from "../call/call.ts";
import type { Target } from "../call/target.ts";
import { holdQuota } from "../metering/held-quota.ts";
import { costOf } from "../metering/cost.ts";
import { countAnswer, settlementOf } from "../metering/settle.ts";
import { type Terms, quotaFor, termsFor } from "../metering/terms.ts";
import type { Accepted } from "../request/accepted.ts";

/** One thing to charge for. */
export interface Charged {
  usage: NormalisedUsage;
  rawUsage: unknown;
  end: AnswerEnd;
  /** True where the gateway itself ended the session. */
  isOwnFault?: boolean;
  /** Model whose price holds, where it is not the session's own: the one that writes transcripts. */
  model?: string;
}

/** When the answer under way began and first said something; whole milliseconds of the session, 0 for not yet. */
interface Moments {
  createdAt: number;
  startMs: number;
  firstMs: number;
}

export class RealtimeLedger {
  readonly #call: Call;
  readonly #accepted: Accepted;
  readonly #target: Target;
  /** As token and user are now; the session looks at them again and again. */
  caller: Caller;
  #terms: Terms;
  /** Quota of one step of an answer, spoken both ways. */
  readonly #stepQuota: number;
  #hold: Hold | undefined;
  #holdQuota: number;
  #charges = 0;
  #moments: Moments;

  /** Takes over the hold that let the session in. */
  constructor(call: Call, accepted: Accepted, { caller, quote, hold }: Admission, target: Target) {
    this.#call = call;
    this.#accepted = accepted;
    this.#target = target;
    this.caller = caller;
    this.#terms = quote.terms;
    this.#hold = hold.take();
    this.#stepQuota = this.#holdQuota = hold.answerQuota;
    this.#moments = this.#now();
  }

  #now(): Moments {
    const { elapsedMs, context } = this.#call;
    return { createdAt: context.nowSeconds(), startMs: elapsedMs, firstMs: 0 };
  }

  /** Id of the next charge, and of its hold. */
  get #nextId(): string {
    return `${this.#call.requestId}-${this.#charges + 1}`;
  }

  /** Terms of this moment for a model. Throws RelayError where the session may not use it, or it has no price. */
  #termsOf(model: string): Terms {
    checkModelLimits(this.caller, model);
    return termsFor(this.#call.context.snapshot, model, this.caller.user, this.#terms.group);
  }

  /** An answer begins: it is let in and charged as a call of this moment would be. Throws RelayError. */
  began(): void {
    const { model } = this.#accepted;
    this.#moments = this.#now();
    this.#terms = { ...this.#terms, group: groupFor(this.#call.context.snapshot, this.caller, model) };
    this.#terms = this.#termsOf(model);
  }

  /** The answer under way says something. */
  spoke(): void {
    if (this.#moments.firstMs === 0) this.#moments.firstMs = this.#call.elapsedMs;
  }

  /** Holds more where the answer under way has outgrown its hold; false where the balance does not reach. */
  covers(usage: Usage): boolean | Promise<boolean> {
    const more = quotaFor(this.#terms, usage) - this.#holdQuota;
    if (more <= 0 || this.#hold === undefined) return true;
    const amount = more + this.#stepQuota;
    this.#holdQuota += amount;
    return this.#call.context.billing.extend(this.#hold, amount);
  }

  /** Posts an answer or transcript and resolves once that is durable. Throws RelayError where a transcript has no price. */
  async settle(charged: Charged): Promise<void> {
    const call = this.#call;
    // What came is owed although the balance did not reach for more.
    const hold = this.#hold ?? (await holdQuota(call, this.caller.token, 0, this.#nextId));
    const { billing, snapshot } = call.context;
    const usage = billedUsage(charged.usage.usage, charged.end, snapshot.options.BrokenStreamBilling);
    const settlement =
      charged.model === undefined ? this.#answer(charged, usage) : this.#transcript(charged, usage, charged.model);
    this.#hold = undefined;
    call.charge = withTotals(call.charge, usage, settlement.charge);
    await billing.settle(hold, settlement);
    countAnswer(call, settlement, charged.end, this.#accepted.isStream);
  }

  #answer(charged: Charged, usage: Usage): Settlement {
    const settlement = this.#settlementOf(charged, usage, this.#accepted, this.#terms, this.#moments);
    this.#moments = this.#now();
    return settlement;
  }

  #transcript(charged: Charged, usage: Usage, model: string): Settlement {
    return this.#settlementOf(charged, usage, { ...this.#accepted, model }, this.#termsOf(model), this.#now());
  }

  #settlementOf(
    { usage: { faults, usage: used }, rawUsage, end, isOwnFault = false }: Charged,
    usage: Usage,
    accepted: Accepted,
    terms: Terms,
    { createdAt, startMs, firstMs }: Moments,
  ): Settlement {
    const call = this.#call;
    const own = { requestId: this.#nextId, createdAt };
    this.#charges += 1;
    call.trace.firstByteMs = firstMs === 0 ? 0 : Math.max(1, firstMs - startMs);
    const answer = { ...SILENT, target: this.#targetOf(accepted), end, rawUsage, isOwnFault };
    const cost = costOf(call, accepted, terms, { answer, counted: used, charged: used });
    const charge = { answer, usage, faults, quota: quotaFor(terms, usage), isDelivered: true, isCharged: true, cost };
    const settlement = { ...settlementOf(call, this.caller, accepted, terms, charge), ...own };
    const useTimeMs = call.elapsedMs - startMs;
    if (settlement.log !== undefined) settlement.log = { ...settlement.log, ...own, useTimeMs };
    return settlement;
  }

  /** A transcript is written by another model of the same channel, which is called by its own name. */
  #targetOf({ model }: Accepted): Target {
    return model === this.#accepted.model ? this.#target : { ...this.#target, upstreamModel: model };
  }

  /** Throws RelayError where the session may not use this model, or it has no price. */
  checkModel(model: string): void {
    this.#termsOf(model);
  }

  /** Holds quota for the next answer: one step, and `again`, what it reads again of the conversation. Throws RelayError. */
  async holdNext(again: Usage): Promise<void> {
    const amount = this.#stepQuota + (again.inputTokens === 0 ? 0 : quotaFor(this.#terms, again));
    this.#hold = await holdQuota(this.#call, this.caller.token, amount, this.#nextId);
    this.#holdQuota = amount;
  }

  /** Ends what is held without a charge. */
  async release(): Promise<void> {
    const hold = this.#hold;
    this.#hold = undefined;
    if (hold !== undefined) await this.#call.context.billing.void(hold);
  }
}

/** An answer whose bytes were passed through. */
const SILENT = {
  status: 101,
  wordTokens: 0,
  isDelivered: true,
  complete: (): void => undefined,
} as const;

const withTotals = (total: Charge, usage: Usage, quota: number): Charge => ({
  usage: {
    ...usage,
    inputTokens: total.usage.inputTokens + usage.inputTokens,
    outputTokens: total.usage.outputTokens + usage.outputTokens,
  },
  quota: total.quota + quota,
  isDelivered: true,
});
