/** One open socket of /v1/responses: each frame becomes a call of its own in its lane, and the events of its answer are sent as frames. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebSocket } from "ws";
import { listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import { keyOwner } from "../admission/authenticate.ts";
import { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { errorInfo } from "../call/respond.ts";
import type { Endpoint } from "../request/paths.ts";
import { type FrameSink, exchangeOf } from "./exchange.ts";
import {
  type CreateFrame,
  type EarlierResponse,
  callBody,
  frameObject,
  inputItems,
  joined,
  outputItems,
  readFrame,
  steerFailed,
  streamIdOf,
  warmUpEvents,
} from "./frame.ts";
import { KeptResponses, type MemoryShare } from "./kept-responses.ts";

// Bounds of one socket as OpenAI has them (developers.openai.com/api/docs/guides/websocket-mode).
const MAX_OPEN_ANSWERS = 16;
const MAX_LANES = 33;
/** Frames that wait for the answer before them, in all lanes. */
const MAX_WAITING = 32;

/** Bytes of a frame that is still arriving, beyond which they count against the share of its user. */
const ARRIVING_STEP_BYTES = 65_536;

/** Codes of RFC 6455 section 7.4. */
export const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008, tooBig: 1009 } as const;

const DIALECT = DIALECTS["openai-responses"];

/** What a socket needs of the relay. */
export interface SocketRelay {
  context: RelayContext;
  endpoint: Endpoint;
  /** Runs one call to its end; never rejects. */
  runCall(call: Call, endpoint: Endpoint): Promise<void>;
}

interface Lane {
  waiting: { frame: CreateFrame; bytes: number }[];
  /** The response under way; undefined while there is none. */
  open: ServerResponse | undefined;
}

/** What an answer's events say of it for the next one. */
class AnswerNotes {
  readonly #items: unknown[] = [];
  id = "";

  /** Looks at one event; others than the ones named here are not parsed. */
  take(data: string): void {
    const isItem = data.includes('"response.output_item.done"');
    if (!isItem && !data.includes('"response.completed"') && !data.includes('"response.incomplete"')) return;
    const event = parseObject(data) ?? {};
    if (event["type"] === "response.output_item.done") this.#items.push(event["item"]);
    if (event["type"] !== "response.completed" && event["type"] !== "response.incomplete") return;
    const response = objectOf(event["response"]);
    this.id = textOf(response["id"]);
    const output = listOf(response["output"]);
    if (output.length > 0) this.#items.splice(0, this.#items.length, ...output);
  }

