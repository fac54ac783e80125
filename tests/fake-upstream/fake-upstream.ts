/** A real HTTP server that answers like an OpenAI-compatible vendor, and can delay, cut, reset and lie; records what reached it. */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { Answer, wait } from "./answer-writer.ts";
import {
  type AnswerParts,
  chatBody,
  completionBody,
  embeddingBody,
  modelsBody,
  splitText,
  streamFrames,
} from "./answers.ts";
import { type Refusal, refusalOf } from "./validate.ts";

/** How one request is answered; every field has a plain default. */
export interface Plan {
  /** Status of an answer; 400 and above send `error`. */
  status?: number;
  error?: { message: string; type?: string; code?: string | number | null; param?: string | null };
  /** Sends exactly these bytes instead of an answer; a list goes out piece by piece, chunkDelayMs apart. */
  rawBody?: string | Buffer | readonly string[];
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  text?: string;
  reasoning?: string;
  /** Frames the text is cut into. */
  chunks?: number;
  finishReason?: string | null;
  /** null sends none; anything else is sent as it is, also if it lies. */
  usage?: unknown;
  /** False leaves out `[DONE]`. */
  sendsDone?: boolean;
  headerDelayMs?: number;
  chunkDelayMs?: number;
  endDelayMs?: number;
  /** Writes the body in pieces of so many bytes, each in a write of its own. */
  pieceBytes?: number;
  /** Writes the body in two, with a pause between that the network does not join again: so many bytes, then the rest. */
  splitAtByte?: number;
  /** Ends the connection after so many bytes of the body. */
  cutAtByte?: number;
  /** `destroy` closes, `reset` sends RST, `halt` leaves the connection open and silent. */
  cutBy?: "destroy" | "reset" | "halt";
  isGzipped?: boolean;
  /** Takes the request and never answers. */
  neverAnswers?: boolean;
  /** Closes or resets before a byte of the answer. */
  dropsRequest?: "destroy" | "reset";
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** Parsed body, undefined where it is no JSON object. */
  json: Readonly<Record<string, unknown>> | undefined;
  /** True once the other side went away before the answer was whole. */
  wasAborted: boolean;
  /** Milliseconds of performance.now() when it was aborted; 0 while it is not. */
  abortedAtMs: number;
}

export interface FakeUpstreamOptions {
  /** 0 takes a free port. */
  port?: number;
  host?: string;
  plan?: Plan | ((request: SeenRequest) => Plan);
  models?: readonly string[];
  /** When given, any other bearer key is a 401 as the vendor sends it. */
  key?: string;
  /** False takes bodies the vendor would refuse. */
  validates?: boolean;
  /** False keeps only the count, for long runs. */
  records?: boolean;
  /** Answers every POST at once with bytes made beforehand: for benchmarks. */
  isPlain?: boolean;
}

export interface FakeUpstream {
  url: string;
  port: number;
  server: Server;
  requests: SeenRequest[];
  /** Requests that reached it. */
  readonly count: number;
  /** Requests it has not finished answering. */
  readonly openCount: number;
  /** The default for requests without a queued plan. */
  plan(plan: Plan | ((request: SeenRequest) => Plan)): void;
  /** Plans for the next requests, one each, in order. */
  next(...plans: Plan[]): void;
  reset(): void;
  close(): Promise<void>;
}

const DEFAULT_TEXT = "The quick brown fox jumps over the lazy dog.";

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => resolve(Buffer.concat(parts)));
    request.on("error", reject);
  });
}

function parseObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Tokens as this upstream counts them: a quarter of the characters. */
const tokensOf = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

function partsOf(plan: Plan, seen: SeenRequest): AnswerParts {
  const text = plan.text ?? DEFAULT_TEXT;
  const input = tokensOf(
    JSON.stringify(seen.json?.["messages"] ?? seen.json?.["prompt"] ?? seen.json?.["input"] ?? ""),
  );
  const output = tokensOf(text + (plan.reasoning ?? ""));
  const counted = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return {
    model: String(seen.json?.["model"] ?? ""),
    pieces: splitText(text, plan.chunks ?? 8),
    reasoning: plan.reasoning === undefined ? [] : splitText(plan.reasoning, plan.chunks ?? 8),
    finishReason: plan.finishReason === undefined ? "stop" : plan.finishReason,
    usage: plan.usage === undefined ? counted : plan.usage,
  };
}

