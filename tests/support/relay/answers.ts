/** A relay before an upstream that checks nothing, for tests of answers in another form than requested. */
import { readFileSync } from "node:fs";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "./harness.ts";

/** Costs 0.01 USD a call, for any usage. */
export const MODEL = "any-model";

/** A fixture of a wire format: `gemini/fixtures/text-answer.json`. */
export const fixture = (path: string): string =>
  readFileSync(new URL(`../../../server/src/dialects/${path}`, import.meta.url), "utf8");

/** Each client with each upstream, the names in front for the test's title. */
export const pairsOf = <Client extends { name: string }, Target extends { name: string }>(
  clients: readonly Client[],
  targets: readonly Target[],
): (readonly [string, string, Client, Target])[] =>
  clients.flatMap((client) => targets.map((target) => [client.name, target.name, client, target] as const));

export interface AnswerScene {
  upstream: FakeUpstream;
  relay: TestRelay;
  /** Makes the upstream a channel of this type, for MODEL. */
  addChannel(type: number): void;
  close(): Promise<void>;
}

export async function openAnswerScene(): Promise<AnswerScene> {
  const upstream = await startFakeUpstream({ validates: false });
  const world = newWorld({ prices: new Map([[MODEL, { kind: "per_call", price: "0.01" }]]) });
  const relay = await startTestRelay({ world });
  return {
    upstream,
    relay,
    addChannel: (type) =>
      void world.channels.push(newChannel({ type, baseUrl: upstream.url, models: new Set([MODEL]) })),
    close: async () => {
      await relay.close();
      await upstream.close();
    },
  };
}
