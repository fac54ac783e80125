/** The state of a call's attempts: of all its channels, and of the one that is tried now. */
import type { NeutralRequest } from "../../dialects/neutral/neutral.ts";
import type { Provider, UpstreamFailure } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { Call } from "../call/call.ts";
import type { OpenCall } from "../call/open-calls.ts";
import type { RelayError } from "../call/relay-error.ts";
import type { Admission } from "../admission/admit.ts";
import type { Routes, Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import type { FetchedMedia } from "../request/fetched-media.ts";
import type { Conversation } from "../routing/conversation.ts";
import { RetryBudget } from "../routing/retry-budget.ts";
import type { OwnSearches } from "./own-searches.ts";
import type { HeldConversation } from "../routing/routed-call.ts";

/** A target that did not answer. */
export interface Failed {
  target: Target;
  failure: UpstreamFailure;
  /** Of the answer with its error. */
  headers: ResponseHeaders;
}

/** The parts of an admission that routing reads: where the call may go, and how long its input is. */
interface RoutedQuote {
  routes: Routes;
  quote: Pick<Admission["quote"], "promptTokens">;
}

export class Attempts {
  readonly call: Call;
  readonly accepted: Accepted;
  readonly routes: Routes;
  readonly retries: RetryBudget;
  /** It is a test of its channel, which no client made. */
  readonly isTest: boolean;
  /** Tokens of its input, as near as an estimate comes. */
  readonly inputTokens: number;
  /** What the call's conversation is known by; undefined where no option wants it. */
  conversation: Conversation | undefined = undefined;
  /** Which channel had it before. */
  held: HeldConversation | undefined = undefined;
  /** The last one; undefined while no channel was asked. */
  failed: Failed | undefined = undefined;
  /** Why the last channel of another format could not express the request, or the error of a rule that lets other channels be asked. */
  untranslatable: RelayError | undefined = undefined;
  /** The channels that may still be tried; dropped with the answer's first word, and what chose them with it. */
  untried: Iterator<SnapshotChannel, void> | undefined = undefined;
  /** The request in neutral form, made once when the first channel of another format is tried. */
  neutral: NeutralRequest | undefined = undefined;
  /** Images and files that it names by their URLs, as far as they were fetched. */
  fetchedMedia: FetchedMedia | undefined = undefined;

  constructor(call: Call, accepted: Accepted, { routes, quote }: RoutedQuote, isTest = false) {
    this.call = call;
    this.accepted = accepted;
    this.routes = routes;
    this.isTest = isTest;
    this.retries = new RetryBudget(call);
    this.inputTokens = quote.promptTokens;
  }
}

/** The next channel to try; undefined where there is none, or the client has some of an answer. */
export const nextChannel = ({ untried }: Attempts): SnapshotChannel | undefined => untried?.next().value ?? undefined;

const NO_FORMATS: readonly string[] = Object.freeze([]);
const NO_HEADERS: ResponseHeaders = Object.freeze({});

/** One channel being tried, and counted as open meanwhile. */
export class Attempt {
  readonly attempts: Attempts;
  readonly channel: SnapshotChannel;
  readonly provider: Provider;
  readonly openCall: OpenCall;
  /** Where it has the half-open channel for itself: what its circuit breaker knows that by; else 0. */
  readonly halfOpenProbe: number;
  /** Clock in milliseconds (`performance.now`): what failed since is newer than what it says of its channel and key. */
  readonly startedMs = performance.now();
  /** Formats that it was found to lack. */
  refusedFormats = NO_FORMATS;
  /** Why it did not answer in the first of several formats. */
  firstFailure: UpstreamFailure | undefined = undefined;
  /** Of its last answer with an error. */
  failureHeaders = NO_HEADERS;
  /** Of its last answer, where that is read whole (tasks). */
  answerHeaders = NO_HEADERS;
  /** The searches that are made here, since no format of the channel takes them. */
  ownSearches: OwnSearches | undefined = undefined;
  /** True once its outcome is counted in the channel's health. */
  isJudged = false;

  constructor(
    attempts: Attempts,
    channel: SnapshotChannel,
    provider: Provider,
    openCall: OpenCall,
    halfOpenProbe: number,
  ) {
    this.attempts = attempts;
    this.channel = channel;
    this.provider = provider;
    this.openCall = openCall;
    this.halfOpenProbe = halfOpenProbe;
  }
}
