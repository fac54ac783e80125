/** The interface through which the console uses the relay and the providers; app.ts passes it in, so the console imports neither. */
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { HeaderRule } from "../../../contract/src/channels/header-override.ts";
import type { TestFailure, TestKind } from "../../../contract/src/channels/channel-tests.ts";
import type { z } from "zod";
import type { RouteExplanation, routeQuestion } from "../../../contract/src/features/routing.ts";
import type { Usage } from "../../../contract/src/pricing/usage.ts";
import type { SnapshotChannel, SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";

/** A field of a provider's own in the channel form. */
export interface ProviderFieldInfo {
  name: string;
  label: string;
  isRequired: boolean;
  placeholder?: string;
  choices?: readonly { value: string; label: string }[];
  pattern?: string;
}

/** A provider as the channel form and /api/models see it: its manifest and its default models. */
export interface ProviderInfo {
  manifest: {
    id: number;
    slug: string;
    name: string;
    dialects: readonly string[];
    defaultBaseUrl: string;
    keyHint: string;
    keyForms?: readonly (readonly string[])[];
    isKeyDocument?: boolean;
    notice?: string;
    isRetired?: boolean;
    fields: readonly ProviderFieldInfo[];
    operations: readonly string[];
    supportsStreamUsage: boolean;
    canTest: boolean;
    mark: { glyph: string; colour: string };
  };
  models: readonly string[];
  /** Formats of one model, where they differ by model; the preferred one first. */
  dialectsOf?(model: string, channel: SnapshotChannel): readonly string[];
  /** There where the balance behind a key can be asked for. */
  balance?: unknown;
  /** There where its server pulls and deletes models. */
  storedModels?: unknown;
}

export interface ChannelTestResult {
  isSuccess: boolean;
  /** The failure, without keys and addresses; "" on success. */
  message: string;
  /** The same as a code with its values, for translation into another language. */
  reason?: TestFailure;
  durationMs: number;
  /** The model that was asked for, after the choice of the default. */
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** Usage of the answer, where there was one. */
  usage?: Usage;
  /** The upstream's failure, where it was reached: decides on automatic disabling. */
  failure?: { kind: string; status: number; message: string; type: string; code: string };
}

/** The balance behind a key by its upstream: exact decimal text with its currency, or the failure. */
export type BalanceAnswer =
  | { balance: { amount: string; currency: string } }
  /** `message` is the reason in English, redacted as it is. */
  | { failure: TestFailure; message: string };

/** An upstream that may not be a stored channel yet. */
export interface UpstreamTarget {
  type: number;
  baseUrl: string;
  key: string;
  other: string;
  openaiOrganization: string;
  /** URL of the proxy that a stored channel is reached through. */
  proxy?: string;
  /** Its header override. */
  headers?: readonly HeaderRule[];
}

/** How far a pull of a model is; bytes are those of the part under way. */
export interface PullStep {
  status: string;
  completedBytes: number;
  totalBytes: number;
}

/** A request to an address that an option or a setting names. */
export interface GuardedRequest {
  method: "GET" | "POST";
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Where the usual ones are too small: the longest answer, and the time for everything. */
  limits?: { readonly bytes: number; readonly timeoutMs: number };
}

export interface GuardedAnswer {
  status: number;
  /** Names in small letters; of several values the first. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** A planned call. */
export interface PlannedCall extends Pick<z.output<typeof routeQuestion>, "model" | "operation"> {
  /** The user who would make it; undefined for none in particular. */
  user: SnapshotUser | undefined;
  token: SnapshotToken | undefined;
  /** Goes before theirs; blank for none. */
  groupName: string;
  inputTokens: number;
  isStream: boolean;
}

export interface RelayTools {
  readonly providers: readonly ProviderInfo[];
  /** Sends one small real call over this channel, plain where no kind is named; empty `model` takes the channel's test model or its first one. */
  testChannel(
    channel: SnapshotChannel,
    model: string,
    signal?: AbortSignal,
    kind?: TestKind,
  ): Promise<ChannelTestResult>;
  /** Reads the balance of the account of this channel's key. Throws AppError channel_balance_unsupported where its provider has none. */
  askBalance(channel: SnapshotChannel, signal?: AbortSignal): Promise<BalanceAnswer>;
  /** Where such a call would go now, by the relay's own rules; nothing is sent and nothing counted. */
  explainRoute(question: PlannedCall): RouteExplanation;
  /** Asks the upstream for its model names. Throws AppError upstream_failed or address_refused. */
  fetchUpstreamModels(target: UpstreamTarget): Promise<readonly string[]>;
  /**
   * Looks whether a channel may have this base URL ("" is the provider's own). Throws AppError address_refused, whose message names
   * the switch AllowPrivateUpstreamsEnabled where that would allow it. Calls check again, on the connected socket.
   */
  checkAddress(baseUrl: string): Promise<void>;
  /**
   * Sends one request by the address policy, whatever the names in it resolve to: 10 s for everything and an answer of at most 256 KB
   * unless the request says otherwise, and a redirect is an answer like any other. Throws AppError address_refused or upstream_failed.
   */
  fetchGuarded(request: GuardedRequest): Promise<GuardedAnswer>;
  /** Has the channel's server pull a model: how far it is, at most four times a second, until it is there; undefined once a second while that is as before. Throws AppError upstream_failed or address_refused. */
  pullModel(channel: SnapshotChannel, model: string): AsyncIterable<PullStep | undefined>;
  /** Deletes a model from the disk of the channel's server. Throws AppError upstream_failed or address_refused. */
  removeModel(channel: SnapshotChannel, model: string): Promise<void>;
  /** Searches the web once by these options, as calls do: how many pages were found, or why none; undefined where not all is set. */
  trySearch(options: OptionValues): Promise<{ pages: number } | { error: string } | undefined>;
}
