/** MiniMax's deviations from OpenAI through the relay: speech that comes as text, and failures that come as answers. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { fieldsOf } from "../support/clients/client-formats.ts";
import { type RunningVendor, startHttpVendor } from "../support/providers/own-vendor.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const MODELS = ["speech-2.8-hd", "MiniMax-M3"];
const SUCCESS = { status_code: 0, status_msg: "success" };

let relay: TestRelay;
let vendor: RunningVendor;
/** What the vendor answers next. */
let answer: object;

beforeAll(async () => {
  vendor = await startHttpVendor((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers: providerRegistry() });
  for (const model of MODELS)
    relay.world.prices.set(model, { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" });
  relay.world.channels = [
    newChannel({ type: 35, baseUrl: vendor.url, key: "key-of-minimax", models: new Set(MODELS) }),
  ];
});
afterAll(async () => {
  await relay.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.seen.length = 0;
  relay.billing.settlements = [];
  relay.health.succeeded(1, performance.now());
});

const speak = () =>
  relay.post("/v1/audio/speech", { model: "speech-2.8-hd", input: "hello", voice: "English_Graceful_Lady" });

test("speech in hexadecimal is heard as sound, and charged once", async () => {
  answer = { data: { audio: Buffer.from("sound").toString("hex"), status: 2 }, base_resp: SUCCESS };
  const spoken = await speak();
  expect([spoken.status, spoken.headers.get("content-type"), await spoken.text()]).toEqual([
    200,
    "audio/mpeg",
    "sound",
  ]);
  const [seen] = vendor.seen;
  expect([seen?.path, seen?.headers["authorization"]]).toEqual(["/v1/t2a_v2", "Bearer key-of-minimax"]);
  expect(fieldsOf(JSON.parse(seen?.body.toString() ?? ""))).toMatchObject({
    text: "hello",
    voice_setting: { voice_id: "English_Graceful_Lady" },
  });
  expect(relay.billing.settlements.length).toBe(1);
});

test("a failure inside a success is one, for speech and for chat, and nothing is charged", async () => {
  answer = { data: null, base_resp: { status_code: 2013, status_msg: "invalid params: voice_id" } };
  const spoken = await speak();
  expect([spoken.status, await spoken.text()]).toEqual([400, expect.stringContaining("voice_id")]);
  answer = { choices: null, base_resp: { status_code: 1002, status_msg: "rate limit" } };
  const messages = [{ role: "user", content: "hi" }];
  const said = await relay.post("/v1/chat/completions", { model: "MiniMax-M3", messages });
  expect(said.status).toBe(429);
  expect(relay.billing.settlements).toEqual([]);
});
