/**
 * Charges of answers that the upstream broke off, by each rule of BrokenStreamBilling, and prices that change during a call: the receipts reproduce
 * them.
 */
import { describe, expect, test } from "vitest";
import type { Plan } from "../fake-upstream/plan.ts";
import { BROKEN_STREAM_RULES } from "../../contract/src/pricing/broken-stream.ts";
import { parseOptions } from "../../contract/src/options/options.ts";
import { withOptions } from "../support/relay/harness.ts";
import { chargeScene } from "../support/relay/charges.ts";

const scene = chargeScene();

const MESSAGES = [{ role: "user", content: "hello" }];
const TEXT = "some words that were delivered before the end";

interface Cut {
  name: string;
  path: string;
  body: object;
  plan: Plan;
  /** Quota of what was delivered, and of the input alone. */
  charges: Record<"delivered" | "input_only", number>;
}

const CUTS: readonly Cut[] = [
  {
    name: "chat whose tokens were not counted",
    path: "/v1/chat/completions",
    body: { model: "gpt-4o", messages: MESSAGES, stream: true },
    plan: { text: TEXT, chunks: 5, cutAtByte: 900 },
    // 11 tokens of the request, and 5 tokens of the answer x 4, x 1.25 x 0.333
    charges: { delivered: 13, input_only: 5 },
  },
  {
    name: "messages whose input was counted with its caches",
    path: "/v1/messages",
    body: { model: "claude-a", messages: MESSAGES, max_tokens: 100, stream: true },
    plan: {
      text: TEXT,
      chunks: 5,
      cutAtByte: 900,
      usage: {
        input_tokens: 1000,
        output_tokens: 500,
        cache_read_input_tokens: 2000,
        cache_creation_input_tokens: 400,
      },
    },
    // 1000 + 2000 x 0.1 + 400 x 1.25, and 5 tokens of the answer x 5, x 1.5 x 0.333
    charges: { delivered: 862, input_only: 849 },
  },
  {
    name: "chat at a fixed price",
    path: "/v1/chat/completions",
    body: { model: "gpt-4o-fixed", messages: MESSAGES, stream: true },
    plan: { text: TEXT, chunks: 5, cutAtByte: 900 },
    // It has no input of its own: 0.0123 x 500,000 x 0.333
    charges: { delivered: 2048, input_only: 2048 },
  },
  {
    name: "a picture by tokens",
    path: "/v1/images/generations",
    body: { model: "gpt-image-1", prompt: "a lighthouse", stream: true, partial_images: 3 },
    plan: { cutAtByte: 700 },
    // 258 tokens for the one picture that came, which count as input, x 2.5 x 0.333
    charges: { delivered: 215, input_only: 215 },
  },
];

describe.each(BROKEN_STREAM_RULES)("an answer that the upstream broke off, by the rule %s", (rule) => {
  test.each(CUTS)("$name", async ({ path, body, plan, charges }) => {
    withOptions(scene.relay.world, { BrokenStreamBilling: rule });
    scene.upstream.plan(plan);
    await (await scene.relay.post(path, body)).text();
    expect(scene.receipt()["rule"]).toBe(`upstream_broke_${rule}`);
    expect(scene.agreed()).toBe({ ...charges, nothing: 0 }[rule]);
  });
});

test("a call is charged by the prices of the moment it was let in, and its receipt names their version", async () => {
  scene.upstream.plan({
    text: "a b c",
    chunks: 3,
    chunkDelayMs: 30,
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  });
  const { world } = scene.relay;
  const price = world.prices.get("gpt-4o-search-preview");
  const call = scene.relay.post("/v1/chat/completions", {
    model: "gpt-4o-search-preview",
    messages: MESSAGES,
    stream: true,
  });
  const answer = await call;
  world.prices.set("gpt-4o-search-preview", { kind: "per_call", price: "9" });
  Object.assign(world, { priceVersion: 8, priceSince: 1_790_000_000 });
  const ToolPrices = { ...world.options.ToolPrices, web_search: { "*": "1000" }, file_search: { "*": "1000" } };
  withOptions(world, { ToolPrices, QuotaPerUnit: parseOptions(new Map([["QuotaPerUnit", "1"]])).QuotaPerUnit });
  await answer.text();
  expect(scene.receipt()).toMatchObject({
    price_version: 7,
    price_since: 1_750_000_000,
    model_ratio: 1.25,
    quota_per_unit: 500_000,
    web_search_price: 25,
  });
  if (price !== undefined) world.prices.set("gpt-4o-search-preview", price);
  // (100 + 10 x 4) x 1.25 tokens and a search at 25 USD for 1,000, x 0.333
  expect(scene.agreed()).toBe(Math.round((175 + 12_500) * 0.333));
});
