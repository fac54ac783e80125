/** The one object that travels down the line of a call, and what the line is handed by app.ts. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { PremiumRatios } from "../../../contract/src/premium-ratios.ts";
import type { ModelPrice } from "../../../contract/src/pricing.ts";
import type { ToolPrices } from "../../../contract/src/tool-prices.ts";
import { NO_USAGE, type ToolCalls, type Usage, type UsedPremium } from "../../../contract/src/usage.ts";
import type { Billing, Hold } from "../billing/billing.ts";
import type { Cache } from "../cache/cache.ts";
import type { ChannelHealth } from "../channels/health.ts";
import type { MissingFormats } from "../channels/missing-formats.ts";
import type { Config } from "../config.ts";
import type { Dialect, RequestFacts, StreamPipe } from "../dialects/dialect.ts";
import type { JsonObject, MediaSource, NeutralRequest } from "../dialects/neutral.ts";
import type { OperationCall } from "../dialects/operation-codec.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Operation, Provider } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { ChannelTier, Snapshot, SnapshotChannel, SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";
import type { ByteBudget } from "../upstream/budget.ts";
import type { ResponseHeaders, UpstreamCall, UpstreamClient } from "../upstream/client.ts";
import type { AudioLength } from "./audio-length.ts";
import type { RequestForm } from "./form.ts";
import type { HeldKey, IdempotencyStore } from "./idempotency.ts";
import type { OpenCall, OpenCalls } from "./open-calls.ts";
import { type CallPath, upstreamPath } from "./paths.ts";
import type { SessionFinder } from "./playground.ts";
import type { Upgrade } from "./realtime-attempt.ts";
import type { Refusal } from "./refusal.ts";
import type { SuccessPlace } from "./rate-limit.ts";
import type { StreamBody } from "./stream-body.ts";

export interface RelayLogger {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export interface RelayDeps {
  snapshot: Snapshot;
  billing: Billing;
  providers: ProviderRegistry;
  upstream: UpstreamClient;
  health: ChannelHealth;
  cache: Cache;
  metrics: Metrics;
  logger: RelayLogger;
  limits: Config["limits"];
  timeouts: Config["timeouts"];
  /** Client addresses behind these are read from X-Forwarded-For. */
  trustedProxies: readonly string[];
  newRequestId(): string;
  /** A body that brings nothing for this long is given up; 30 s where absent. */
  bodyPauseMs?: number;
  /** Unix seconds. */
  nowSeconds(): number;
  /** Switches a channel off and tells the operator; must not throw. */
  disableChannel(channelId: number, reason: string): void;
  idempotency: IdempotencyStore;
  /** This site's mark in the header that tells of loops: 1 to 32 small letters and digits. */
  siteId: string;
  /** How many processes serve this database; limits that nothing shared counts are divided by it. */
  processCount(): number;
  /** Quota a token has left and has used, for the billing emulation; read from the books. */
  tokenTotals(tokenId: number): Promise<{ remaining: number; used: number }>;
  /** Quota a user has used so far. */
  usedQuota(userId: number): Promise<number>;
  /** The console's session of a call from its playground. */
  sessionOf: SessionFinder;
}

/** What every exchange of one relay shares. */
export interface RelayContext extends RelayDeps {
  budget: ByteBudget;
  /** Calls under way, by token and by channel. */
  tokenCalls: OpenCalls;
  channelCalls: OpenCalls;
  missingFormats: MissingFormats;
  /** Address of the client, by the rules of TRUSTED_PROXIES. */
  clientAddress(request: IncomingMessage): string;
}

/** One channel that was tried, for the receipt. */
export interface Attempt {
  id: number;
  name: string;
  start_ms: number;
  ms: number;
  status: number;
  /** Empty for the one that answered. */
  reason: string;
}

/** One channel that was not tried, and why. */
export interface Skipped {
  id: number;
  name: string;
  reason: string;
}

/** What is asked of an upstream: the channel, and the request as it will be sent. */
export interface Target {
  channel: SnapshotChannel;
  provider: Provider;
  /** The upstream's format: the client's own where the provider speaks it. */
  dialect: Dialect;
  upstreamModel: string;
  url: string;
  headers: string[];
  body: Buffer;
  warnings: readonly string[];
  /** Effort of reasoning that the model's name stood for. */
  effort?: string;
  /** A call beside chat that was translated: its answer is too. */
  call?: OperationCall;
}

/** How an answer ended. */
export type AnswerEnd = "complete" | "client_left" | "upstream_broke" | "quota_reached";

/** The answer of an upstream as far as it came, without its closing frames, which wait for the settlement. */
export interface Answer {
  end: AnswerEnd;
  /** HTTP status of the upstream. */
  status: number;
  /** As the upstream wrote it; undefined where it sent none. */
  rawUsage: unknown;
  /** Tier of service that it says it was given in, where the channel allows tiers. */
  tier?: string | undefined;
  /** Bytes of answer text that came. */
  asciiBytes: number;
  otherBytes: number;
  /** Pictures that came, where they are counted. */
  pictures?: number;
  /** Calls of the vendor's priced tools that came, without their prices. */
  toolCalls?: readonly ToolCalls[];
  /** True once some of the answer was handed to the client. */
  isDelivered: boolean;
  /** Ends the answer for the client; called after the commit. `usage` is what was booked. */
  complete(usage: Usage): void;
}

