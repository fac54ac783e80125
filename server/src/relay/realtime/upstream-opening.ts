/** Opens the upstream's side of a realtime session: its handshake, and its first event, which may be an error. */
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import { faultOf, newFault, type UpstreamFault, withoutUpstreamKey } from "../../upstream/fault.ts";
import { withAdded, withTrace } from "../attempt/added-headers.ts";
import type { Attempt } from "../attempt/attempts.ts";
import { failureOf } from "../attempt/failures.ts";
import type { Call } from "../call/call.ts";
import type { AttemptSpan } from "../call/spans.ts";
import type { Target } from "../call/target.ts";
import { betaOf } from "../request/paths.ts";

export interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/** An upstream that is open, and what it has said already. */
export interface OpenUpstream {
  socket: WebSocket;
  frames: readonly Frame[];
}

/** The largest message of either side; OpenAI takes 15 MiB of sound in one event (realtime-client-events/input_audio_buffer/append). */
export const MAX_MESSAGE_BYTES = 16_777_216;
const MAX_ERROR_BYTES = 65_536;
/** For the first event, at most. All known upstreams greet at once; one that does not is not waited for. */
const GREETING_MS = 2_000;

const HTTP_ONLY: ReadonlySet<string> = new Set(["accept", "content-type"]);

/** The provider's headers without those of a body, and the client's word on which version of the API it speaks. */
function handshakeHeaders(call: Call, target: Target, span: AttemptSpan | undefined): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < target.headers.length; index += 2) {
    const name = target.headers[index] ?? "";
    if (!HTTP_ONLY.has(name)) headers.push(name, target.headers[index + 1] ?? "");
  }
  const beta = betaOf(call.request);
  if (beta !== undefined) headers.push("openai-beta", beta);
  return withTrace(call, target, span, withAdded(headers, target.addedHeaders));
}

const failureIn = ({ provider, channel }: Target, status: number, body: string): UpstreamFailure => {
  const failure = provider.failure(status, withoutUpstreamKey(body, channel.key));
  return failure.status < 400 ? { ...failure, status: 502 } : failure;
};

/** A handshake that was refused, as the failure its status and body mean. */
function readRefused(target: Target, answer: IncomingMessage): Promise<UpstreamFailure> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const finish = (): void =>
      resolve(failureIn(target, answer.statusCode ?? 502, Buffer.concat(parts).toString("utf8", 0, MAX_ERROR_BYTES)));
    answer.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size >= MAX_ERROR_BYTES) finish();
    });
    answer.on("end", finish);
    answer.on("error", finish);
  });
}

/**
 * Statuses of errors that come as the first event: OpenAI opens a session before it looks at the key, says in an event what is wrong
 * with it, and closes (openai/openai-realtime-api-beta issue 2).
 */
const GREETING_STATUSES: Readonly<Record<string, number>> = {
  invalid_api_key: 401,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  model_not_found: 404,
  server_error: 500,
};

/** The failure that a first event names; undefined where it is a greeting. */
function failureInGreeting(target: Target, { data }: Frame): UpstreamFailure | undefined {
  const text = data.toString("utf8");
  const event = parseObject(text);
  if (event?.["type"] !== "error") return undefined;
  const { code, type } = objectOf(event["error"]);
  const status = ownOf(GREETING_STATUSES, textOf(code)) ?? ownOf(GREETING_STATUSES, textOf(type)) ?? 400;
  return failureIn(target, status, text);
}

/** Nothing has been asked of the upstream before the session runs, so every fault lets another channel be tried. */
const faultOfHandshake = (error: Error): UpstreamFault =>
  faultOf(error.message.includes("handshake has timed out") ? newFault("connect_timeout") : error, false);

export const aborted = (): UpstreamFailure => failureOf(newFault("aborted"), false);

/** Follows an upstream's socket until it is open and has greeted, and keeps what it says until the session takes it over. */
export class Opening {
  readonly #target: Target;
  readonly #socket: WebSocket;
  readonly #resolve: (end: UpstreamFailure | undefined) => void;
  readonly #frames: Frame[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `resolve` gets undefined once the upstream is open, else the failure. */
  constructor(
    target: Target,
    socket: WebSocket,
    greetingMs: number,
    resolve: (end: UpstreamFailure | undefined) => void,
  ) {
    this.#target = target;
    this.#socket = socket;
    this.#resolve = resolve;
    socket.on("open", () => (this.#timer = setTimeout(() => this.#greeted(), Math.min(greetingMs, GREETING_MS))));
    socket.on("message", this.#collect).on("error", this.#fault).on("close", this.#closed);
  }

  readonly #collect = (data: unknown, isBinary: boolean): void => {
    const frame = { data: data as Buffer, isBinary };
    this.#frames.push(frame);
    const failure = this.#frames.length > 1 ? undefined : failureInGreeting(this.#target, frame);
    if (failure === undefined) this.#greeted();
    else this.fail(failure);
  };

  readonly #fault = (error: Error): void => this.fail(failureOf(faultOfHandshake(error), false));

  readonly #closed = (): void => this.fail(failureOf(newFault("connect"), false));

  #greeted(): void {
    clearTimeout(this.#timer);
    this.#resolve(undefined);
  }

  /** Gives it up with the failure, unless it has ended before. */
  fail(failure: UpstreamFailure): void {
    clearTimeout(this.#timer);
    this.#socket.terminate();
    this.#resolve(failure);
  }

  /** Hands the open socket over with all it has said; undefined where it has closed by now. */
  take(): OpenUpstream | undefined {
    this.#socket.off("message", this.#collect).off("error", this.#fault).off("close", this.#closed);
    this.#socket.on("error", () => undefined);
    return this.#socket.readyState === WebSocket.OPEN ? { socket: this.#socket, frames: this.#frames } : undefined;
  }
}

function dialed(call: Call, target: Target, span: AttemptSpan | undefined): WebSocket | UpstreamFailure {
  const { upstream, timeouts } = call.context;
  try {
    return upstream.openSocket({
      url: target.url,
      headers: handshakeHeaders(call, target, span),
      proxy: target.channel.setting.proxy ?? "",
      handshakeTimeoutMs: timeouts.firstByteStreamMs,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    });
  } catch (error) {
    return failureOf(faultOf(error, false), false);
  }
}

/** Opens the upstream's socket; the failure where it does not open. A client that leaves meanwhile ends it. */
export async function openUpstream(
  attempt: Attempt,
  target: Target,
  span: AttemptSpan | undefined,
): Promise<Opening | UpstreamFailure> {
  const { call } = attempt.attempts;
  if (call.isClientGone) return aborted();
  const socket = dialed(call, target, span);
  if ("kind" in socket) return socket;
  const { promise, resolve } = Promise.withResolvers<UpstreamFailure | undefined>();
  const opening = new Opening(target, socket, call.context.timeouts.connectMs, resolve);
  call.listener = { clientGone: () => opening.fail(aborted()), serverStops: () => opening.fail(aborted()) };
  socket.once("unexpected-response", (_request, answer) => {
    attempt.failureHeaders = answer.headers;
    void readRefused(target, answer).then((failure) => opening.fail(failure));
  });
  return (await promise) ?? opening;
}
