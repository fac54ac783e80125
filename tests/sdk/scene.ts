/** One relay before one upstream of a format, for the tests of a single library. */
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { newChannel, newWorld, startTestRelay, type TestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { speaking } from "./speaking.ts";

export interface SdkScene {
  upstream: FakeUpstream;
  relay: TestRelay;
}

/** `type` is the channel's; every model has the price of gpt-4o. */
export async function openSdkScene(name: DialectName, type: number, models: readonly string[]): Promise<SdkScene> {
  const upstream = await startFakeUpstream({ key: "upstream-secret" });
  const world = newWorld({
    channels: [newChannel({ type, key: "upstream-secret", baseUrl: upstream.url, models: new Set(models) })],
  });
  const price = world.prices.get("gpt-4o");
  for (const model of models) if (price !== undefined) world.prices.set(model, price);
  return { upstream, relay: await startTestRelay({ world, providers: await speaking(name) }) };
}
