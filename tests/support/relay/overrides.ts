/** A relay for the tests of parameter overrides: a channel for each model that has one, to a fake upstream that takes any body. */
import { afterEach, beforeEach } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "./harness.ts";

const perToken: ModelPrice = { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS };
const MODELS = new Map<string, ModelPrice>([
  ["gpt-4o", perToken],
  ["claude-sonnet-4-6", perToken],
  ["gemini-2.5-flash", perToken],
  ["dall-e-3", { kind: "per_call", price: "0.04" }],
  ["whisper-1", { kind: "per_call", price: "0.01" }],
]);

const TYPES: Readonly<Record<string, number>> = { "claude-sonnet-4-6": 14, "gemini-2.5-flash": 24 };

export const operations = (...list: object[]) => ({ operations: list });
export const messages = [{ role: "user", content: "hi" }];
export const CHAT = "/v1/chat/completions";
export const chat = { model: "gpt-4o", messages, max_tokens: 60 };

/** What the row of a log has beside its numbers. */
export const otherOf = (row: { other: string } | undefined) =>
  JSON.parse(row?.other ?? "{}") as { admin_info: Record<string, unknown>; upstream_model_name?: string };

/** Starts and ends both with each test. */
export function overrideScene() {
  let upstream: FakeUpstream;
  let relay: TestRelay;
  beforeEach(async () => {
    upstream = await startFakeUpstream({ validates: false });
    relay = await startTestRelay({ world: newWorld({ prices: new Map(MODELS) }) });
  });
  afterEach(async () => {
    await relay.close();
    await upstream.close();
  });
  const channelOf = (model: string, index: number, paramOverride: Record<string, unknown>) =>
    newChannel({
      id: index + 1,
      name: `of ${model}`,
      type: TYPES[model] ?? 1,
      baseUrl: upstream.url,
      models: new Set([model]),
      priority: 10,
      paramOverride,
    });
  return {
    started: () => ({ upstream, relay }),
    /** One channel with the override for each model, and those that are given. */
    channels(paramOverride: Record<string, unknown>, ...more: Parameters<typeof newChannel>[0][]): void {
      const first = [...MODELS.keys()].map((model, index) => channelOf(model, index, paramOverride));
      relay.world.channels = [...first, ...more.map((each) => newChannel({ baseUrl: upstream.url, ...each }))];
    },
  };
}
