/** A relay with one channel for the libraries' calls beside chat, at the vendors' prices; each test reads the charge. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { SeenRequest } from "../fake-upstream/plan.ts";
import { type FormField, readForm } from "../fake-upstream/multipart-form.ts";

const perToken = (ratio: string, more: Partial<PerTokenPrice> = {}): ModelPrice => ({
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio,
  ...more,
});

/** Ratio 1 is 2 USD for a million tokens, and 500,000 quota are one dollar. */
const PRICES: readonly (readonly [string, ModelPrice])[] = [
  ["text-embedding-3-small", perToken("0.01")],
  ["gemini-embedding-001", perToken("0.075")],
  ["omni-moderation-latest", perToken("0.1")],
  ["dall-e-2", { kind: "per_call", price: "0.02" }],
  ["gpt-image-1", perToken("2.5", { completionRatio: "8", imageRatio: "2" })],
  ["imagen-4.0-generate-001", { kind: "per_call", price: "0.04" }],
  ["tts-1", perToken("7.5")],
  ["gpt-4o-mini-tts", perToken("0.3", { audioRatio: "1", audioCompletionRatio: "20" })],
  ["whisper-1", perToken("15")],
  ["gpt-4o-transcribe", perToken("1.25", { completionRatio: "4", audioRatio: "2.4" })],
  [
    "gpt-realtime",
    perToken("2", { completionRatio: "4", cacheRatio: "0.1", audioRatio: "8", audioCompletionRatio: "2" }),
  ],
  ["gpt-4o", perToken("1.25", { completionRatio: "4" })],
  ["claude-sonnet-4-5", perToken("1.5", { completionRatio: "5" })],
  ["gemini-2.5-flash", perToken("0.15", { completionRatio: "8" })],
];

export class OperationScene {
  readonly upstream: FakeUpstream;
  readonly relay: TestRelay;
  readonly openai: OpenAI;
  readonly google: GoogleGenAI;
  /** The same for Google's enterprise platform, where alone it has a call for pictures. */
  readonly googleEnterprise: GoogleGenAI;
  readonly anthropic: Anthropic;

  constructor(upstream: FakeUpstream, relay: TestRelay) {
    const key = `sk-${TEST_KEY}`;
    this.upstream = upstream;
    this.relay = relay;
    this.openai = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    this.google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: relay.url } });
    this.googleEnterprise = new GoogleGenAI({ vertexai: true, apiKey: key, httpOptions: { baseUrl: relay.url } });
    this.anthropic = new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
  }

  /** What each call cost in quota, in order. */
  get charges(): number[] {
    return this.relay.billing.settlements.map(({ charge }) => charge);
  }

  /** A request as it reached the upstream; the last one where no index is given. */
  seen(index = -1): SeenRequest {
    const request = this.upstream.requests.at(index);
    if (request === undefined) throw new Error("the upstream saw no such request");
    return request;
  }

  /** The fields of a form that reached the upstream. */
  form(index = -1): FormField[] {
    const { headers, body } = this.seen(index);
    const fields = readForm(String(headers["content-type"]), body);
    if (fields === undefined) throw new Error("what reached the upstream is no form");
    return fields;
  }

  async close(): Promise<void> {
    await this.relay.close();
    await this.upstream.close();
  }
}

/** Opens a scene whose channel is of this type and offers every model. */
export async function openOperations(type: number): Promise<OperationScene> {
  const upstream = await startFakeUpstream({ key: "upstream-secret" });
  const models = new Set(PRICES.map(([model]) => model));
  const world = newWorld({
    channels: [newChannel({ type, key: "upstream-secret", baseUrl: upstream.url, models })],
    prices: new Map(PRICES),
  });
  return new OperationScene(upstream, await startTestRelay({ world, providers: providerRegistry() }));
}
