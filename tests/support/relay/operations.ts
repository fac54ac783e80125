/** A relay for the tests of operations beside chat: every model they need with a price, one channel to the fake upstream. */
import { afterEach, beforeEach } from "vitest";
import { startFakeUpstream, type FakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice } from "../../../contract/src/pricing/pricing.ts";
import type { RelayDeps } from "../../../server/src/relay/call/context.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "./harness.ts";
import { MemoryBilling } from "./memory-billing.ts";

const perToken = (ratio: string, more: Partial<PerTokenPrice> = {}): ModelPrice => ({
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio,
  ...more,
});
const perCall = (price: string): ModelPrice => ({ kind: "per_call", price });

const PRICES: readonly (readonly [string, ModelPrice])[] = [
  ["text-embedding-3-small", perToken("0.01")],
  ["text-moderation-stable", perToken("0.1")],
  ["rerank-1", perToken("1")],
  ["rerank-fixed", perCall("0.002")],
  ["dall-e-2", perCall("0.02")],
  ["dall-e-3", perCall("0.04")],
  ["gpt-image-1", perToken("2.5", { completionRatio: "8", imageRatio: "2" })],
  ["tts-1", perToken("7.5")],
  ["gpt-4o-mini-tts", perToken("0.3", { audioRatio: "1", audioCompletionRatio: "20" })],
  ["whisper-1", perToken("15")],
  ["gpt-4o-transcribe", perToken("1.25", { completionRatio: "4", audioRatio: "1" })],
];

export class OperationScene {
  upstream!: FakeUpstream;
  relay!: TestRelay;

  /** Starts the relay, in place of the one that runs. */
  async start(billing = new MemoryBilling(), limits: Partial<RelayDeps["limits"]> = {}): Promise<void> {
    this.relay = await startTestRelay({ world: newWorld({ prices: new Map(PRICES) }), billing, limits });
    const models = new Set(PRICES.map(([model]) => model));
    this.relay.world.channels.push(newChannel({ baseUrl: this.upstream.url, models }));
  }

  async restart(billing: MemoryBilling, limits: Partial<RelayDeps["limits"]> = {}): Promise<void> {
    await this.relay.close();
    await this.start(billing, limits);
  }

  /** Charge of the first settlement. */
  charge(): number | undefined {
    return this.relay.billing.settlements[0]?.charge;
  }

  charges(): number[] {
    return this.relay.billing.settlements.map((each) => each.charge);
  }

  /** Receipt of a settlement. */
  receipt(index = 0): Record<string, unknown> {
    return JSON.parse(this.relay.billing.settlements[index]?.log?.other ?? "{}") as Record<string, unknown>;
  }

  /** Sends a form with the test key; a list repeats its name. */
  postForm(path: string, fields: Record<string, string | Blob | readonly Blob[]>): Promise<Response> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") form.append(name, value);
      else
        for (const blob of value instanceof Blob ? [value] : value)
          form.append(name, blob, name === "file" ? "file.wav" : `${name}.png`);
    }
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    return fetch(this.relay.url + path, { method: "POST", headers, body: form });
  }

  /** A form as it reached the upstream. */
  seenForm(index = 0): Promise<FormData> {
    const seen = this.upstream.requests[index];
    const headers = { "content-type": String(seen?.headers["content-type"]) };
    return new Response(new Uint8Array(seen?.body ?? Buffer.alloc(0)), { headers }).formData();
  }

  /** Holds that are still open; none may be once a call is over. */
  openHolds(): number {
    return this.relay.billing.holds.size;
  }
}

/** A scene for each test of the file. */
export function operationScene(): OperationScene {
  const scene = new OperationScene();
  beforeEach(async () => {
    scene.upstream = await startFakeUpstream({ key: "sk-upstream-secret-key" });
    await scene.start();
  });
  afterEach(async () => {
    await scene.relay.close();
    await scene.upstream.close();
  });
  return scene;
}