/** Whoever has to know at once that the client left: an object, since a closure for each call outlives it in the collector. */
export interface DepartureListener {
  clientGone(): void;
}

/** Everything known of one call. Fields are filled in the order of the steps. */
export class Exchange {
  readonly context: RelayContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedMs: number;
  /** Unix seconds. */
  readonly createdAt: number;

  // accept
  operation: Operation;
  /** The client's format. */
  dialect: Dialect;
  /** What the client's path says. */
  asked: CallPath;
  /** The client's path and query, without a key. */
  path: string;
  body: Buffer = NO_BYTES;
  facts: RequestFacts | undefined = undefined;
  /** The request where it came as multipart/form-data. */
  form: RequestForm | undefined = undefined;
  /** Length of the recording in it. */
  recording: AudioLength | undefined = undefined;
  model = "";
  isStream = false;
  budgetedBytes = 0;

  // authenticate
  user: SnapshotUser | undefined = undefined;
  token: SnapshotToken | undefined = undefined;
  /** Channel named in the key; 0 for none. */
  pinnedChannelId = 0;
  address = "";
  /** The Idempotency-Key that this call holds. */
  heldKey: HeldKey | undefined = undefined;

  // admit
  groupName = "";
  groupRatio = "1";
  price: ModelPrice | undefined = undefined;
  /** The tables that price came from, and since when they are in force (Unix seconds): prices may change while the call runs. */
  priceVersion = 0;
  priceSince = 0;
  toolPrices: ToolPrices | undefined = undefined;
  premiumRatios: PremiumRatios | undefined = undefined;
  isUnpriced = false;
  quotaPerUnit = "";
  tiers: readonly ChannelTier[] = [];
  promptEstimate = 0;
  hold: Hold | undefined = undefined;
  heldQuota = 0;
  /** Premiums that the request asks for, which what is held has to cover. */
  heldPremiums: readonly UsedPremium[] = NO_USAGE.premiums;
  heldOutputTokens = 0;
  /** Among the successful calls of the rate limit; given back where the call fails. */
  successPlace: SuccessPlace | undefined = undefined;
  /** Set while the call counts as open for its token. */
  openCall: OpenCall | undefined = undefined;

  // route, translate, send
  /** The request in neutral form, made once when the first channel of another format is tried. */
  neutral: NeutralRequest | undefined = undefined;
  /** The parsed body it was made of. */
  fields: JsonObject | undefined = undefined;
  /** Images and files that it names, by their URLs, as far as they were fetched. */
  fetchedMedia: ReadonlyMap<string, MediaSource> = NO_MEDIA;
  tried: Attempt[] = [];
  /** How many of those only found that a channel lacks a format, and were no try of the channel. */
  formatTries = 0;
  /** What the channel being tried was found to lack, for as long as it is tried. */
  refusedFormats: readonly string[] = NO_FORMATS;
  skipped: Skipped[] = [];
  target: Target | undefined = undefined;
  /** Why the last channel of another format could not express the request. */
  untranslatable: Refusal | undefined = undefined;
  call: UpstreamCall | undefined = undefined;
  failureHeaders: ResponseHeaders = {};

  // reply
  /** The stream on its way through. */
  pipe: StreamPipe | undefined = undefined;
  /** What of it goes out; there once its head has. */
  stream: StreamBody | undefined = undefined;
  answer: Answer | undefined = undefined;
  /** True where the gateway itself broke the answer off, for want of memory or of its books: no fault of the channel. */
  isOwnFault = false;
  status = 0;
  firstByteMs = 0;
  /** True once the client closed the connection before the end. */
  isClientGone = false;
  /** Told when that happens; without one the running call is given up. */
  listener: DepartureListener | undefined = undefined;
  /** Ends the comments that keep a waiting client's connection open. */
  stopPings: (() => void) | undefined = undefined;

  /** The client's handshake where the call is a WebSocket. */
  upgrade: Upgrade | undefined = undefined;

  /** True once the call is over: what still arrives of the request is thrown away. */
  isOver = false;

  // settle
  usage: Usage | undefined = undefined;
  charge = 0;

  constructor(context: RelayContext, request: IncomingMessage, response: ServerResponse, asked: CallPath, url: string) {
    this.context = context;
    this.request = request;
    this.response = response;
    this.asked = asked;
    this.operation = asked.operation;
    this.dialect = DIALECTS[asked.dialect];
    this.path = upstreamPath(asked, url);
    this.requestId = context.newRequestId();
    this.startedMs = performance.now();
    this.createdAt = context.nowSeconds();
  }

  /** Whole milliseconds since the call came in. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.startedMs);
  }
}

const NO_BYTES = Buffer.alloc(0);
const NO_MEDIA: ReadonlyMap<string, MediaSource> = new Map();
const NO_FORMATS: readonly string[] = Object.freeze([]);

/** A value that an earlier step has set; its absence is a fault of the line itself. */
export function known<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`the line was left out of order: ${name} is not known yet`);
  return value;
}
