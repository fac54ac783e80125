/** A real HTTP server that answers like the vendor its path belongs to (vendors.ts), and can delay, cut, reset and lie; records what reached it. */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type SeenSocket, serveRealtime } from "./openai/realtime.ts";
import { answerPlainly, plainAnswers } from "./plain.ts";
import type { Plan, SeenRequest } from "./plan.ts";
import { play } from "./play.ts";
import type { VendorError } from "./vendor.ts";
import { DEFAULT_VENDOR, vendorOf } from "./vendors.ts";

export interface FakeUpstreamOptions {
  /** 0 takes a free port. */
  port?: number;
  host?: string;
  plan?: Plan | ((request: SeenRequest) => Plan);
  models?: readonly string[];
  /** When given, any other key is a 401 as the vendor sends it. */
  key?: string;
  /** False takes bodies the vendor would refuse. */
  validates?: boolean;
  /** How long an idle connection is kept open, in milliseconds; a minute where absent. */
  keepAliveMs?: number;
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
  /** WebSockets that were opened. */
  sockets: SeenSocket[];
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

const NOT_FOUND: VendorError = {
  status: 404,
  message: "Invalid URL",
  type: "invalid_request_error",
  code: null,
  param: null,
};

function errorFor(options: FakeUpstreamOptions, seen: SeenRequest): VendorError | undefined {
  const vendor = vendorOf(seen);
  const refused = options.key === undefined ? undefined : (vendor ?? DEFAULT_VENDOR).refuseKey(seen, options.key);
  if (refused !== undefined || options.validates === false) return refused;
  return vendor === undefined ? NOT_FOUND : vendor.refuse(seen);
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
    const models = options.models ?? ["gpt-4o", "gpt-4o-mini"];
    const refusal = errorFor(options, seen);
    await play(plan, seen, response, vendorOf(seen) ?? DEFAULT_VENDOR, { models, refusal });
  };

  const server = createServer({ keepAliveTimeout: options.keepAliveMs ?? 60_000 }, (request, response) => {
    response.on("error", () => response.destroy());
    if (plain !== undefined && request.method === "POST")
      return void ((state.count += 1), answerPlainly(request, response, plain));
    handle(request, response).catch(() => response.destroy());
  });
  const sockets: SeenSocket[] = [];
  const nextPlan = (): Plan => queue.shift() ?? (typeof state.plan === "function" ? {} : state.plan);
  serveRealtime(server, { plan: nextPlan, key: options.key, sockets, counted: () => (state.count += 1) });
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
    sockets,
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
        for (const { socket } of sockets) socket.terminate();
        server.closeAllConnections();
      }),
  };
}
