/** A realtime session from the moment both sides are open: events pass both ways, each answer is charged before its last event is sent. */
import { WebSocket } from "ws";
import { objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { withoutUpstreamKey } from "../../upstream/fault.ts";
import { authenticateAgain } from "../admission/authenticate.ts";
import type { Admission } from "../admission/admit.ts";
import type { AnswerEnd } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import type { Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Frame, OpenUpstream } from "./upstream-opening.ts";
import { awaitedInsufficientQuota, insufficientQuota } from "../metering/held-quota.ts";
import { modelLimits } from "../metering/model-limits.ts";
import { RealtimeLedger } from "./ledger.ts";
import { RealtimeCount, type UnseenLimits } from "./usage-count.ts";
import { Heartbeat, Outlet, closeSocket } from "./pump.ts";
import { RelayError } from "../call/relay-error.ts";
import { refuseWordsIn } from "../admission/sensitive-words.ts";

const GOING_AWAY = 1001;
const CUT = 1006;
const POLICY = 1008;
const FAULT = 1011;

const BRACE = 123;

/** The event in a frame, of whatever kind the frame is and whatever blanks stand before it: others would be free, and their text unchecked. */
const eventOf = ({ data }: Frame): JsonObject | undefined =>
  data.find((byte) => byte > 32) === BRACE ? parseObject(data.toString("utf8")) : undefined;

/** What the events of an upstream do beside passing on. */
const STARTS_ANSWER = "response.created";
const ENDS_ANSWER = "response.done";
/** Sound in text form, in which there are no words to find. */
const HAS_SOUND = "input_audio_buffer.append";
const ENDS_TRANSCRIPT = "conversation.item.input_audio_transcription.completed";

function limitsOf({ context }: Call, { model }: Accepted, { routes }: Admission): UnseenLimits {
  const { snapshot } = context;
  return snapshot.options.SafeHoldsEnabled
    ? modelLimits(snapshot, model, routes)
    : { contextWindow: 0, tokensPerPicture: 0 };
}

export class RealtimeSession {
  readonly #call: Call;
  readonly #accepted: Accepted;
  readonly #target: Target;
  readonly #client: WebSocket;
  readonly #upstream: WebSocket;
  readonly #done: (end: AnswerEnd, isOwnFault: boolean) => void;
  readonly #ledger: RealtimeLedger;
  readonly #count: RealtimeCount;
  readonly #toClient: Outlet;
  readonly #toUpstream: Outlet;
  readonly #heartbeat: Heartbeat;
  /** Frames of the upstream that came while something was posted. */
  #waiting: Frame[] = [];
  /** More is being held for an event of the client's; those behind it wait. */
  #covering: Promise<void> | undefined;
  #isPosting = false;
  #posting: Promise<void> = Promise.resolve();
  /** The upstream closed while something was posted: acted on when its last events are sent. */
  #closing: (() => void) | undefined;
  #isClientSlow = false;
  /** Answers that have begun and not ended. */
  #openAnswers = 0;
  #isFinishing = false;
  #isOver = false;
  #isOwnFault = false;

  /** `done` is called once the session is over and everything is posted. */
  constructor(
    call: Call,
    accepted: Accepted,
    admission: Admission,
    target: Target,
    client: WebSocket,
    upstream: OpenUpstream,
    done: (end: AnswerEnd, isOwnFault: boolean) => void,
  ) {
    this.#call = call;
    this.#accepted = accepted;
    this.#target = target;
    this.#client = client;
    this.#upstream = upstream.socket;
    this.#done = done;
    this.#ledger = new RealtimeLedger(call, accepted, admission, target);
    this.#count = new RealtimeCount(limitsOf(call, accepted, admission));
    this.#toClient = new Outlet(client, (shouldRest) => this.#restUpstream(shouldRest));
    this.#toUpstream = new Outlet(this.#upstream, (shouldRest) => (shouldRest ? client.pause() : client.resume()));
    this.#heartbeat = new Heartbeat([
      { socket: client, outlet: this.#toClient },
      { socket: this.#upstream, outlet: this.#toUpstream },
    ]);
    this.#listen();
    for (const frame of upstream.frames) this.#fromUpstream(frame);
  }

  #listen(): void {
    this.#client.on("message", (data, isBinary) => this.#fromClient({ data: data as Buffer, isBinary }));
    this.#upstream.on("message", (data, isBinary) => this.#fromUpstream({ data: data as Buffer, isBinary }));
    this.#client.on("close", (code, reason) => this.#end("client_left", code, reason.toString()));
    this.#upstream.on("close", (code, reason) => this.#upstreamClosed(code, reason.toString()));
    // A fault is followed by a close, which says all there is to know.
    this.#client.on("error", () => undefined);
    this.#upstream.on("error", () => undefined);
  }

  #restUpstream(shouldRest: boolean): void {
    this.#isClientSlow = shouldRest;
    this.#updateUpstream();
  }

  #updateUpstream(): void {
    if (this.#upstream.readyState !== WebSocket.OPEN) return;
    if (this.#isClientSlow || this.#isPosting) this.#upstream.pause();
    else this.#upstream.resume();
  }

  /** Runs one step of the session; what it throws ends the session and nothing else. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#failed(error);
    }
  }

  #fromClient(frame: Frame): void {
    if (this.#isOver) return;
    if (this.#covering !== undefined) return void this.#covering.then(() => this.#fromClient(frame));
    this.#guard(() => {
      this.#ledger.caller = authenticateAgain(this.#call, this.#ledger.caller);
      const event = eventOf(frame);
      if (event !== undefined && this.#isRefused(event)) return;
      if (event !== undefined && this.#count.heard(event)) this.#sendCovered(frame);
      else this.#toUpstream.send(frame.data, frame.isBinary);
    });
  }

  /** What an event may cost beyond its words is held before it goes: the upstream reads it at once, and may be asked to stop too late. */
  #sendCovered({ data, isBinary }: Frame): void {
    const covered = this.#ledger.covers(this.#count.bound());
    if (covered === false) throw insufficientQuota(this.#call.context);
    if (covered === true) return this.#toUpstream.send(data, isBinary);
    this.#client.pause();
    this.#covering = this.#awaitCover(covered)
      .then(() => this.#toUpstream.send(data, isBinary))
      .catch((error: unknown) => this.#failed(error))
      .then(() => {
        this.#covering = undefined;
        this.#client.resume();
      });
  }

  async #awaitCover(covered: Promise<boolean>): Promise<void> {
    if (!(await covered)) throw await awaitedInsufficientQuota(this.#call.context, this.#ledger.caller.user.id);
  }

  /** True where an event has a word of the operator's list: the client gets an error, and the session continues without it. */
  #isRefused(event: JsonObject): boolean {
    if (event["type"] === HAS_SOUND) return false;
    try {
      refuseWordsIn(this.#call.context.snapshot, event);
      return false;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      this.#sendError(error, textOf(event["event_id"]) || null);
      return true;
    }
  }

  #fromUpstream(frame: Frame): void {
    if (this.#isOver) return;
    if (this.#isPosting) this.#waiting.push(frame);
    else this.#guard(() => this.#take(frame, eventOf(frame)));
  }

  #take(frame: Frame, event: JsonObject | undefined): void {
    if (event === undefined) return this.#toClient.send(frame.data, frame.isBinary);
    const type = textOf(event["type"]);
    if (type === ENDS_ANSWER) return this.#post(() => this.#chargeAnswer(frame, event));
    if (type === ENDS_TRANSCRIPT) return this.#post(() => this.#chargeTranscript(frame, event));
    if (type === STARTS_ANSWER) this.#began();
    const { transcriber } = this.#count;
    if (this.#count.said(event)) this.#ledger.spoke();
    if (this.#count.transcriber !== transcriber) this.#checkTranscriber();
    this.#toClient.send(type === "error" ? this.#concealed(frame.data) : frame.data, frame.isBinary);
    if (this.#openAnswers > 0 || this.#count.hasSaid) this.#extendIfDue();
  }

  #began(): void {
    this.#openAnswers += 1;
    this.#ledger.began();
  }

  /** An error may quote the key that the upstream was called with. */
  #concealed(data: Buffer): Buffer {
    return Buffer.from(withoutUpstreamKey(data.toString("utf8"), this.#target.channel.key));
  }

  /** The model that writes transcripts, by the name it has here. */
  #transcriber(): string {
    const { transcriber } = this.#count;
    return transcriber === "" || transcriber === this.#target.upstreamModel ? this.#accepted.model : transcriber;
  }

  /** Transcripts are paid by their own model's price (realtime-server-events/conversation/item/input_audio_transcription/completed). */
  #checkTranscriber(): void {
    if (this.#count.transcriber !== "") this.#ledger.checkModel(this.#transcriber());
  }

  /** While something is posted the upstream is paused, and what it sent already waits in its order. */
  #post(work: () => Promise<void>): void {
    this.#isPosting = true;
    this.#updateUpstream();
    this.#posting = work()
      .catch((error: unknown) => this.#failed(error))
      .then(() => this.#posted());
  }

  #posted(): void {
    this.#isPosting = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const frame of waiting) this.#fromUpstream(frame);
    if (this.#isPosting) return;
    this.#closing?.();
    if (this.#isFinishing && this.#openAnswers === 0) this.stop();
    this.#updateUpstream();
  }

  async #chargeAnswer(frame: Frame, event: JsonObject): Promise<void> {
    const rawUsage = objectOf(event["response"])["usage"];
    const usage = this.#count.answerUsage(rawUsage);
    this.#openAnswers = Math.max(0, this.#openAnswers - 1);
    // Whatever becomes of the posting, the end of the session must not post it again.
    if (usage !== undefined) this.#count.paid(usage.usage);
    if (usage !== undefined) await this.#ledger.settle({ usage, rawUsage, end: "complete" });
    await this.#passAndHold(frame, usage !== undefined);
  }

  async #chargeTranscript(frame: Frame, event: JsonObject): Promise<void> {
    const usage = this.#count.transcriptUsage(event);
    const model = this.#transcriber();
    this.#count.transcribed();
    await this.#ledger.settle({ usage, rawUsage: event["usage"], end: "complete", model });
    await this.#passAndHold(frame, true);
  }

  /** What was charged is sent, then there has to be quota for what comes next. */
  async #passAndHold({ data, isBinary }: Frame, isCharged: boolean): Promise<void> {
    this.#toClient.send(data, isBinary);
    if (isCharged && !this.#isOver) await this.#ledger.holdNext(this.#count.bound());
  }

  #extendIfDue(): void {
    const covered = this.#ledger.covers(this.#count.bound());
    if (covered === true) return;
    if (covered === false) throw insufficientQuota(this.#call.context);
    this.#post(() => this.#awaitCover(covered));
  }

  #failed(error: unknown): void {
    if (error instanceof RelayError && error.status < 500)
      return this.#refuse(error, POLICY, error.type === "insufficient_quota" ? "quota_reached" : "client_left");
    const { context, logFields } = this.#call;
    this.#isOwnFault = true;
    if (error instanceof RelayError) return this.#refuse(error, FAULT, "upstream_broke");
    context.logger.error({ ...logFields, err: error }, "a realtime session failed inside the gateway");
    this.#refuse(new RelayError("internal_error"), FAULT, "upstream_broke");
  }

  /** Sends the client the reason and ends the session. */
  #refuse(refusal: RelayError, code: number, end: AnswerEnd): void {
    if (this.#isOver) return;
    this.#sendError(refusal, null);
    this.#end(end, code, refusal.code);
  }

  /** The format's own error event; `causeId` is the client's event that it answers. */
  #sendError({ type, code, message, param }: RelayError, causeId: string | null): void {
    const { requestId } = this.#call;
    const error = { type, code, message: `${message} (request id: ${requestId})`, param, event_id: causeId };
    const event = { type: "error", event_id: `evt_${requestId}`, error };
    if (this.#client.readyState === WebSocket.OPEN) this.#client.send(JSON.stringify(event));
  }

  #upstreamClosed(code: number, reason: string): void {
    if (this.#isOver) return;
    if (this.#isPosting) return void (this.#closing = () => this.#upstreamClosed(code, reason));
    if (code === CUT) return this.#refuse(new RelayError("upstream_broken"), FAULT, "upstream_broke");
    const { key } = this.#target.channel;
    this.#end(this.#count.hasSaid ? "upstream_broke" : "complete", code, withoutUpstreamKey(reason, key));
  }

  /** Lets the answers under way come to their end, then ends the session, for a server that is stopping. */
  finish(): void {
    this.#isFinishing = true;
    if (!this.#isPosting && this.#openAnswers === 0) this.stop();
  }

  /** Ends the session now. */
  stop(): void {
    this.#end("client_left", GOING_AWAY, "the server is stopping");
  }

  #end(end: AnswerEnd, code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#heartbeat.stop();
    closeSocket(this.#upstream, code, reason);
    closeSocket(this.#client, code, reason);
    void this.#postRest(end).then((rest) => this.#done(rest, this.#isOwnFault));
  }

  /** An unfinished answer is charged as far as it was delivered. */
  async #postRest(end: AnswerEnd): Promise<AnswerEnd> {
    await Promise.all([this.#posting, this.#covering]);
    const isCut = this.#count.hasSaid;
    try {
      if (isCut)
        await this.#ledger.settle({
          usage: { usage: this.#count.usage(), faults: [] },
          rawUsage: undefined,
          end,
          isOwnFault: this.#isOwnFault,
        });
      await this.#ledger.release();
    } catch (error) {
      const { context, logFields } = this.#call;
      context.logger.error({ ...logFields, err: error }, "the rest of a realtime session could not be booked");
    }
    // A client that hangs up between two answers has ended its session as it should.
    return end === "client_left" && !isCut ? "complete" : end;
  }
}
