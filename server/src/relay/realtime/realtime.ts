/** /v1/realtime: a WebSocket is let in like a call, and opened to the client once a channel's upstream has opened its own. */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { RequestFacts } from "../dialects/dialect.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { Exchange, type RelayContext, known } from "./exchange.ts";
import { tryChannels } from "./failover.ts";
import { begin, conclude, refuse } from "./frame.ts";
import { groupsOf } from "./groups.ts";
import type { CallPath } from "./paths.ts";
import type { Upgrade } from "./realtime-attempt.ts";
import { hasValidProtocols, isTranscription, queryOf } from "./realtime-path.ts";
import { Refusal } from "./refusal.ts";

const NO_FIELDS = { fields: [], open: 0, close: 0, stringBytes: 0, mediaParts: 0 };

/** Nothing is known of a session but its model. */
const sessionFacts = (model: string): RequestFacts => ({
  top: NO_FIELDS,
  model,
  isStream: true,
  asksUsage: true,
  maxTokens: undefined,
  choices: 1,
  asciiBytes: 0,
  otherBytes: 0,
  mediaParts: 0,
});

/** Models that write transcripts, for sessions that name theirs only after they have begun, as OpenAI's own library does. */
const TRANSCRIBERS = ["gpt-realtime-whisper", "gpt-4o-transcribe", "gpt-4o-mini-transcribe", "whisper-1"] as const;

/** The model that the session is let in and routed by. */
function modelOf(exchange: Exchange): string {
  const { path, context } = exchange;
  const model = queryOf(path).get("model") ?? "";
  if (model !== "" || !isTranscription(path)) return model;
  const asker = { context, token: known(exchange.token, "token"), user: known(exchange.user, "user") };
  const offered = context.snapshot.modelsFor(groupsOf(asker));
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
const MOST_EARLY_BYTES = 65_536;

/** Reads the client's socket while it waits, so that its leaving is seen at once; gives what it sent when it is taken over. */
function watch(socket: Duplex, head: Buffer): () => Buffer {
  const parts = [head];
  let size = head.length;
  const collect = (part: Buffer): void => {
    parts.push(part);
    size += part.length;
    if (size > MOST_EARLY_BYTES) socket.destroy();
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

/** Lets a session in; resolves when it is over. Throws Refusal. */
async function enter(exchange: Exchange, isStopping: boolean): Promise<void> {
  if (isStopping) throw new Refusal("server_stopping");
  if (!hasValidProtocols(exchange.request)) throw new Refusal("subprotocols_invalid");
  authenticate(exchange);
  exchange.model = modelOf(exchange);
  exchange.facts = sessionFacts(exchange.model);
  exchange.isStream = true;
  await admit(exchange);
  await tryChannels(exchange);
}

/** Runs one session to its end; never throws. */
export async function runRealtime(
  context: RelayContext,
  request: IncomingMessage,
  asked: CallPath,
  { socket, head, onSession, isStopping }: Handshake,
): Promise<void> {
  const takeSocket = watch(socket, head);
  const exchange = new Exchange(context, request, responseOn(request, socket), asked, request.url ?? "/");
  exchange.upgrade = { socket, takeSocket, onSession };
  const end = begin(exchange);
  try {
    await enter(exchange, isStopping);
    conclude(exchange);
  } catch (error) {
    await refuse(exchange, error);
  } finally {
    end();
  }
}
