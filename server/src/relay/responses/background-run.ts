/** One response made in the background: it takes the events of an inner call, stores the answer so far in its row, and reports how it ended. */
import { setTimeout as delay } from "node:timers/promises";
import { eventFrame } from "../../dialects/stream/sse-event.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { responseError } from "../../dialects/openai-responses/errors.ts";
import { authenticateAgain } from "../admission/authenticate.ts";
import type { Caller } from "../admission/caller.ts";
import { shareOfUser } from "../admission/limits.ts";
import type { BackgroundRun } from "../call/background-runs.ts";
import type { RelayContext } from "../call/context.ts";
import type { BackgroundStatus, KeptEvents } from "../call/ports.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Call } from "../call/call.ts";
import { RESPONSES } from "../request/paths.ts";
import type { FrameSink } from "../responses-socket/exchange.ts";
import { type InnerCall, type Refused, type RunCall, innerCallOf } from "./inner-call.ts";
import { PartialOutput } from "./partial-output.ts";
import { storedId } from "./stored.ts";

/** How an id of ours begins: no upstream's begins so. What follows is the id of the call that is made, which its row in the log has. */
export const BACKGROUND_PREFIX = "resp_bg_";

/** One may last this long. */
const MAX_SECONDS = 60 * 60;
/** Bytes stored of one: the response object, and all its events where it is streamed. */
const MAX_RESPONSE_BYTES = 8 * 1_048_576;
const MAX_EVENT_BYTES = 32 * 1_048_576;
/** Events that other processes may read are written at least this often, and whenever so many have come. */
const WRITE_MS = 1_000;
const WRITE_BYTES = 262_144;
/**
 * Tries to write how it ended, where the database does not answer: a second later than the one before, up to so many, which together is some 13 minutes.
 * Its followers here get its end after the first few of them.
 */
const LAST_TRIES = 60;
const RETRY_MS = 1_000;
const MAX_RETRY_FACTOR = 15;
const TRIES_BEFORE_SHOWN = 5;

/** What ends a call that is under way; a quota that other calls have used up meanwhile does not. */
const ENDING_CODES: ReadonlySet<string> = new Set([
  "key_invalid",
  "key_disabled",
  "user_banned",
  "address_not_allowed",
]);

const ENDS: Readonly<Record<string, BackgroundStatus>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed",
};
/** These say that it is under way, in a response object that is not ours. */
const OPENINGS: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

const TOO_LONG = "The answer is longer than what is kept of a response in the background.";

export class BackgroundAnswer implements BackgroundRun, FrameSink {
  readonly id: string;
  readonly userId: number;
  readonly isStreamed: boolean;
  readonly done: Promise<void>;
  /** Resolves with the refusal of the call, or with undefined once quota is held for it and its row is there. */
  readonly admitted: Promise<Refused | undefined>;
  readonly #context: RelayContext;
  readonly #caller: Caller;
  readonly #model: string;
  readonly #within: InnerCall;
  readonly #startedSeconds: number;
  readonly #admission = Promise.withResolvers<Refused | undefined>();
  readonly #end = Promise.withResolvers<void>();
  readonly #output = new PartialOutput();
  /** All events as they are sent, and how many of them other processes can read. */
  readonly #frames: string[] = [];
  #writtenFrames = 0;
  #unwrittenBytes = 0;
  #takenBytes = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #writes: Promise<unknown> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  #response: JsonObject;
  #hasRow = false;
  #hasStarted = false;
  #isOver = false;
  /** Why it was ended here; what the call within says then counts no more. */
  #ended: { status: "cancelled" | "failed"; error?: JsonObject } | undefined = undefined;
  #last: { status: BackgroundStatus; response: JsonObject } | undefined = undefined;
  #error: JsonObject | undefined = undefined;

  /** `queued` is the response object of the answer to the client, without its id, `body` the request of the call that is made. */
  constructor(call: Call, caller: Caller, { model, isStreamed, body, queued }: NewBackground) {
    this.#context = call.context;
    this.#startedSeconds = call.context.nowSeconds();
    this.#caller = caller;
    this.#model = model;
    this.userId = caller.user.id;
    this.isStreamed = isStreamed;
    this.done = this.#end.promise;
    this.admitted = this.#admission.promise;
    this.#within = innerCallOf(call, body, this);
    this.#within.inner.admitted = () => this.#begin();
    this.id = BACKGROUND_PREFIX + this.#within.inner.requestId;
    this.#response = { ...queued, id: this.id };
  }