  /** Undefined where the answer has not ended well. */
  response(said: string, isStored: boolean): EarlierResponse | undefined {
    return this.id === "" ? undefined : { id: this.id, items: joined(said, outputItems(this.#items)), isStored };
  }
}

export class ResponsesSocket {
  readonly #relay: SocketRelay;
  readonly #handshake: IncomingMessage;
  readonly #socket: WebSocket;
  readonly #share: MemoryShare;
  readonly #kept: KeptResponses;
  readonly #lanes = new Map<string, Lane>();
  #waitingCount = 0;
  #isClosed = false;
  /** Bytes that came since the last whole frame, and what of them was taken of the share. */
  #arrivingBytes = 0;
  #arrivingTakenBytes = 0;
  /** Why the socket is closed once its answers have ended. */
  #ending: { error: RelayError; code: number } | undefined = undefined;

  constructor(relay: SocketRelay, handshake: IncomingMessage, socket: WebSocket, share: MemoryShare) {
    this.#relay = relay;
    this.#handshake = handshake;
    this.#socket = socket;
    this.#share = share;
    this.#kept = new KeptResponses(share);
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.#forgetArriving();
      this.#take(data, isBinary);
    });
    handshake.socket.on("data", (chunk: Buffer) => this.#countArriving(chunk.length));
    socket.on("close", () => this.#closed());
    // A broken connection closes: running answers are ended there.
    socket.on("error", () => undefined);
  }

  get isIdle(): boolean {
    return this.#waitingCount === 0 && [...this.#lanes.values()].every(({ open }) => open === undefined);
  }

  /**
   * Closes behind the answers that are under way or wait; frames that still come are refused with `error`. An idle socket closes without an
   * event: between answers OpenAI's library throws what it reads where nothing catches it.
   */
  finish(code: number, error: RelayError): void {
    this.#ending ??= { error, code };
    this.#closeWhereIdle();
  }

  #closeWhereIdle(): void {
    if (this.#ending !== undefined && this.isIdle) this.#socket.close(this.#ending.code);
  }

  /** Half of a large frame is memory like a whole one, and may stay half for as long as its client likes. */
  #countArriving(bytes: number): void {
    this.#arrivingBytes += bytes;
    const { shares, userId, shareBytes } = this.#share;
    while (this.#arrivingBytes > this.#arrivingTakenBytes + ARRIVING_STEP_BYTES && !this.#isClosed) {
      if (shares.take(userId, ARRIVING_STEP_BYTES, shareBytes) !== "taken") {
        this.#refuse("", new RelayError("request_memory_exceeded"));
        return this.#socket.close(CLOSE.tooBig);
      }
      this.#arrivingTakenBytes += ARRIVING_STEP_BYTES;
    }
  }

  #forgetArriving(): void {
    this.#share.shares.give(this.#share.userId, this.#arrivingTakenBytes);
    this.#arrivingBytes = 0;
    this.#arrivingTakenBytes = 0;
  }

  #take(data: Buffer, isBinary: boolean): void {
    let streamId = "";
    try {
      if (isBinary) throw new RelayError("invalid_json", { message: "A frame must be text." });
      if (this.#ending !== undefined) throw this.#ending.error;
      const object = frameObject(data.toString("utf8"));
      streamId = streamIdOf(object);
      const failed = steerFailed(object);
      if (failed !== undefined) return this.#send("", JSON.stringify(failed));
      const frame = readFrame(object);
      if (frame !== undefined) this.#queue(frame, data.length);
    } catch (error) {
      this.#refuse(streamId, this.#relayError(error));
    }
  }

  /** Throws RelayError 429 beyond the bounds of a socket, or where the user's share of memory is taken. */
  #queue(frame: CreateFrame, bytes: number): void {
    const { streamId } = frame;
    if (!this.#lanes.has(streamId) && this.#lanes.size >= MAX_LANES)
      throw new RelayError("websocket_stream_limit_reached", {
        message: `A socket has ${MAX_LANES - 1} named streams.`,
      });
    if (this.#waitingCount >= MAX_WAITING)
      throw new RelayError("websocket_stream_limit_reached", { message: `${MAX_WAITING} frames wait on this socket.` });
    const { shares, userId, shareBytes } = this.#share;
    if (shares.take(userId, bytes, shareBytes) !== "taken") throw new RelayError("request_memory_exceeded");
    const lane = this.#lanes.get(streamId) ?? { waiting: [], open: undefined };
    this.#lanes.set(streamId, lane);
    lane.waiting.push({ frame, bytes });
    this.#waitingCount += 1;
    this.#next();
  }

  /** Begins what waits, lane by lane, as far as the bound of open answers reaches. */
  #next(): void {
    let openCount = [...this.#lanes.values()].filter(({ open }) => open !== undefined).length;
    for (const lane of this.#lanes.values()) {
      while (lane.open === undefined && openCount < MAX_OPEN_ANSWERS) {
        const next = lane.waiting.shift();
        if (next === undefined) break;
        this.#giveBack(next.bytes);
        this.#begin(lane, next.frame);
        if (lane.open !== undefined) openCount += 1;
      }
    }
    this.#closeWhereIdle();
  }

  #giveBack(bytes: number): void {
    this.#waitingCount -= 1;
    this.#share.shares.give(this.#share.userId, bytes);
  }

  /** Answers a frame at once, or leaves its answer under way in the lane. */
  #begin(lane: Lane, frame: CreateFrame): void {
    try {
      const earlier = this.#earlier(frame);
      if (frame.generates) this.#ask(lane, frame, earlier);
      else this.#warmUp(frame, earlier);
    } catch (error) {
      this.#refuse(frame.streamId, this.#relayError(error));
    }
  }

