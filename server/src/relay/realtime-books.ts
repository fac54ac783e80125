/** The books of one realtime session: each answer and each transcript is a charge of its own, under its own id, with quota held before it begins. */
import { billedUsage } from "../../../contract/src/broken-stream.ts";
import { chargeQuota } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { Hold, Settlement } from "../billing/billing.ts";
import type { NormalisedUsage } from "../dialects/usage-counts.ts";
import { checkModelLimits, fixPrices, holdQuota } from "./admit.ts";
import { type AnswerEnd, type Exchange, known } from "./exchange.ts";
import { groupFor } from "./groups.ts";
import { settlementOf } from "./settle.ts";

/** One thing to charge for. */
export interface Charged {
  usage: NormalisedUsage;
  rawUsage: unknown;
  end: AnswerEnd;
  /** Model whose price holds, where it is not the session's own: the one that writes transcripts. */
  model?: string;
}

/** When the answer under way began and first said something; whole milliseconds of the session, 0 for not yet. */
interface Moments {
  createdAt: number;
  startMs: number;
  firstMs: number;
}

export class RealtimeBooks {
  readonly #exchange: Exchange;
  /** Quota of one step of an answer, spoken both ways. */
  readonly #stepQuota: number;
  #hold: Hold | undefined;
  #heldQuota: number;
  #charges = 0;
  #moments: Moments;

  /** Takes over the hold that let the session in. */
  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#hold = exchange.hold;
    this.#stepQuota = this.#heldQuota = exchange.heldQuota;
    this.#moments = this.#now();
    exchange.hold = undefined;
  }

  #now(): Moments {
    const { elapsedMs, context } = this.#exchange;
    return { createdAt: context.nowSeconds(), startMs: elapsedMs, firstMs: 0 };
  }

  /** Id of the next charge, and of its hold. */
  get #nextId(): string {
    return `${this.#exchange.requestId}-${this.#charges + 1}`;
  }

  #chargeOf(usage: Usage): number {
    const { price, groupRatio, quotaPerUnit } = this.#exchange;
    return chargeQuota(usage, known(price, "price"), groupRatio, quotaPerUnit);
  }

  /** An answer begins: it is let in and charged as a call of this moment would be. Throws Refusal. */
  began(): void {
    const exchange = this.#exchange;
    this.#moments = this.#now();
    const { name, ratio } = groupFor(exchange);
    exchange.groupName = name;
    exchange.groupRatio = ratio;
    checkModelLimits(exchange);
    fixPrices(exchange);
  }

  /** The answer under way says something. */
  spoke(): void {
    if (this.#moments.firstMs === 0) this.#moments.firstMs = this.#exchange.elapsedMs;
  }

  /** Holds more where the answer under way has outgrown its hold; false where the balance does not reach. */
  covers(usage: Usage): boolean | Promise<boolean> {
    const more = this.#chargeOf(usage) - this.#heldQuota;
    if (more <= 0 || this.#hold === undefined) return true;
    const amount = more + this.#stepQuota;
    this.#heldQuota += amount;
    return this.#exchange.context.billing.extend(this.#hold, amount);
  }

  /** Books an answer or transcript and resolves once that is durable. Throws Refusal where a transcript has no price. */
  async settle(charged: Charged): Promise<void> {
    // What came is owed although the balance did not reach for more.
    const hold = this.#hold ?? (await holdQuota(this.#exchange, 0, this.#nextId));
    const { billing, snapshot } = this.#exchange.context;
    const usage = billedUsage(charged.usage.usage, charged.end, snapshot.options.BrokenStreamBilling);
    const { model } = charged;
    const settlement =
      model === undefined
        ? this.#settlementOf(charged, usage)
        : this.#asModel(model, () => this.#settlementOf(charged, usage));
    this.#hold = undefined;
    this.#exchange.usage = withTotals(this.#exchange.usage, usage);
    this.#exchange.charge += settlement.charge;
    await billing.settle(hold, settlement);
  }

  #settlementOf({ usage: { faults }, rawUsage, end }: Charged, usage: Usage): Settlement {
    const exchange = this.#exchange;
    const { createdAt, startMs, firstMs } = this.#moments;
    const own = { requestId: this.#nextId, createdAt };
    this.#charges += 1;
    exchange.answer = { ...SILENT, end, rawUsage };
    exchange.firstByteMs = firstMs === 0 ? 0 : Math.max(1, firstMs - startMs);
    const settlement = { ...settlementOf(exchange, usage, this.#chargeOf(usage), faults), ...own };
    const useTimeMs = exchange.elapsedMs - startMs;
    if (settlement.log !== undefined) settlement.log = { ...settlement.log, ...own, useTimeMs };
    this.#moments = this.#now();
    return settlement;
  }

  /** Throws Refusal where the session may not use this model, or it has no price. */
  checkModel(model: string): void {
    this.#asModel(model, () => undefined);
  }

  /** Lets the work see the session as one of another model, and its own as it was afterwards. Throws Refusal. */
  #asModel<Result>(model: string, work: () => Result): Result {
    const exchange = this.#exchange;
    const { model: own, price, priceVersion, priceSince, quotaPerUnit, isUnpriced } = exchange;
    const { toolPrices, premiumRatios } = exchange;
    const moments = this.#moments;
    try {
      exchange.model = model;
      checkModelLimits(exchange);
      fixPrices(exchange);
      this.#moments = this.#now();
      return work();
    } finally {
      this.#moments = moments;
      Object.assign(exchange, { model: own, price, priceVersion, priceSince, quotaPerUnit, isUnpriced });
      Object.assign(exchange, { toolPrices, premiumRatios });
    }
  }

  /** Holds quota for the next answer: one step, and `again`, what it reads again of the conversation. Throws Refusal. */
  async holdNext(again: Usage): Promise<void> {
    const exchange = this.#exchange;
    const amount = this.#stepQuota + (again.inputTokens === 0 ? 0 : this.#chargeOf(again));
    this.#hold = await holdQuota(exchange, amount, this.#nextId);
    this.#heldQuota = amount;
  }

  /** Ends what is held without a charge. */
  async release(): Promise<void> {
    const hold = this.#hold;
    this.#hold = undefined;
    if (hold !== undefined) await this.#exchange.context.billing.void(hold);
  }
}

/** An answer whose bytes went their own way. */
const SILENT = {
  status: 101,
  asciiBytes: 0,
  otherBytes: 0,
  isDelivered: true,
  complete: (): void => undefined,
} as const;

const withTotals = (total: Usage | undefined, usage: Usage): Usage => ({
  ...usage,
  inputTokens: (total?.inputTokens ?? 0) + usage.inputTokens,
  outputTokens: (total?.outputTokens ?? 0) + usage.outputTokens,
});
