/** The one object that travels down the line of a call, and what the line is handed by app.ts. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ModelPrice } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { Billing, Hold } from "../billing/billing.ts";
import type { Cache } from "../cache/cache.ts";
import type { ChannelHealth } from "../channels/health.ts";
import type { Config } from "../config.ts";
import type { ChatRequest } from "../dialects/openai-chat.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Operation, Provider, UpstreamFailure } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { ChannelTier, Snapshot, SnapshotChannel, SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";
import type { ByteBudget } from "../upstream/budget.ts";
import type { ResponseHeaders, UpstreamCall, UpstreamClient } from "../upstream/client.ts";

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
  /** Quota a token has left and has used, for the billing emulation; read from the books. */
  tokenTotals(tokenId: number): Promise<{ remaining: number; used: number }>;
  /** Quota a user has used so far. */
  usedQuota(userId: number): Promise<number>;
}

/** What every exchange of one relay shares. */
export interface RelayContext extends RelayDeps {
  budget: ByteBudget;
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
  upstreamModel: string;
  url: string;
  headers: string[];
  body: Buffer;
  warnings: readonly string[];
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
  /** Bytes of answer text that came. */
  asciiBytes: number;
  otherBytes: number;
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
  /** The client's path and query. */
  path: string;
  body: Buffer = NO_BYTES;
  chat: ChatRequest | undefined = undefined;
  model = "";
  isStream = false;
  budgetedBytes = 0;

  // authenticate
  user: SnapshotUser | undefined = undefined;
  token: SnapshotToken | undefined = undefined;
  /** Channel named in the key; 0 for none. */
  pinnedChannelId = 0;
  address = "";

  // admit
  groupName = "";
  groupRatio = "1";
  price: ModelPrice | undefined = undefined;
  isUnpriced = false;
  quotaPerUnit = "";
  tiers: readonly ChannelTier[] = [];
  promptEstimate = 0;
  hold: Hold | undefined = undefined;
  heldQuota = 0;
  heldOutputTokens = 0;
  countsSuccess = false;

  // route, translate, send
  tried: Attempt[] = [];
  skipped: Skipped[] = [];
  target: Target | undefined = undefined;
  call: UpstreamCall | undefined = undefined;
  failure: UpstreamFailure | undefined = undefined;
  failureHeaders: ResponseHeaders = {};

  // reply
  answer: Answer | undefined = undefined;
  status = 0;
  firstByteMs = 0;
  /** True once the client closed the connection before the end. */
  isClientGone = false;
  /** Told when that happens; without one the running call is given up. */
  listener: DepartureListener | undefined = undefined;
  /** Ends the comments that keep a waiting client's connection open. */
  stopPings: (() => void) | undefined = undefined;

  /** True once the call is over: what still arrives of the request is thrown away. */
  isOver = false;

  // settle
  usage: Usage | undefined = undefined;
  charge = 0;

  constructor(
    context: RelayContext,
    request: IncomingMessage,
    response: ServerResponse,
    operation: Operation,
    path: string,
  ) {
    this.context = context;
    this.request = request;
    this.response = response;
    this.operation = operation;
    this.path = path;
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

/** A value that an earlier step has set; its absence is a fault of the line itself. */
export function known<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`the line was left out of order: ${name} is not known yet`);
  return value;
}