  /** The answer that a frame continues, where this socket has it. Throws RelayError 400 where no upstream can have it either. */
  #earlier({ previousId, body }: CreateFrame): EarlierResponse | undefined {
    if (previousId === "") return undefined;
    const earlier = this.#kept.find(previousId);
    if (earlier !== undefined || body["store"] !== false) return earlier;
    throw new RelayError("previous_response_not_found", {
      message: `The response '${previousId}' is not known on this connection. Send the whole conversation.`,
      param: "previous_response_id",
    });
  }

  /** Keeps what a frame brings under an id of ours. Throws RelayError 401 or 403 where its key is no longer good. */
  #warmUp(frame: CreateFrame, earlier: EarlierResponse | undefined): void {
    const { context } = this.#relay;
    keyOwner(context, this.#handshake);
    const id = `resp_${context.newRequestId()}`;
    const items = joined(earlier?.items ?? "", inputItems(frame.body));
    this.#kept.keep(frame.streamId, { id, items, isStored: false });
    for (const event of warmUpEvents(id, frame, context.nowSeconds()))
      this.#send(frame.streamId, JSON.stringify(event));
  }

  /** Has the pipeline answer a frame like a call over HTTP: it is admitted, held, metered and charged by itself. */
  #ask(lane: Lane, frame: CreateFrame, earlier: EarlierResponse | undefined): void {
    const { context, endpoint, runCall } = this.#relay;
    const { streamId, body } = frame;
    const notes = new AnswerNotes();
    const sink: FrameSink = {
      event: (data, sent) => {
        notes.take(data);
        this.#send(streamId, data, sent);
      },
      refused: (status, error, headers) => {
        this.#send(streamId, JSON.stringify({ type: "error", status, error, headers }));
        if (status === 401) this.#finishRefused();
      },
    };
    const { request, response } = exchangeOf(
      this.#handshake,
      callBody(frame, earlier),
      sink,
      context.limits.sseLineBytes,
    );
    const call = new Call(context, request, response, { operation: "chat", dialect: DIALECT });
    lane.open = response;
    void runCall(call, endpoint)
      .then(() => whenWritten(response))
      .then(() => {
        const isStored = body["store"] !== false && call.trace.target?.dialect === DIALECT;
        const answered = notes.response(joined(earlier?.items ?? "", inputItems(body)), isStored);
        if (answered !== undefined && !this.#isClosed) this.#kept.keep(streamId, answered);
        lane.open = undefined;
        this.#next();
      });
  }

  /** Sends one event, with the name of its lane where it has one. */
  #send(streamId: string, data: string, sent?: () => void): void {
    const text =
      streamId === "" ? data : `{"stream_id":${JSON.stringify(streamId)},${data.slice(data.indexOf("{") + 1)}`;
    // A socket that has closed says so to all that is under way.
    this.#socket.send(text, () => sent?.());
  }

  #refuse(streamId: string, error: RelayError): void {
    const requestId = this.#relay.context.newRequestId();
    const { error: shown } = parseObject(DIALECT.errorBody(errorInfo(error, requestId), requestId)) ?? {};
    const headers = { "x-request-id": requestId };
    this.#send(streamId, JSON.stringify({ type: "error", status: error.status, error: shown, headers }));
    if (error.status === 401) this.#finishRefused();
  }

  /** Closes the socket of a key that is no longer valid. */
  #finishRefused(): void {
    this.finish(CLOSE.policy, new RelayError("key_invalid"));
  }

  #relayError(error: unknown): RelayError {
    if (error instanceof RelayError) return error;
    // What JSON.parse and JSON.stringify throw for nesting beyond the stack.
    if (error instanceof RangeError) return new RelayError("json_too_deep");
    this.#relay.context.logger.error({ err: error }, "a frame of a socket failed inside the gateway");
    return new RelayError("internal_error");
  }

  #closed(): void {
    this.#isClosed = true;
    this.#forgetArriving();
    for (const lane of this.#lanes.values()) {
      for (const { bytes } of lane.waiting.splice(0)) this.#giveBack(bytes);
      lane.open?.destroy();
    }
    this.#kept.clear();
  }
}

/** Resolves once a response has gone out to its end, or was given up. */
function whenWritten(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => response.once("close", resolve));
}
