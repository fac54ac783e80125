/** Every vendor with chat that is no format's own, driven alike: those of OpenAI's format and those with one of their own. */
import { startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import type { SnapshotChannel } from "../../../server/src/snapshot/snapshot.ts";
import type { CompatibleVendor } from "./compatible-vendor.ts";
import { CALL, type OwnVendor, ownVendors } from "./own-vendor.ts";
import { KEY, type ModelCall, offeringOf, planOf } from "./vendor-plans.ts";
import { COMPATIBLE_VENDORS } from "./vendors.ts";

/** A fake that runs, and the channel to it. */
export interface RunningChat {
  channel: Partial<SnapshotChannel>;
  /** What the model calls until results have come; with none it says WORDS at once. */
  calls(calls: readonly ModelCall[]): void;
  /** Bodies of the requests as they came, the last one last. */
  sent(): readonly string[];
  close(): Promise<void>;
}

export interface ChatVendor {
  name: string;
  type: number;
  model: string;
  /** As `model`, for clients that set an effort. */
  thinker: string;
  takesTools: boolean;
  takesPictures: boolean;
  /** The most calls of one answer that its fake makes. */
  mostCalls: number;
  start(): Promise<RunningChat>;
}

async function startCompatible(vendor: CompatibleVendor): Promise<RunningChat> {
  const upstream = await startFakeUpstream({ validates: false });
  const calls = (planned: readonly ModelCall[]): void =>
    upstream.plan((seen) => planOf(vendor, seen, planned.length === 0 ? "words" : planned));
  return {
    channel: { ...offeringOf(vendor, upstream.url), key: KEY },
    calls,
    sent: () => upstream.requests.map(({ body }) => body.toString("utf8")),
    close: () => upstream.close(),
  };
}

async function startOwn({ type, key, other = "", model, thinker = model, start }: OwnVendor): Promise<RunningChat> {
  const running = await start();
  return {
    channel: { type, key, other, baseUrl: running.url, models: new Set([model, thinker]) },
    calls([call]) {
      running.deed = call === undefined ? "words" : "call";
      const values = call === undefined ? CALL.arguments : (JSON.parse(call.arguments) as Record<string, unknown>);
      running.call = { name: call?.name ?? CALL.name, arguments: values };
    },
    sent: () => running.seen.map(({ body }) => body.toString("utf8")),
    close: () => running.close(),
  };
}

/** Of OpenAI's format. */
export const compatibleChats: readonly ChatVendor[] = COMPATIBLE_VENDORS.map((vendor) => ({
  ...vendor,
  thinker: vendor.model,
  mostCalls: Number.POSITIVE_INFINITY,
  start: () => startCompatible(vendor),
}));

/** Those and the vendors with a format of their own. */
export const chatVendors = async (): Promise<readonly ChatVendor[]> => [
  ...compatibleChats,
  ...(await ownVendors()).map((vendor) => ({
    ...vendor,
    thinker: vendor.thinker ?? vendor.model,
    mostCalls: 1,
    start: () => startOwn(vendor),
  })),
];
