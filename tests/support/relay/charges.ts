/**
 * A relay with a model for every kind of billing in a group with an awkward ratio, and every way to compute the charge of a row; for the charge
 * tests.
 */
import { afterEach, beforeEach, expect } from "vitest";
import { startFakeUpstream, type FakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice } from "../../../contract/src/pricing/pricing.ts";
import { readChargeDetail } from "../../../server/src/billing/charge-detail.ts";
import { reprice } from "../../../server/src/billing/audit.ts";
import { receiptForUser } from "../../../server/src/console/logs/views.ts";
import { pricingFor } from "../../../server/src/console/pricing/routes.ts";
import { type TestRelay, newChannel, newUser, newWorld, startTestRelay } from "./harness.ts";
import { chargeByPriceList, chargeOfReceipt } from "./receipts.ts";

const GROUP_RATIO = "0.333";
const perToken = (ratio: string, more: Partial<PerTokenPrice> = {}): ModelPrice => ({
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio,
  ...more,
});
const perCall = (price: string): ModelPrice => ({ kind: "per_call", price });

/** Ratios with awkward decimals, so that a ratio applied twice or not at all can never look like agreement. */
const PRICES: ReadonlyMap<string, ModelPrice> = new Map([
  ["gpt-4o", perToken("1.25", { completionRatio: "4", cacheRatio: "0.5", audioRatio: "16", imageRatio: "1.7" })],
  ["gpt-4o-fixed", perCall("0.0123")],
  ["gpt-4o-search-preview", perToken("1.25", { completionRatio: "4" })],
  ["gpt-realtime", perToken("2", { completionRatio: "4", cacheRatio: "0.1", audioRatio: "8" })],
  ["claude-a", perToken("1.5", { completionRatio: "5", cacheRatio: "0.1", cacheCreationRatio: "1.25" })],
  [
    "gemini-a",
    perToken("0.625", {
      completionRatio: "8",
      cacheRatio: "0.25",
      audioRatio: "3.3",
      imageOutputRatio: "96",
      tiers: [
        { aboveInputTokens: 200_000, ratio: "1.25", completionRatio: "6", cacheRatio: "0.26", cacheCreationRatio: "1" },
      ],
    }),
  ],
  ["imagen-a", perToken("2.1")],
  ["text-embedding-3-small", perToken("0.01")],
  ["text-moderation-stable", perToken("0.1")],
  ["rerank-1", perToken("1.1")],
  ["rerank-fixed", perCall("0.002")],
  ["dall-e-3", perCall("0.04")],
  [
    "gpt-image-1",
    perToken("2.5", { completionRatio: "2", imageRatio: "2", cacheRatio: "0.25", imageOutputRatio: "8" }),
  ],
  ["tts-1", perToken("7.5")],
  ["gpt-4o-mini-tts", perToken("0.3", { audioRatio: "1", audioCompletionRatio: "20" })],
  ["whisper-1", perToken("3")],
  ["gpt-4o-transcribe", perToken("1.25", { completionRatio: "4", audioRatio: "2.4" })],
]);

const OPENAI = 1;
const CLAUDE = 14;
const GEMINI = 24;
const TYPES: Readonly<Record<string, number>> = { "claude-a": CLAUDE, "gemini-a": GEMINI, "imagen-a": GEMINI };

export class ChargeScene {
  upstream!: FakeUpstream;
  relay!: TestRelay;

  async start(): Promise<void> {
    this.upstream = await startFakeUpstream({ validates: false });
    const groupRatios = new Map([["far", GROUP_RATIO]]);
    const users = [newUser({ groupName: "far" })];
    this.relay = await startTestRelay({ world: newWorld({ prices: new Map(PRICES), groupRatios, users }) });
    [OPENAI, CLAUDE, GEMINI].forEach((type, index) => {
      const models = new Set([...PRICES.keys()].filter((model) => (TYPES[model] ?? OPENAI) === type));
      const channel = { id: index + 1, type, baseUrl: this.upstream.url, models, groupNames: ["far"] };
      this.relay.world.channels.push(newChannel(channel));
    });
  }

  async close(): Promise<void> {
    await this.relay.close();
    await this.upstream.close();
  }

  /** The receipt of a charged call. */
  receipt(index = 0): Record<string, unknown> {
    return JSON.parse(this.relay.billing.settlements[index]?.log?.other ?? "{}") as Record<string, unknown>;
  }

  /** The charge, where all ways to it agree. Throws where they do not, or where nothing was charged. */
  agreed(index = 0): number {
    const settlement = this.relay.billing.settlements[index];
    const row = settlement?.log;
    const detail = readChargeDetail(settlement?.detail ?? "");
    if (settlement === undefined || row === undefined || detail === undefined) throw new Error("nothing was charged");
    const { entries, groupRatio } = pricingFor({ snapshot: this.relay.snapshot, relay: { providers: [] } }, "far");
    const entry = entries.find(({ model_name }) => model_name === row.modelName);
    if (entry === undefined) throw new Error(`the price list has no ${row.modelName}`);
    const { charge } = settlement;
    const ways = {
      row: row.quota,
      ledger: reprice(detail),
      receipt: chargeOfReceipt(row.other),
      payersReceipt: chargeOfReceipt(receiptForUser(row.other)),
      priceList: chargeByPriceList(row.other, entry, groupRatio["far"]),
    };
    if (Object.values(ways).some((way) => way !== charge))
      throw new Error(`the ways to a charge of ${charge} disagree: ${JSON.stringify(ways)}`);
    return charge;
  }
}

/** A scene for each test of the file; no hold may be left when a test ends. */
export function chargeScene(): ChargeScene {
  const scene = new ChargeScene();
  beforeEach(() => scene.start());
  afterEach(async () => {
    const open = scene.relay.billing.holds.size;
    await scene.close();
    expect(open).toBe(0);
  });
  return scene;
}
