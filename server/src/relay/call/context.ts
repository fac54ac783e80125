/** The dependencies of the relay, and the context that all its calls share. */
import type { IncomingMessage } from "node:http";
import type { Billing } from "../../billing/billing.ts";
import type { Cache } from "../../cache/cache.ts";
import type { HeldRefusals } from "../../cache/held-refusals.ts";
import type { Conversations } from "../../channels/conversations.ts";
import type { KeyChoice } from "../../channels/key-choice.ts";
import type { ChannelHealth, MissingFormats } from "../../channels/health.ts";
import type { ChannelLatencies } from "../../channels/latencies.ts";
import type { Config } from "../../config.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Tracer } from "../../observe/tracing/tracer.ts";
import type { ProviderRegistry } from "../../providers/registry.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { BudgetShares, ByteBudget } from "../../upstream/budget.ts";
import type { UpstreamClient } from "../../upstream/client.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import type {
  AccessTokens,
  BackgroundResponses,
  CallCounter,
  IdempotencyStore,
  KeyCounter,
  SealedTexts,
  StoredResponses,
  TaskRepository,
} from "./ports.ts";
import type { FlushQueue, PacedWork, Places } from "./queues.ts";
import type { OpenCalls, RunningCalls } from "./open-calls.ts";
import type { UnpaidCalls } from "./unpaid-calls.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

export interface RelayLogger {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

/** What the relay needs to know of a session of the console. */
export interface ConsoleSession {
  userId: number;
  /** False for a program that calls with an access token. */
  isBrowser: boolean;
}

/** Finds the session of a request. Throws AppError where there is none, or it may not be used from there. */
export type SessionFinder = (request: IncomingMessage) => Promise<ConsoleSession>;

export interface RelayDeps {
  snapshot: Snapshot;
  billing: Billing;
  providers: ProviderRegistry;
  upstream: UpstreamClient;
  health: ChannelHealth;
  keyChoice: KeyChoice;
  keyCounter: KeyCounter;
  cache: Cache;
  metrics: Metrics;
  /** Absent where no collector of traces is configured. */
  tracer?: Tracer | undefined;
  callCounter: CallCounter;
  logger: RelayLogger;
  limits: Config["limits"];
  timeouts: Config["timeouts"];
  /** Client addresses behind these are read from X-Forwarded-For. */
  trustedProxies: readonly string[];
  newRequestId(): string;
  /** Memory for all calls together; of `limits.sseBudgetBytes` where absent. */
  budget?: ByteBudget;
  /** A body that brings nothing for this long is given up; 30 s where absent. */
  bodyPauseMs?: number;
  /** A limit that lets a call in within so many milliseconds is waited for; 2 s where absent. */
  limitWaitMs?: number;
  /** Other bounds of sockets of /v1/responses than OpenAI's hour and 1,024 of one user, for tests. */
  socketBounds?: { lifetimeMs: number; ofUser: number };
  /** Another wait than a second before the end of a background response is written once more, for tests. */
  backgroundRetryMs?: number;
  /** Unix seconds. */
  nowSeconds(): number;
  /** Switches a channel off, or of several keys the one with `keyId`, and notifies the operator; must not throw. */
  disableChannel(channelId: number, reason: string, keyId?: number): void;
  /** Stores the key of a token that was found by another gateway's hash of it; must not throw. */
  learnKey(tokenId: number, key: string): void;
  idempotency: IdempotencyStore;
  accessTokens: AccessTokens;
  /** This site's mark in the header that shows loops: 1 to 32 small letters and digits. */
  siteId: string;
  /** How many processes serve this database; limits that nothing shared counts are divided by it. */
  processCount(): number;
  /** Quota a token has left and has used, for the billing emulation; read from the ledger. */
  tokenTotals(tokenId: number): Promise<{ remaining: number; used: number }>;
  /** The newest log rows of one token as its owner reads them, at most 100. Rejects with AppError where the user asks too much at a time. */
  tokenLog(token: { userId: number; tokenId: number }): Promise<readonly object[]>;
  /** Quota a user has used so far. */
  usedQuota(userId: number): Promise<number>;
  tasks: TaskRepository;
  storedResponses: StoredResponses;
  backgroundResponses: BackgroundResponses;
  /** Conversations in short form, which their clients keep. */
  compactions: SealedTexts;
  /** The console's session of a call from its playground. */
  sessionOf: SessionFinder;
}

/** What every call of one relay shares. */
export interface RelayContext extends RelayDeps {
  budget: ByteBudget;
  /** The share of each user's requests in it. */
  requestShares: BudgetShares;
  /** Calls under way, by token and by channel. */
  tokenCalls: OpenCalls;
  channelCalls: OpenCalls;
  missingFormats: MissingFormats;
  channelLatencies: ChannelLatencies;
  conversations: Conversations;
  running: RunningCalls;
  /** Responses that are made in the background of this process. */
  backgroundRuns: BackgroundRuns;
  unpaidCalls: UnpaidCalls;
  waitingCalls: WaitingCalls;
  heldRefusals: HeldRefusals;
  /** Streams that are written at the end of the tick. */
  flushQueue: FlushQueue;
  /** Translations of large requests. */
  largeWork: PacedWork;
  /** Recordings whose headers are read: each has a thread and a copy of its file. */
  recordingReads: Places;
  /** Pictures and videos that are fetched for a caller with their address alone, who needs no key. */
  pictureFetches: Places;
  videoFetches: Places;
  /** Address of the client, by the rules of TRUSTED_PROXIES. */
  clientAddress(request: IncomingMessage): string;
}
