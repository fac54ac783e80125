/** What the console needs of the relay and the providers; app.ts hands it in, so the console imports neither. */
import type { SnapshotChannel } from "../snapshot/snapshot.ts";

/** A provider as the channel form and /api/models see it: its manifest and its default models. */
export interface ProviderFacts {
  manifest: {
    id: number;
    slug: string;
    name: string;
    dialect: string;
    defaultBaseUrl: string;
    keyHint: string;
    fields: readonly { name: string; label: string; isRequired: boolean; placeholder?: string }[];
    operations: readonly string[];
    supportsStreamUsage: boolean;
    canTest: boolean;
    mark: { glyph: string; colour: string };
  };
  models: readonly string[];
}

export interface ChannelTestResult {
  isSuccess: boolean;
  /** What went wrong, scrubbed of keys and addresses; "" on success. */
  message: string;
  durationMs: number;
}

export interface RelayTools {
  readonly providers: readonly ProviderFacts[];
  /** Sends one small real call over this channel; empty `model` takes the channel's test model or its first one. */
  testChannel(channel: SnapshotChannel, model: string): Promise<ChannelTestResult>;
  /** Asks the upstream for its model names. Throws AppError upstream_failed or address_refused. */
  fetchUpstreamModels(target: { type: number; baseUrl: string; key: string }): Promise<readonly string[]>;
}
