/** OpenAI's realtime WebSocket as the fake upstream serves it: who is let in, and what became of each socket. */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Plan } from "../plan.ts";
import { FakeSession } from "./realtime-session.ts";

export interface SeenSocket {
  path: string;
  headers: IncomingMessage["headers"];
  /** Messages that came, as text. */
  messages: string[];
  socket: WebSocket;
  /** Code the other side closed with; 0 while it is open. */
  closeCode: number;
}

interface Scene {
  plan(): Plan;
  key: string | undefined;
  sockets: SeenSocket[];
  /** Called with each handshake: it is a request like any. */
  counted(): void;
}

function refuse(socket: Duplex, status: number, message: string): void {
  const body = JSON.stringify({ error: { message, type: "invalid_request_error", code: null, param: null } });
  const head = `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
}

/** Greets as planned: with an error where the plan has one without a status, not at all where it sends no marks. */
function greet(session: FakeSession, { error, sendsDone }: Plan): void {
  if (sendsDone === false) return;
  if (error === undefined) session.greet();
  else session.error(error.message, error.code === undefined ? null : String(error.code), true, error.type);
}

function open(scene: Scene, socket: WebSocket, request: IncomingMessage, plan: Plan): void {
  const seen: SeenSocket = { path: request.url ?? "", headers: request.headers, messages: [], socket, closeCode: 0 };
  scene.sockets.push(seen);
  const query = new URLSearchParams(seen.path.split("?")[1]);
  const isTranscription = query.get("intent") === "transcription";
  const isBeta = request.headers["openai-beta"] !== undefined;
  const session = new FakeSession(socket, scene.plan, { isBeta, model: query.get("model") ?? "", isTranscription });
  socket.on("close", (code) => (seen.closeCode = code));
  socket.on("error", () => undefined);
  socket.on("message", (data, isBinary) => {
    seen.messages.push((data as Buffer).toString());
    if (!isBinary) session.take((data as Buffer).toString());
  });
  greet(session, plan);
}

/** Serves `/v1/realtime` on the server. */
export function serveRealtime(server: Server, scene: Scene): void {
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has("realtime") ? "realtime" : false),
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    scene.counted();
    const plan = scene.plan();
    if (plan.neverAnswers === true) return void socket.resume().on("end", () => socket.destroy());
    if (plan.dropsRequest !== undefined) return void socket.destroy();
    if (scene.key !== undefined && request.headers.authorization !== `Bearer ${scene.key}`)
      return refuse(socket, 401, "Incorrect API key provided.");
    if (plan.status !== undefined) return refuse(socket, plan.status, plan.error?.message ?? `status ${plan.status}`);
    sockets.handleUpgrade(request, socket, head, (accepted) => open(scene, accepted, request, plan));
  });
}
