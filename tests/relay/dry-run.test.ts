/** A dry run from the ledger equals the same calls made again under the other prices, for every kind of billing. */
import { expect, test } from "vitest";
import { optionDefinition, type OptionValues } from "../../contract/src/options/options.ts";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import type { Settlement } from "../../server/src/billing/billing.ts";
import { Rerun } from "../../server/src/console/prices/dry-run/rerun.ts";
import type { DraftTerms } from "../../server/src/console/prices/dry-run/terms.ts";
import { CHARGE_CASES } from "../support/relay/charge-cases.ts";
import { chargeScene } from "../support/relay/charges.ts";
import { ratioTables, withOptions } from "../support/relay/harness.ts";

const scene = chargeScene();

const ASKED = { input: "work", model: "gpt-4o" };
const SEARCHED = { type: "web_search_call", id: "w", status: "completed", action: { type: "search", query: "c" } };
const DRAWN = { type: "image_generation_call", id: "i", status: "completed", result: "" };
const COUNTED = { type: "code_interpreter_call", id: "c", status: "completed", container_id: "cntr_1", code: "1" };
const responseOf = (...output: object[]): string =>
  JSON.stringify({
    id: "resp_1",
    object: "response",
    status: "completed",
    error: null,
    output: [
      ...output,
      { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Ok." }] },
    ],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  });

/** Calls whose tools are priced by more than their name. */
const TOOL_CASES = [
  {
    name: "a search of the preview tool",
    body: { ...ASKED, tools: [{ type: "web_search_preview", search_context_size: "low" }] },
    plan: { rawBody: responseOf(SEARCHED) },
  },
  {
    name: "a container of 4 GB",
    body: { ...ASKED, tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }] },
    plan: { rawBody: responseOf(COUNTED) },
  },
  {
    name: "pictures of two sizes that cost the same",
    body: { ...ASKED, tools: [{ type: "image_generation", model: "gpt-image-1.5" }] },
    plan: {
      rawBody: responseOf(
        { ...DRAWN, size: "1024x1536", quality: "high" },
        { ...DRAWN, size: "1536x1024", quality: "high" },
        { ...DRAWN, size: "1024x1024", quality: "low" },
      ),
    },
  },
].map((each) => ({ ...each, path: "/v1/responses" }));

const read = <Name extends keyof OptionValues>(name: Name, value: object): OptionValues[Name] =>
  optionDefinition(name).read(JSON.stringify(value)).value as OptionValues[Name];

/** Other options, whose values nothing else has. */
const OTHER: Partial<OptionValues> = {
  QuotaPerUnit: 77_000,
  ToolPrices: read("ToolPrices", {
    web_search: { "*": { low: 3, medium: 7, high: 11.5 }, "gpt-4o preview": { low: 1.5, medium: 2, high: 3 } },
    file_search: { "*": 0.7 },
    image_generation: {
      "*": 9,
      "gpt-image-1.5 1024x1536": { low: 1, medium: 2, high: 31 },
      "gpt-image-1.5 1536x1024": 57,
    },
    code_interpreter: { "*": 1, "* 4g": 44 },
    google_maps: { "*": 2 },
  }),
  PremiumRatios: read("PremiumRatios", { inference_geo_us: { "*": 1.3 }, speed_fast: { "*": 3.3 } }),
};

const perToken = (ratio: string): ModelPrice => ({
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio,
  completionRatio: "3.7",
  cacheRatio: "0.3",
  imageRatio: "1.9",
  imageOutputRatio: "13",
  tiers: [{ aboveInputTokens: 900, ratio: "5", completionRatio: "2", cacheRatio: "0.7", cacheCreationRatio: "1.1" }],
});

interface Draft {
  name: string;
  priceOf(old: ModelPrice): ModelPrice;
  options: Partial<OptionValues>;
  groupRatio: string;
}

const DRAFTS: readonly Draft[] = [
  { name: "the same prices", priceOf: (old) => old, options: {}, groupRatio: "0.333" },
  { name: "other tools, surcharges, QuotaPerUnit", priceOf: (old) => old, options: OTHER, groupRatio: "0.333" },
  { name: "another group ratio", priceOf: (old) => old, options: {}, groupRatio: "1.71" },
  { name: "everything by tokens", priceOf: () => perToken("1.37"), options: OTHER, groupRatio: "0.9" },
  {
    name: "everything by the call",
    priceOf: () => ({ kind: "per_call", price: "0.0213" }),
    options: {},
    groupRatio: "2",
  },
  {
    name: "each price of the other kind",
    priceOf: ({ kind }) => (kind === "per_token" ? { kind: "per_call", price: "0.0177" } : perToken("2.13")),
    options: OTHER,
    groupRatio: "1",
  },
];

const priceDraft = ({ relay }: typeof scene, { options, groupRatio, priceOf }: Draft): void => {
  const { world } = relay;
  for (const [model, price] of world.prices) world.prices.set(model, priceOf(price));
  withOptions(world, options);
  world.groupRatios.set("far", groupRatio);
};

function termsOf({ relay }: typeof scene): DraftTerms {
  const { options, prices } = relay.world;
  const tables = {
    groupRatios: ratioTables(relay.world),
    toolPrices: options.ToolPrices,
    surchargeRatios: options.PremiumRatios,
    quotaPerUnit: String(options.QuotaPerUnit),
  };
  return { tables, priceOf: (model) => prices.get(model) };
}

const rowOf = ({ userId, model, groupName, charge, detail, createdAt }: Settlement) => ({
  id: 1,
  created_at: createdAt,
  user_id: userId,
  model,
  group_name: groupName,
  used_delta: charge,
  detail,
});

test.each(DRAFTS)("$name", { timeout: 60_000 }, async (draft) => {
  const calls = [...CHARGE_CASES, ...TOOL_CASES];
  const makeAll = async (): Promise<readonly Settlement[]> => {
    const before = scene.relay.billing.settlements.length;
    for (const { path, body, plan } of calls) {
      scene.upstream.plan(plan);
      const answer = await scene.relay.post(path, body);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.any(String)]);
    }
    return scene.relay.billing.settlements.slice(before);
  };
  const made = await makeAll();
  priceDraft(scene, draft);
  const again = await makeAll();
  expect(made).toHaveLength(calls.length);
  const rerun = new Rerun(termsOf(scene));
  const dry = made.map((settlement, index) => ({
    call: calls[index]?.name,
    ...rerun.charge(rowOf(settlement)),
  }));
  expect(dry).toEqual(again.map(({ charge }, index) => ({ call: calls[index]?.name, quota: charge, notes: [] })));
});