  /** Makes the call, to its end and to that of its row. Never rejects. */
  async run(runCall: RunCall): Promise<void> {
    await runCall(this.#within.inner, RESPONSES);
    await this.#within.written;
    clearTimeout(this.#timer);
    if (this.#hasRow) await this.#finish();
    // One that ended without a word before it was admitted was ended by us.
    this.#admission.resolve(REFUSED);
    this.#context.requestShares.give(this.userId, this.#takenBytes);
    this.#end.resolve();
  }

  async #begin(): Promise<void> {
    const { id, userId, isStreamed } = this;
    const row = { id, userId, isStreamed, model: this.#model, status: "queued", upstreamId: "" } as const;
    try {
      await this.#context.backgroundResponses.begin({ ...row, response: JSON.stringify(this.#response) });
    } catch (error) {
      this.#context.logger.warn({ id, err: error }, "a response in the background could not be noted");
      throw new RelayError("books_unavailable");
    }
    this.#hasRow = true;
    for (const type of ["response.created", "response.queued"]) this.#push({ type, response: this.#response });
    this.#admission.resolve(undefined);
  }

  /** The response object as far as it has come. */
  get response(): JsonObject {
    return this.#response;
  }

  event(data: string, sent?: () => void): void {
    sent?.();
    const event = parseExactObject(data);
    if (event === undefined || this.#ended !== undefined) return;
    const type = textOf(event["type"]);
    const response = objectOf(event["response"]);
    const status = Object.hasOwn(ENDS, type) ? ENDS[type] : undefined;
    if (status !== undefined) this.#last = { status, response };
    else if (type === "error") this.#noteError(event);
    else {
      if (!this.#hasStarted) this.#start(response);
      if (OPENINGS.has(type)) return;
      const grown = this.#output.take(event);
      if (this.isStreamed) this.#push(event);
      else this.#take(grown);
    }
  }

  refused(status: number, error: JsonObject, headers: JsonObject): void {
    if (!this.#hasRow) return this.#admission.resolve({ status, error, headers });
    this.#noteError({ ...error, status });
  }

  #noteError({ status, code, message, error }: JsonObject): void {
    // Some have it inside.
    if (isObject(error)) return this.#noteError(error);
    const words = { message: textOf(message), code: textOf(code), type: "", param: null, retryAfterSeconds: 0 };
    this.#error = responseError({ ...words, status: Number(status ?? 0) });
  }

  /** The object of an upstream's event under the id and time that the client knows. */
  #own(response: JsonObject, status: BackgroundStatus): JsonObject {
    const { id, created_at } = this.#response;
    return { ...this.#response, ...response, id, created_at, background: true, store: true, status };
  }

  #start(response: JsonObject): void {
    this.#hasStarted = true;
    this.#response = this.#own(response, "in_progress");
    const change = { status: "in_progress", response: JSON.stringify(this.#response) } as const;
    this.#write((store) => store.change(this.id, change));
    this.#push({ type: "response.in_progress", response: this.#response });
  }

  /** Adds an event; what goes beyond the bounds ends the call. */
  #push(event: JsonObject): void {
    if (!this.isStreamed) return;
    const frame = eventFrame(textOf(event["type"]), { ...event, sequence_number: this.#frames.length });
    const bytes = Buffer.byteLength(frame);
    if (!this.#take(bytes, MAX_EVENT_BYTES)) return;
    this.#frames.push(frame);
    this.#wake();
    this.#unwrittenBytes += bytes;
    if (this.#unwrittenBytes >= WRITE_BYTES) this.#writeFrames();
    else this.#timer ??= setTimeout(() => this.#writeFrames(), WRITE_MS);
  }

  /** Counts what is kept; false, and the call is ended, where there is no room for it. */
  #take(bytes: number, mostBytes = MAX_RESPONSE_BYTES): boolean {
    const { requestShares } = this.#context;
    if (this.#takenBytes + bytes > mostBytes) {
      this.#endAs(new RelayError("upstream_failed", { message: TOO_LONG }));
      return false;
    }
    const outcome = requestShares.take(this.userId, bytes, shareOfUser(this.#context));
    if (outcome === "taken") this.#takenBytes += bytes;
    else this.#endAs(new RelayError(outcome === "share" ? "request_memory_exceeded" : "over_capacity"));
    return outcome === "taken";
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Writes come one after the other; one that fails is logged, and what it brought comes with the next where it can. */
  #write(write: (store: RelayContext["backgroundResponses"]) => Promise<unknown>): void {
    const { backgroundResponses, logger } = this.#context;
    this.#writes = this.#writes
      .then(() => write(backgroundResponses))
      .catch((error: unknown) =>
        logger.warn({ id: this.id, err: error }, "a background response could not be written"),
      );
  }

  #writeFrames(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unwrittenBytes = 0;
    this.#write((store) => this.#addFrames(store));
  }

  async #addFrames(store: RelayContext["backgroundResponses"], last: readonly string[] = []): Promise<void> {
    // Without what is written already, which may be the last one too.
    const frames = [...this.#frames, ...last].slice(this.#writtenFrames);
    if (frames.length === 0) return;
    await store.addEvents(this.id, { lastSequence: this.#writtenFrames + frames.length - 1, frames });
    this.#writtenFrames += frames.length;
  }

  cancel(): void {
    this.#ended ??= { status: "cancelled" };
    this.#within.response.destroy();
  }

  #endAs({ status, code, message }: RelayError): void {
    const info = { status, code, message, type: "", param: null, retryAfterSeconds: 0 };
    this.#ended ??= { status: "failed", error: responseError(info) };
    this.#within.response.destroy();
  }

  look(): void {
    if (this.#context.nowSeconds() - this.#startedSeconds > MAX_SECONDS)
      return this.#endAs(
        new RelayError("upstream_timeout", { message: "A response in the background may take an hour." }),
      );
    try {
      authenticateAgain(this.#within.inner, this.#caller);
    } catch (error) {
      if (error instanceof RelayError && ENDING_CODES.has(error.code)) this.#endAs(error);
    }
  }

  stop(): void {
    this.#within.inner.stop();
  }

  /** How it ended: an answer that was whole before it was ended is whole. */
  #outcome(): { status: BackgroundStatus; response: JsonObject } {
    const output = this.#output.items;
    if (this.#last !== undefined && this.#last.status !== "failed") {
      const { status, response } = this.#last;
      const whole = this.#own(response, status);
      if (Buffer.byteLength(JSON.stringify(whole)) <= MAX_RESPONSE_BYTES) return { status, response: whole };
      return { status: "failed", response: this.#failed(responseError({ ...NO_ERROR, message: TOO_LONG }), []) };
    }
    if (this.#ended?.status === "cancelled")
      return { status: "cancelled", response: { ...this.#response, status: "cancelled", output } };
    const { error } = this.#last?.response ?? {};
    const known = this.#ended?.error ?? (isObject(error) ? error : this.#error);
    const shown = listOf(this.#last?.response["output"]);
    return { status: "failed", response: this.#failed(known, shown.length > 0 ? shown : output) };
  }

  #failed(error: JsonObject = responseError(NO_ERROR), output: readonly unknown[] = []): JsonObject {
    return { ...this.#response, status: "failed", error, output };
  }

  /** Its row and its last event are there before anybody reads that event, unless the database is away for longer than that can wait. */
  async #finish(): Promise<void> {
    const { status, response } = this.#outcome();
    const { isStreamed } = this;
    const type = `response.${status}`;
    // OpenAI has no event for what was cancelled: such a stream ends.
    const isSaid = isStreamed && status !== "cancelled";
    const last = isSaid ? [eventFrame(type, { type, response, sequence_number: this.#frames.length })] : [];
    const change = { status, response: JSON.stringify(response), upstreamId: storedId(this.#within.inner) };
    await this.#writes;
    await this.#writeEnd(last, change);
    this.#show(last);
  }

  /** Until it is written, or has been tried for long enough. */
  async #writeEnd(
    last: string[],
    change: { status: BackgroundStatus; response: string; upstreamId: string },
  ): Promise<void> {
    const { backgroundResponses: store, logger, backgroundRetryMs = RETRY_MS } = this.#context;
    const { id, isStreamed } = this;
    for (let attempt = 1; attempt <= LAST_TRIES; attempt += 1) {
      try {
        if (isStreamed) await this.#addFrames(store, last);
        return await store.change(id, change);
      } catch (error) {
        logger.error({ id, attempt, err: error }, "the end of a background response could not be written");
        if (attempt === TRIES_BEFORE_SHOWN) this.#show(last);
        // No reason for a process to stay: its row says then that it has failed.
        await delay(Math.min(attempt, MAX_RETRY_FACTOR) * backgroundRetryMs, undefined, { ref: false });
      }
    }
  }

  /** Ends what is read here with these events; once. */
  #show(last: string[]): void {
    this.#frames.push(...last.splice(0));
    this.#isOver = true;
    this.#wake();
  }

  /** Events behind the one of this number as soon as there are any; undefined once there will be none. */
  async eventsAfter(sequence: number): Promise<KeptEvents | undefined> {
    while (this.#frames.length <= sequence + 1) {
      if (this.#isOver) return undefined;
      await this.#changed.promise;
    }
    return { lastSequence: this.#frames.length - 1, frames: this.#frames.slice(sequence + 1) };
  }
}

/** The initial values of a background response. */
export interface NewBackground {
  model: string;
  isStreamed: boolean;
  body: Buffer;
  queued: JsonObject;
}

const NO_ERROR = {
  status: 502,
  code: "server_error",
  message: "The answer broke off.",
  type: "",
  param: null,
  retryAfterSeconds: 0,
};

const REFUSED: Refused = {
  status: 503,
  error: { message: "The call was ended.", type: "server_error", param: null, code: "server_stopping" },
  headers: {},
};
