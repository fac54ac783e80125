/** One call from its first byte to its last: the request, the response, and the resources to release with it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Operation } from "../../providers/provider.ts";
import type { BudgetShares } from "../../upstream/budget.ts";
import type { RelayContext } from "./context.ts";
import type { RunningCall } from "./open-calls.ts";
import type { KeptAnswer } from "./ports.ts";
import { RelayError } from "./relay-error.ts";
import { CallSpans } from "./spans.ts";
import { Trace } from "./trace.ts";

// The memory that one call's request takes: its body, what was made of it for an upstream, media that it names. Part of its user's share.

const MEBIBYTE = 1_048_576;

class RequestMemory {
  readonly #shares: BudgetShares;
  #userId = 0;
  #shareBytes = 0;
  #takenBytes = 0;
  #everTakenBytes = 0;
  #copyBytes = 0;

  constructor(shares: BudgetShares) {
    this.#shares = shares;
  }

  /** All bytes that the request took, those that were given back too. */
  get everTakenBytes(): number {
    return this.#everTakenBytes;
  }

  /** Whose share it is, and how many bytes that user's calls may have at a time. */
  allow(userId: number, shareBytes: number): void {
    this.#userId = userId;
    this.#shareBytes = shareBytes;
  }

  /** Throws RelayError: 429 beyond the user's share, 503 where all calls together have taken what there is. */
  take(bytes: number): void {
    const outcome = this.#shares.take(this.#userId, bytes, this.#shareBytes);
    if (outcome === "budget") throw new RelayError("over_capacity");
    if (outcome === "share")
      throw new RelayError("request_memory_exceeded", {
        message: `The requests of this user under way may have ${Math.floor(this.#shareBytes / MEBIBYTE)} MiB together. Try again when some are answered.`,
        retryAfterSeconds: 1,
      });
    this.#takenBytes += bytes;
    this.#everTakenBytes += bytes;
  }

  /** The same for a copy that takes the place of an earlier one: the body as another upstream wants it. */
  takeCopy(bytes: number): void {
    if (this.#copyBytes > 0) this.#shares.give(this.#userId, this.#copyBytes);
    this.#takenBytes -= this.#copyBytes;
    this.#copyBytes = 0;
    this.take(bytes);
    this.#copyBytes = bytes;
  }

  /** Gives everything back, once the request is not needed any more. */
  release(): void {
    if (this.#takenBytes > 0) this.#shares.give(this.#userId, this.#takenBytes);
    this.#takenBytes = 0;
    this.#copyBytes = 0;
  }
}

/** Notified at once that a call has to end: an object, since a closure for each call outlives it in the collector. */
export interface CallListener {
  clientGone(): void;
  /** The server stops, and its grace for open answers is over. */
  serverStops(): void;
}

/** Something that a step took for the call and that has to be given back: a hold, a slot, a key, a timer. */
export interface CallEnd {
  /**
   * Called once, when the call is over. `isSuccess`: its answer came whole, or was read by a client that left. Gives what an error waits
   * for before the client reads it; never rejects.
   */
  ended(isSuccess: boolean, charge: Charge): Promise<unknown> | void;
}

/** An answer that has begun, and can still say that it failed. */
export interface BegunAnswer {
  fail(error: RelayError): void;
}

/** Keeps an answer in one piece before it is sent. */
export interface AnswerKeeper {
  keepThen(answer: KeptAnswer, send: () => void): Promise<void>;
}

/** What the call cost. */
export interface Charge {
  usage: Usage;
  quota: number;
  /** What it cost at the upstream, in the same unit; absent where that is unknown. */
  cost?: { quota: number } | undefined;
  /** True once some of an answer has reached the client: a repeat under the same key is not made. */
  isDelivered: boolean;
}

const NO_CHARGE: Charge = Object.freeze({ usage: NO_USAGE, quota: 0, isDelivered: false });

/** Where a call came in: what it asks for, and in which format. */
export interface CallKind {
  operation: Operation;
  /** The client's format. */
  dialect: Dialect;
  /** Its path where that names neither a model nor a task; else empty. */
  route?: string;
}

export class Call implements CallKind, RunningCall {
  readonly context: RelayContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation;
  readonly dialect: Dialect;
  readonly requestId: string;
  readonly startedMs: number;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Which channels were tried. */
  readonly trace = new Trace();
  /** Undefined where no collector of traces is configured. */
  readonly spans: CallSpans | undefined;
  readonly #ends: CallEnd[] = [];

  readonly requestMemory: RequestMemory;
  /** Bytes of its answer that it has taken of the budget of all calls. */
  budgetedBytes = 0;
  /** HTTP status that the client was answered with; 0 before. */
  status = 0;
  /** Undefined while an error can have a status of its own, and where the answer is no stream of events. */
  begun: BegunAnswer | undefined = undefined;
  keeper: AnswerKeeper | undefined = undefined;
  /** Called once quota is held for the call and before anything is sent for it; what it rejects with refuses the call. */
  admitted: (() => Promise<void>) | undefined = undefined;
  charge = NO_CHARGE;
  /** Group that it was charged in; empty before. */
  servedGroup = "";
  /** Milliseconds in which it waited for its client's body and for upstreams. */
  outsideMs = 0;
  /** True once the client closed the connection before the end. */
  isClientGone = false;
  /** Hears when that happens, or the server stops. */
  listener: CallListener | undefined = undefined;
  /** Where it stands among the calls under way. */
  place = 0;
  /** True once the call is over: what still arrives of the request is thrown away. */
  isOver = false;

  constructor(
    context: RelayContext,
    request: IncomingMessage,
    response: ServerResponse,
    { operation, dialect, route = "" }: CallKind,
  ) {
    this.context = context;
    this.request = request;
    this.response = response;
    this.operation = operation;
    this.dialect = dialect;
    this.requestId = context.newRequestId();
    this.startedMs = performance.now();
    this.createdAt = context.nowSeconds();
    this.requestMemory = new RequestMemory(context.requestShares);
    const { tracer } = context;
    this.spans = tracer === undefined ? undefined : new CallSpans(tracer, request, route, this.startedMs);
  }

  /** What a line of the log names the call by. */
  get logFields(): { requestId: string; trace_id?: string; span_id?: string } {
    return { requestId: this.requestId, ...this.spans?.logFields };
  }

  /** Whole milliseconds since the call came in. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.startedMs);
  }

  stop(): void {
    this.listener?.serverStops();
  }

  /** Has something ended with the call; what was taken last is ended first. */
  atEnd(end: CallEnd): void {
    this.#ends.push(end);
  }

  /** Ends everything that was taken for the call, once; resolves when there is nothing left to wait for. */
  async end(isSuccess: boolean): Promise<void> {
    for (let each = this.#ends.pop(); each !== undefined; each = this.#ends.pop()) {
      const waited = each.ended(isSuccess, this.charge);
      if (waited !== undefined) await waited;
    }
  }
}
