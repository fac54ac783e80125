/** The quota held while an upstream has a call, with safe holds and a price of 1 for each token; and calls of every format to hold for. */
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { DEFAULT_RATIOS } from "../../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "./harness.ts";

/** Of models that the price list does not know. */
export const WINDOW = 50_000;
const MODELS = [
  "gpt-4o",
  "gpt-4o-mini",
  "o3",
  "gpt-5",
  "house-model",
  "deepseek-chat",
  "claude-sonnet-4-5",
  "gemini-2.0-flash",
  "gpt-5.5",
  "gpt-6-sol",
  "qwen3.7-plus",
  "qwen-plus",
  "sonar-deep-research",
];
const PRICE = { kind: "per_token" as const, ratio: "1", ...DEFAULT_RATIOS };

export interface HeldScene {
  readonly relay: TestRelay;
  readonly upstream: FakeUpstream;
  /** Quota that is held while the upstream has the call. */
  heldFor(path: string, body: object): Promise<number>;
  /** The same of a body as some program writes its JSON. */
  heldForText(path: string, text: string): Promise<number>;
}

async function openScene(held: number[]): Promise<Pick<HeldScene, "relay" | "upstream">> {
  const world = newWorld({ prices: new Map(MODELS.map((model) => [model, PRICE])) });
  const relay = await startTestRelay({ world });
  const plan = () => {
    held.push(relay.billing.held);
    return {};
  };
  const upstream = await startFakeUpstream({ validates: false, plan });
  for (const [id, model] of MODELS.entries()) {
    const type = model.startsWith("claude") ? 14 : model.startsWith("gemini") ? 24 : 1;
    world.channels.push(newChannel({ id: id + 1, type, baseUrl: upstream.url, models: new Set([model]) }));
  }
  return { relay, upstream };
}

/** Opens a scene for the tests of one file, and closes it behind them. */
export function heldScene(): HeldScene {
  const held: number[] = [];
  let open: Pick<HeldScene, "relay" | "upstream"> | undefined;
  const opened = () => {
    if (open === undefined) throw new Error("no test has begun");
    return open;
  };
  const heldForText = async (path: string, text: string): Promise<number> => {
    held.length = 0;
    const answer = await opened().relay.post(path, text);
    await answer.text();
    expect([answer.status, held.length, opened().relay.billing.held]).toEqual([200, 1, 0]);
    return held[0] ?? 0;
  };
  beforeAll(async () => void (open = await openScene(held)));
  beforeEach(() => {
    opened().relay.billing.balance = 1_000_000_000;
    withOptions(opened().relay.world, { SafeHoldsEnabled: true, UnknownContextWindow: WINDOW, HeldOutputLimit: 0 });
  });
  afterAll(async () => {
    await opened().relay.close();
    await opened().upstream.close();
  });
  return {
    get relay() {
      return opened().relay;
    },
    get upstream() {
      return opened().upstream;
    },
    heldForText,
    heldFor: (path, body) => heldForText(path, JSON.stringify(body)),
  };
}

export const CHAT = "/v1/chat/completions";
export const words = [{ role: "user", content: "hello" }];
export const withParts = (...content: object[]) => [{ role: "user", content }];
export const chat = (model: string, more: object = {}) => ({ model, messages: words, max_tokens: 10, ...more });
export const response = (more: object) => ({ model: "gpt-4o", input: "hello", max_output_tokens: 10, ...more });
export const claude = (content: object[], more: object = {}) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 10,
  messages: withParts(...content),
  ...more,
});
export const GENERATE = "/v1beta/models/gemini-2.0-flash:generateContent";
export const gemini = (part: object, more: object = {}) => ({
  contents: [{ role: "user", parts: [part] }],
  generationConfig: { maxOutputTokens: 10 },
  ...more,
});
export const inline = (mimeType: string) => ({ inlineData: { mimeType, data: "aGVsbG8=" } });
export const address = (url: string) => ({ type: "image_url", image_url: { url } });
export const imageUrl = (head: string) => address(`${head};base64,aGVsbG8=`);
export const asItem = (...content: object[]) => [{ type: "message", role: "user", content }];

export const tools = (types: string, more: object = {}) =>
  types.split(" ").map((type) => ({ type, name: "a", ...more }));
