/** An answer that is neither JSON nor events (speech): its bytes go on as they come, the last of them wait for the charge. */
import type { ResponseHeaders } from "../upstream/client.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import type { AnswerEnd, Exchange } from "./exchange.ts";
import type { Reply, ReplyDone } from "./reply.ts";
import { writeBinaryHead } from "./respond.ts";
import { waitForReader } from "./slow-reader.ts";

export class BinaryReply implements Reply {
  readonly #exchange: Exchange;
  readonly #headers: ResponseHeaders;
  readonly #status: number;
  readonly #done: ReplyDone;
  /** The latest piece: whether it is the last is known only when the next one comes. */
  #kept: Buffer | undefined = undefined;
  #isPaused = false;
  #isOver = false;

  constructor(exchange: Exchange, status: number, headers: ResponseHeaders, done: ReplyDone) {
    this.#exchange = exchange;
    this.#status = status;
    this.#headers = headers;
    this.#done = done;
    exchange.listener = this;
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    const earlier = this.#kept;
    this.#kept = chunk;
    if (earlier !== undefined) this.#write(earlier);
  }

  #write(bytes: Buffer): void {
    const { response } = this.#exchange;
    if (response.destroyed) return;
    if (!response.headersSent) writeBinaryHead(this.#exchange, this.#status, this.#headers);
    if (!response.write(bytes) && !this.#isPaused) this.#pauseUntilDrained();
  }

  #pauseUntilDrained(): void {
    this.#isPaused = true;
    waitForReader(this.#exchange, () => {
      this.#isPaused = false;
      this.#exchange.call?.resume();
    });
  }

  ended(): void {
    if (this.#isOver) return;
    if (this.#kept === undefined)
      return this.#giveBack("upstream_broken", "network", "the upstream sent an empty answer");
    this.#finish("complete");
  }

  failed(fault: UpstreamFault): void {
    if (this.#isOver) return;
    if (this.#exchange.isClientGone) return this.#finish("client_left");
    if (this.#exchange.response.headersSent) return this.#finish("upstream_broke");
    if (fault.kind === "idle_timeout") return this.#giveBack("upstream_timeout", "timeout", fault.message);
    this.#giveBack("upstream_broken", "network", fault.message);
  }

  clientGone(): void {
    if (this.#isOver) return;
    this.#finish("client_left");
    this.#exchange.call?.abort();
  }

  /** Nothing reached the client, so this is a failure like any other. */
  #giveBack(code: string, kind: "network" | "timeout", message: string): void {
    this.#isOver = true;
    this.#done({ kind, code, message, status: 0, isRetryable: false, type: "upstream_error" });
  }

  #finish(end: AnswerEnd): void {
    this.#isOver = true;
    this.#exchange.answer = {
      end,
      status: this.#status,
      rawUsage: undefined,
      asciiBytes: 0,
      otherBytes: 0,
      isDelivered: end === "complete" || this.#exchange.response.headersSent,
      complete: () => this.#complete(end),
    };
    this.#done(undefined);
  }

  /** A part of a file is worse than none that says so: what broke off is cut, so that no player takes it for whole. */
  #complete(end: AnswerEnd): void {
    const { response } = this.#exchange;
    if (response.destroyed) return;
    if (end !== "complete") return void response.destroy();
    if (!response.headersSent) writeBinaryHead(this.#exchange, this.#status, this.#headers);
    response.end(this.#kept);
  }
}
