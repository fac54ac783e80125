/** /v1/realtime: a WebSocket is admitted like a call, opened to the client once a channel's upstream has opened its own, and tracked to its end, so that a stopping server can wait for it. */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { EMPTY_TOP } from "../../dialects/json/bytes.ts";
import type { RequestInfo } from "../../dialects/neutral/info.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Caller } from "../admission/caller.ts";
import { groupsOf } from "../admission/groups.ts";
import { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Accepted } from "../request/accepted.ts";
import { type Endpoint, hasValidProtocols, isTranscription, queryOf, routeOf, upstreamPath } from "../request/paths.ts";
import type { Upgrade } from "./attempt.ts";
import type { RealtimeSession } from "./session.ts";

const NO_BYTES = Buffer.alloc(0);

/** A session has nothing but its model. */
const sessionInfo = (model: string): RequestInfo => ({
  top: EMPTY_TOP,
  model,
  isStream: true,
  asksUsage: true,
  maxTokens: undefined,
  choices: 1,
  words: { tokens: 0, cautiousTokens: 0 },
  mediaParts: 0,
});

/** Models that write transcripts, for sessions that name theirs only after they have begun, as OpenAI's own library does. */
const TRANSCRIBERS = ["gpt-realtime-whisper", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "whisper-1"] as const;

/** The model that the session is let in and routed by. */
function modelOf({ snapshot }: RelayContext, path: string, caller: Caller): string {
  const model = queryOf(path).get("model") ?? "";
  if (model !== "" || !isTranscription(path)) return model;
  const offered = snapshot.modelsFor(groupsOf(snapshot, caller));
  return TRANSCRIBERS.find((each) => offered.includes(each)) ?? TRANSCRIBERS[0];
}

/** A response for what is refused before the handshake; the connection ends behind it. */
function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as never);
  response.on("finish", () => socket.end(() => socket.destroy()));
  return response;
}

/** What a client may have sent before it was answered; there is nothing it could say yet. */
const MAX_EARLY_BYTES = 65_536;

/** Reads the client's socket while it waits, so that its leaving is seen at once; gives what it sent when it is taken over. */
function watch(socket: Duplex, head: Buffer): () => Buffer {
  const parts = [head];
  let size = head.length;
  const collect = (part: Buffer): void => {
    parts.push(part);
    size += part.length;
    if (size > MAX_EARLY_BYTES) socket.destroy();
  };
  const gone = (): void => void socket.destroy();
  socket.on("data", collect).on("end", gone).on("error", gone);
  return () => {
    socket.pause();
    socket.off("data", collect).off("end", gone);
    return Buffer.concat(parts);
  };
}

/** A handshake as it comes from the listener. */
export interface Handshake extends Pick<Upgrade, "socket" | "onSession"> {
  /** What came behind the head of the request. */
  head: Buffer;
  /** True where the server is about to stop. */
  isStopping: boolean;
}

/** A call that is a session, and its client's handshake until that is accepted; what is refused before goes out as a response. */
export function handshakeCall(
  context: RelayContext,
  request: IncomingMessage,
  endpoint: Endpoint,
  { socket, head, onSession }: Handshake,
): { call: Call; upgrade: Upgrade } {
  const takeSocket = watch(socket, head);
  const route = routeOf(request.url ?? "/");
  const kind = { operation: endpoint.operation, dialect: DIALECTS[endpoint.dialect], route };
  const call = new Call(context, request, responseOn(request, socket), kind);
  return { call, upgrade: { socket, takeSocket, onSession } };
}

/** Throws RelayError 400 or 503. */
export function checkHandshake({ request }: Call, { isStopping }: Handshake): void {
  if (isStopping) throw new RelayError("server_stopping");
  if (!hasValidProtocols(request)) throw new RelayError("subprotocols_invalid");
}

/** What a session asks for: nothing is known of it but its model. */
export function acceptSession(call: Call, endpoint: Endpoint, caller: Caller): Accepted {
  const { operation, dialect, request, context } = call;
  const path = upstreamPath(endpoint, request.url ?? "/");
  const model = modelOf(context, path, caller);
  return {
    endpoint,
    operation,
    dialect,
    path,
    body: NO_BYTES,
    info: sessionInfo(model),
    form: undefined,
    model,
    isStream: true,
    fields: undefined,
  };
}

interface Running {
  socket: Duplex;
  /** Undefined until both sides are open. */
  session: RealtimeSession | undefined;
  over: Promise<void>;
}

/** Runs one session to its end; never rejects. */
type RunSession = (
  context: RelayContext,
  request: IncomingMessage,
  endpoint: Endpoint,
  handshake: Handshake,
) => Promise<void>;

export class RealtimeSessions {
  readonly #runSession: RunSession;
  readonly #running = new Set<Running>();
  #isEnding = false;

  constructor(runSession: RunSession) {
    this.#runSession = runSession;
  }

  /** Lets a session in and follows it to its end. */
  run(context: RelayContext, request: IncomingMessage, endpoint: Endpoint, socket: Duplex, head: Buffer): void {
    const running: Running = { socket, session: undefined, over: Promise.resolve() };
    const onSession = (session: RealtimeSession): void => {
      running.session = session;
      if (this.#isEnding) session.finish();
    };
    this.#running.add(running);
    running.over = this.#runSession(context, request, endpoint, {
      socket,
      head,
      onSession,
      isStopping: this.#isEnding,
    }).finally(() => void this.#running.delete(running));
  }

  /** Lets answers under way end for `graceSeconds` at most; resolves when every session is over and posted. */
  async end(graceSeconds: number): Promise<void> {
    this.#isEnding = true;
    for (const { session } of this.#running) session?.finish();
    const timer = setTimeout(() => this.#stop(), graceSeconds * 1000);
    await Promise.all([...this.#running].map(({ over }) => over));
    clearTimeout(timer);
  }

  /** Handshakes that are not through are given up. */
  #stop(): void {
    for (const { session, socket } of this.#running) {
      if (session === undefined) socket.destroy();
      else session.stop();
    }
  }
}