const errorBody = (error: { message: string; type?: string; code?: unknown; param?: unknown }): string =>
  JSON.stringify({
    error: {
      message: error.message,
      type: error.type ?? "invalid_request_error",
      param: error.param ?? null,
      code: error.code ?? null,
    },
  });

async function sendWhole(plan: Plan, response: ServerResponse, status: number, text: string | Buffer): Promise<void> {
  const plain = Buffer.from(text);
  const bytes = plan.isGzipped === true ? gzipSync(plain) : plain;
  const answer = new Answer(plan, response);
  answer.head(status, "application/json", bytes.length);
  if (!(await answer.write(bytes))) return;
  if (plan.endDelayMs !== undefined) await wait(plan.endDelayMs);
  response.end();
}

async function sendStream(plan: Plan, response: ServerResponse, frames: readonly string[]): Promise<void> {
  const answer = new Answer(plan, response);
  answer.head(200, "text/event-stream; charset=utf-8");
  for (const text of frames) {
    if (plan.chunkDelayMs !== undefined) await wait(plan.chunkDelayMs);
    if (response.destroyed || !(await answer.write(Buffer.from(text)))) return;
  }
  if (plan.endDelayMs !== undefined) await wait(plan.endDelayMs);
  if (plan.sendsDone !== false && !(await answer.write(Buffer.from("data: [DONE]\n\n")))) return;
  response.end();
}

async function sendPieces(plan: Plan, response: ServerResponse, pieces: readonly string[]): Promise<void> {
  const answer = new Answer(plan, response);
  answer.head(plan.status ?? 200, "text/event-stream");
  for (const piece of pieces) {
    if (response.destroyed || !(await answer.write(Buffer.from(piece)))) return;
    await wait(plan.chunkDelayMs ?? 10);
  }
  response.end();
}

function bodyFor(path: string, plan: Plan, seen: SeenRequest): string {
  const parts = partsOf(plan, seen);
  if (path.endsWith("/embeddings")) {
    const input = seen.json?.["input"];
    const tokens = tokensOf(JSON.stringify(input ?? ""));
    const usage = plan.usage === undefined ? { prompt_tokens: tokens, total_tokens: tokens } : plan.usage;
    return embeddingBody(parts.model, Array.isArray(input) ? input.length : 1, usage);
  }
  return path.endsWith("/chat/completions") || !path.endsWith("/completions") ? chatBody(parts) : completionBody(parts);
}

async function play(
  plan: Plan,
  seen: SeenRequest,
  response: ServerResponse,
  models: readonly string[],
  refusal: Refusal | undefined,
): Promise<void> {
  if (plan.dropsRequest === "destroy") return void response.socket?.destroy();
  if (plan.dropsRequest === "reset") return void response.socket?.resetAndDestroy();
  if (plan.neverAnswers === true) return;
  if (plan.headerDelayMs !== undefined) await wait(plan.headerDelayMs);
  if (Array.isArray(plan.rawBody)) return sendPieces(plan, response, plan.rawBody as readonly string[]);
  if (plan.rawBody !== undefined) return sendWhole(plan, response, plan.status ?? 200, plan.rawBody as string | Buffer);
  if (plan.error !== undefined) return sendWhole(plan, response, plan.status ?? 200, errorBody(plan.error));
  if (plan.status !== undefined && plan.status >= 300)
    return sendWhole(plan, response, plan.status, errorBody({ message: `status ${plan.status}` }));
  if (refusal !== undefined) return sendWhole(plan, response, refusal.status, errorBody(refusal));
  if (seen.method === "GET") return sendWhole(plan, response, 200, modelsBody(models));
  if (seen.json?.["stream"] !== true) return sendWhole(plan, response, 200, bodyFor(seen.path, plan, seen));
  const options = seen.json["stream_options"] as { include_usage?: boolean } | undefined;
  const frames = streamFrames(
    partsOf(plan, seen),
    seen.path.endsWith("/chat/completions"),
    options?.include_usage === true,
  );
  return sendStream(plan, response, frames);
}

