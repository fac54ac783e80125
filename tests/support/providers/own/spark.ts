/** iFlytek's Spark as its documentation has it (xfyun.cn/doc/spark/Web.html): a signed WebSocket, one message there, the answer in pieces. */
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { type Fields, fieldsOf, listOf } from "../../clients/client-formats.ts";
import { type OwnVendor, type RunningVendor, THOUGHT, WORDS, startHttpVendor } from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const [APP_ID, API_SECRET, API_KEY] = [
  "app12345",
  "secretofthetest0123456789abcdef",
  "keyofthetest0123456789abcdefghij",
];

const FAILURES = [
  ["a wrong signature", "401-signature.json", "auth"],
  ["no licence", "200-licence.json", "auth"],
  ["too many requests", "200-flow.json", "rate"],
  ["a busy service", "200-busy.json", "overloaded"],
  ["a wrong parameter", "200-schema.json", "invalid"],
  ["forbidden words", "200-input.json", "content"],
] as const;

const fixture = (name: string): string => providerFixture("spark", name);

/** What is wrong with the signed address; undefined where it is right. */
function signatureFault(path: string): string | undefined {
  const { pathname, searchParams } = new URL(path, "http://vendor");
  const [date, host] = [searchParams.get("date") ?? "", searchParams.get("host")];
  if (host !== "spark-api.xf-yun.com") return "host";
  if (Math.abs(Date.parse(date) - Date.now()) > 300_000) return "date";
  const signature = createHmac("sha256", API_SECRET).update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`);
  const expected = `api_key="${API_KEY}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature.digest("base64")}"`;
  const given = Buffer.from(searchParams.get("authorization") ?? "", "base64").toString();
  return given === expected ? undefined : "signature";
}

const CHAT = new Set(["domain", "temperature", "top_k", "max_tokens"]);

function faultOf(body: Fields): string | undefined {
  const { header, parameter, payload } = body;
  if (fieldsOf(header)["app_id"] !== APP_ID) return "app_id";
  const chat = fieldsOf(fieldsOf(parameter)["chat"]);
  const strange = Object.keys(chat).find((name) => !CHAT.has(name));
  if (strange !== undefined) return strange;
  if (chat["domain"] !== "generalv3.5") return `domain ${String(chat["domain"])}`;
  const texts = listOf(fieldsOf(fieldsOf(payload)["message"])["text"]).map(fieldsOf);
  const roles = texts.map(({ role }) => String(role));
  if (roles.slice(1).includes("system")) return "a system message that is not the first";
  if (roles.some((role, at) => role === roles[at - 1])) return "two messages of one role behind each other";
  if (texts.some(({ content }) => typeof content !== "string" || content === "")) return "content is no text";
  return roles.at(-1) === "user" ? undefined : "the last message is no question";
}

function pieces(): object[] {
  const piece = (status: number, text: object, more: object = {}) => ({
    header: { code: 0, message: "Success", sid: "cht-1", status },
    payload: { choices: { status, seq: status, text: [{ role: "assistant", index: 0, ...text }] }, ...more },
  });
  const usage = { text: { question_tokens: 4, prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } };
  return [
    piece(0, { content: "", reasoning_content: THOUGHT }),
    piece(1, { content: WORDS.slice(0, 4) }),
    piece(2, { content: WORDS.slice(4) }, { usage }),
  ];
}

function converse(socket: WebSocket, running: RunningVendor, request: IncomingMessage): void {
  socket.on("message", (data: Buffer) => {
    running.seen.push({ method: "GET", path: request.url ?? "", headers: request.headers, body: data });
    const fault = faultOf(fieldsOf(JSON.parse(data.toString())));
    const failing = FAILURES[running.failing ?? -1]?.[1];
    if (fault !== undefined) running.complaints.push(fault);
    if (fault !== undefined) socket.send(JSON.stringify({ header: { code: 10163, message: fault, status: 2 } }));
    else if (failing !== undefined) socket.send(fixture(failing));
    else for (const piece of pieces()) socket.send(JSON.stringify(piece));
  });
}

function refuse(socket: Duplex): void {
  const body = fixture("401-signature.json");
  socket.end(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

async function start(): Promise<RunningVendor> {
  const running = await startHttpVendor((_request, response) => void response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true });
  running.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = request.url ?? "";
    const fault = path.startsWith("/v3.5/chat?") ? signatureFault(path) : `path ${path}`;
    if (fault !== undefined) running.complaints.push(fault);
    if (fault !== undefined || FAILURES[running.failing ?? -1]?.[1].startsWith("401") === true) return refuse(socket);
    sockets.handleUpgrade(request, socket, head, (opened) => converse(opened, running, request));
  });
  return running;
}

export const vendor: OwnVendor = {
  name: "iFlytek Spark",
  type: 18,
  key: `${APP_ID}|${API_SECRET}|${API_KEY}`,
  other: "v3.5",
  model: "SparkDesk",
  takesTools: false,
  takesPictures: false,
  thinks: true,
  takesSchemas: false,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES.map(([name, , kind]) => ({ name, kind })),
  start,
};
