/** The transport of a request: HTTP, one WebSocket message, or a task that is polled until its answer is there; part of step 6. */
import { parseObject } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { PollRequest, Polling } from "../../dialects/vendor-operation.ts";
import type {
  ResponseHeaders,
  UpstreamCall,
  UpstreamClient,
  UpstreamRequest,
  UpstreamSink,
} from "../../upstream/client.ts";
import { UpstreamFault, newFault } from "../../upstream/fault.ts";
import { sendOverSocket } from "../../upstream/socket-exchange.ts";
import type { RelayContext } from "../call/context.ts";
import type { Target } from "../call/target.ts";
import { MAX_ANSWER_BYTES } from "../reply/delivery.ts";
import { withAdded } from "./added-headers.ts";
import { signRequest } from "./sign-request.ts";

export interface PollingTools {
  /** The request of a question that is one of its own, as it is sent. Rejects with UpstreamFault, or with a fault of this program. */
  requestOf(question: PollRequest): Promise<UpstreamRequest>;
  /** Hears faults of this program. */
  reject(fault: unknown): void;
}

/** Stands between the client of upstreams and the sink of the answer, which gets the last answer alone. */
class PollingSink implements UpstreamSink, UpstreamCall {
  readonly #upstream: UpstreamClient;
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  readonly #polling: Polling;
  readonly #tools: PollingTools;
  readonly #startedMs = performance.now();
  #call: UpstreamCall | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #first: JsonObject | undefined = undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  #parts: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(
    upstream: UpstreamClient,
    request: UpstreamRequest,
    sink: UpstreamSink,
    polling: Polling,
    tools: PollingTools,
  ) {
    this.#upstream = upstream;
    this.#request = request;
    this.#sink = sink;
    this.#polling = polling;
    this.#tools = tools;
  }

  /** Hands the task over. */
  start(): void {
    this.#call = this.#upstream.send(this.#request, this);
  }

  started(status: number, headers: ResponseHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#parts = [];
    this.#bytes = 0;
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_ANSWER_BYTES) this.#parts.push(chunk);
    else this.#end(() => this.#sink.failed(newFault("decode")));
  }

  ended(): void {
    const body = Buffer.concat(this.#parts);
    const fields = this.#status < 300 ? parseObject(body.toString("utf8")) : undefined;
    if (fields !== undefined) this.#first ??= fields;
    const question = fields === undefined ? undefined : this.#polling.next(fields, this.#first ?? fields);
    if (question === undefined) return this.#answered(body);
    if (performance.now() - this.#startedMs > this.#polling.limitMs)
      return this.#end(() => this.#sink.failed(newFault("idle_timeout")));
    this.#timer = setTimeout(() => this.#ask(question), this.#polling.everyMs);
  }

  #ask(question: string | PollRequest): void {
    if (this.#isOver) return;
    if (typeof question !== "string") return void this.#askAnew(question);
    const url = new URL(question, this.#request.url).href;
    this.#call = this.#upstream.send({ ...this.#request, method: "GET", url, body: null }, this);
  }

  async #askAnew(question: PollRequest): Promise<void> {
    try {
      const request = await this.#tools.requestOf(question);
      if (!this.#isOver) this.#call = this.#upstream.send(request, this);
    } catch (error) {
      if (error instanceof UpstreamFault) this.failed(error as UpstreamFault);
      else this.#tools.reject(error);
    }
  }

  #answered(body: Buffer): void {
    this.#end(() => {
      this.#sink.started(this.#status, this.#headers);
      if (body.length > 0) this.#sink.data(body);
      this.#sink.ended();
    });
  }

  failed(fault: UpstreamFault): void {
    this.#end(() => this.#sink.failed(fault));
  }

  #end(finish: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    finish();
    this.#call?.abort();
  }

  abort(): void {
    this.#end(() => this.#sink.failed(newFault("aborted")));
  }

  /** Nothing reaches the client before the last answer, which is whole by then. */
  pause(): void {}
  resume(): void {}
}

const SOCKET = /^wss?:/i;

type DispatchContext = Pick<RelayContext, "upstream" | "limits" | "accessTokens">;

/** A poll of a target's task as it is sent: signed anew, as the first request was. */
async function questionOf(
  context: DispatchContext,
  target: Target,
  first: UpstreamRequest,
  { headers, body }: PollRequest,
): Promise<UpstreamRequest> {
  const replaced = target.headers.map((each, index, all) =>
    index % 2 === 0 ? each : (headers[all[index - 1]?.toLowerCase() ?? ""] ?? each),
  );
  const made = await signRequest(context, { ...target, headers: replaced, body: Buffer.from(JSON.stringify(body)) });
  if ("kind" in made) throw new UpstreamFault("decode", made.message);
  return { ...first, url: made.url, headers: withAdded(made.headers, target.addedHeaders), body: made.body };
}

/** Sends the request of a target; the sink gets its answer, `reject` faults of this program. */
export function dispatch(
  context: DispatchContext,
  target: Target,
  request: UpstreamRequest,
  sink: UpstreamSink,
  reject: (fault: unknown) => void,
): UpstreamCall {
  const { upstream, limits } = context;
  const { provider, polling } = target;
  if (SOCKET.test(request.url)) {
    const isLast = (text: string): boolean => provider.isLastMessage?.(text) === true;
    return sendOverSocket(upstream, request, sink, { maxMessageBytes: limits.sseLineBytes, isLast });
  }
  if (polling === undefined) return upstream.send(request, sink);
  const task = new PollingSink(upstream, request, sink, polling, {
    requestOf: (question) => questionOf(context, target, request, question),
    reject,
  });
  task.start();
  return task;
}