const UNAUTHORISED: Refusal = {
  status: 401,
  message: "Incorrect API key provided.",
  type: "invalid_request_error",
  code: "invalid_api_key",
  param: null,
};

const NOT_FOUND: Refusal = {
  status: 404,
  message: "Invalid URL",
  type: "invalid_request_error",
  code: null,
  param: null,
};
const PATHS = /\/(chat\/completions|completions|embeddings|models)$/;

function refusalFor(options: FakeUpstreamOptions, seen: SeenRequest): Refusal | undefined {
  const path = seen.path.split("?")[0] ?? "";
  if (options.key !== undefined && seen.headers["authorization"] !== `Bearer ${options.key}`) return UNAUTHORISED;
  if (options.validates === false) return undefined;
  if (!PATHS.test(path)) return NOT_FOUND;
  return seen.method === "POST" ? refusalOf(path, seen.json) : undefined;
}

/** Bytes of the plain mode, made once. */
function plainAnswers(): { body: Buffer; stream: Buffer } {
  const parts: AnswerParts = {
    model: "gpt-4o-mini",
    pieces: splitText(DEFAULT_TEXT, 8),
    reasoning: [],
    finishReason: "stop",
    usage: { prompt_tokens: 12, completion_tokens: 11, total_tokens: 23 },
  };
  return {
    body: Buffer.from(chatBody(parts)),
    stream: Buffer.from(`${streamFrames(parts, true, true).join("")}data: [DONE]\n\n`),
  };
}

function answerPlainly(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: ReturnType<typeof plainAnswers>,
): void {
  let isStream = false;
  request.on("data", (part: Buffer) => {
    isStream ||= part.includes('"stream":true') || part.includes('"stream": true');
  });
  request.on("end", () => {
    const answer = isStream ? bytes.stream : bytes.body;
    response.writeHead(200, {
      "content-type": isStream ? "text/event-stream" : "application/json",
      "content-length": answer.length,
    });
    response.end(answer);
  });
}

/** Starts a fake upstream; `url` has no trailing slash and no `/v1`. Throws where the port is taken. */
export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const requests: SeenRequest[] = [];
  const queue: Plan[] = [];
  const state = { count: 0, open: 0, plan: options.plan ?? {} };
  const plain = options.isPlain === true ? plainAnswers() : undefined;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const seen: SeenRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      json: parseObject(body),
      wasAborted: false,
      abortedAtMs: 0,
    };
    state.count += 1;
    state.open += 1;
    if (options.records !== false) requests.push(seen);
    response.on("close", () => {
      state.open -= 1;
      seen.wasAborted = !response.writableFinished;
      if (seen.wasAborted) seen.abortedAtMs = performance.now();
    });
    const plan = queue.shift() ?? (typeof state.plan === "function" ? state.plan(seen) : state.plan);
    await play(plan, seen, response, options.models ?? ["gpt-4o", "gpt-4o-mini"], refusalFor(options, seen));
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.on("error", () => response.destroy());
    if (plain !== undefined && request.method === "POST")
      return void ((state.count += 1), answerPlainly(request, response, plain));
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, options.host ?? "127.0.0.1", () => resolve());
  });
  const port = (server.address() as AddressInfo).port;
  return {
    url: `http://${options.host ?? "127.0.0.1"}:${port}`,
    port,
    server,
    requests,
    get count() {
      return state.count;
    },
    get openCount() {
      return state.open;
    },
    plan: (plan) => void (state.plan = plan),
    next: (...plans) => void queue.push(...plans),
    reset: () => {
      requests.length = 0;
      queue.length = 0;
      state.count = 0;
      state.plan = options.plan ?? {};
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
