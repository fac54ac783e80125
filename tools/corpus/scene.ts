/** A real relay before a fake upstream that answers with recorded bytes; each lane has a user, a token and one channel at a time. */
import type { ModelPrice } from "../../contract/src/pricing/pricing.ts";
import type { ToolPrices } from "../../contract/src/pricing/tool-prices.ts";
import { CHARGED_TOOLS, SURCHARGES } from "../../contract/src/pricing/usage.ts";
import type { LogEntry } from "../../server/src/billing/billing.ts";
import type { FormatName } from "../../server/src/dialects/dialect.ts";
import { BUILT_IN_PROVIDERS, type ProviderRegistry, providerRegistry } from "../../server/src/providers/registry.ts";
import type { Provider } from "../../server/src/providers/provider.ts";
import { type FakeUpstream, startFakeUpstream } from "../../tests/fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../../tests/fake-upstream/plan.ts";
import { BEDROCK_KEY } from "../../tests/support/providers/bedrock.ts";
import { accountKey } from "../../tests/support/providers/google-account.ts";
import {
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  newWorld,
  startTestRelay,
  withOptions,
} from "../../tests/support/relay/harness.ts";
import type { Recording } from "./recording.ts";

/** Prices with a weight of its own for every part, so that a count in the wrong part changes the charge. */
const PRICE: ModelPrice = {
  kind: "per_token",
  ratio: "1",
  completionRatio: "4",
  cacheRatio: "0.25",
  cacheCreationRatio: "1.25",
  imageRatio: "1",
  audioRatio: "1",
  audioCompletionRatio: "4",
};

const FORMATS: readonly FormatName[] = ["openai-chat", "openai-responses", "anthropic-messages", "gemini", "vendor"];
/** Ollama's chat is OpenAI's with changes of its own, a format of the provider. */
const formatNameOf = ({ format, type }: Recording): FormatName =>
  type === 4 ? "vendor" : (FORMATS.find((name) => name === format) ?? "vendor");
const typeFor = (type: number, name: FormatName): number => 10_000 + type * 10 + FORMATS.indexOf(name);

/** Each provider once for every format, restricted to it: a recording has to be asked for in its own. */
function inEveryFormat(): ProviderRegistry {
  const restricted = BUILT_IN_PROVIDERS.flatMap((provider) =>
    FORMATS.map((name): Provider => ({
      ...provider,
      manifest: { ...provider.manifest, id: typeFor(provider.manifest.id, name), dialects: [name], partialFormats: [] },
      dialectsOf: () => [name],
    })),
  );
  return providerRegistry([...BUILT_IN_PROVIDERS, ...restricted]);
}

const KEYS: Readonly<Record<number, () => string>> = { 33: () => BEDROCK_KEY, 41: accountKey };

/** Settings without which a channel of the type refuses every call. */
const OTHERS: Readonly<Record<number, string>> = { 41: "us-central1" };

export interface Lane {
  key: string;
  tokenId: number;
}

export interface Scene {
  relay: TestRelay;
  /** Address of the upstream, for a library that asks it without the relay between. */
  upstreamUrl: string;
  lanes: readonly Lane[];
  /** Puts the recording behind the lane's channel; `cutAtByte` ends its stream early. */
  load(lane: Lane, recording: Recording, cutAtByte?: number): void;
  /** The row of the log that the lane's last call left. Waits for it, for at most five seconds. */
  row(lane: Lane): Promise<LogEntry | undefined>;
  close(): Promise<void>;
}

const keyOf = (index: number): string => String(index).padStart(48, "k");
const MARK = /recording-(\d+)/;
/** What every client says, so that the upstream knows whose answer is asked for. */
export const questionOf = ({ tokenId }: Lane): string => `recording-${tokenId}`;

const forEach = <Name extends string>(names: readonly Name[], value: string): Record<Name, Record<string, string>> =>
  Object.fromEntries(names.map((name): [Name, Record<string, string>] => [name, { "*": value }])) as never;
// Tools and surcharges have prices of their own, and tests of their own.
const FREE_TOOLS: ToolPrices = forEach(CHARGED_TOOLS, "0");
const NO_SURCHARGE = forEach(SURCHARGES, "1");

function worldOf(lanes: readonly Lane[]) {
  const world = newWorld({
    users: lanes.map(({ tokenId }) => newUser({ id: tokenId, groupName: `lane-${tokenId}` })),
    tokens: new Map(lanes.map(({ key, tokenId }) => [key, newToken({ id: tokenId, userId: tokenId })])),
    groupRatios: new Map(lanes.map(({ tokenId }) => [`lane-${tokenId}`, "1"])),
    prices: new Map(),
  });
  withOptions(world, { ToolPrices: FREE_TOOLS, PremiumRatios: NO_SURCHARGE, RetryTimes: 0 });
  return world;
}

function planOf(loaded: ReadonlyMap<number, Plan>) {
  return (seen: SeenRequest): Plan => {
    const found = loaded.get(Number(MARK.exec(seen.body.toString("utf8"))?.[1] ?? 0));
    return found ?? { status: 500, rawBody: "no recording is loaded for this lane" };
  };
}

function planFor({ status, body, contentType }: Recording, cutAtByte: number | undefined): Plan {
  return {
    status,
    rawBody: body,
    contentType,
    ...(cutAtByte === undefined ? {} : { cutAtByte }),
  };
}

/** Starts both, with so many lanes. */
export async function openScene(laneCount: number): Promise<Scene> {
  const lanes = Array.from({ length: laneCount }, (_, index) => ({ key: keyOf(index + 1), tokenId: index + 1 }));
  const loaded = new Map<number, Plan>();
  const upstream: FakeUpstream = await startFakeUpstream({ validates: false, records: false, plan: planOf(loaded) });
  const world = worldOf(lanes);
  const relay = await startTestRelay({ world, providers: inEveryFormat(), isQuiet: true });
  let channelId = 0;
  return {
    relay,
    upstreamUrl: upstream.url,
    lanes,
    load(lane, recording, cutAtByte) {
      const { type, model } = recording;
      loaded.set(lane.tokenId, planFor(recording, cutAtByte));
      const channel = newChannel({
        id: (channelId += 1),
        type: typeFor(type, formatNameOf(recording)),
        key: KEYS[type]?.() ?? "upstream-secret",
        baseUrl: upstream.url,
        other: OTHERS[type] ?? "",
        models: new Set([model]),
        groupNames: [`lane-${lane.tokenId}`],
      });
      const own = channel.groupNames[0];
      world.channels = [...world.channels.filter(({ groupNames }) => groupNames[0] !== own), channel];
      world.prices.set(model, PRICE);
      relay.billing.rows = relay.billing.rows.filter(({ tokenId }) => tokenId !== lane.tokenId);
    },
    async row(lane) {
      const find = (): LogEntry | undefined => relay.billing.rows.find(({ tokenId }) => tokenId === lane.tokenId);
      for (let tries = 0; tries < 500 && find() === undefined; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return find();
    },
    close: async () => {
      await relay.close();
      await upstream.close();
    },
  };
}
