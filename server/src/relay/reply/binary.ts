/** An answer that is neither JSON nor events (speech): its bytes are passed on as they come, the last of them after the charge. */
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { AnswerEnd } from "../call/answer.ts";
import type { Delivery, Reply, ReplyDone } from "./delivery.ts";
import { waitForReader } from "../call/respond.ts";
import type { Target } from "../call/target.ts";

export class BinaryReply implements Reply {
  readonly #delivery: Delivery;
  readonly #target: Target;
  readonly #headers: ResponseHeaders;
  readonly #status: number;
  readonly #done: ReplyDone;
  /** The latest piece: whether it is the last is known only when the next one comes. */
  #kept: Buffer | undefined = undefined;
  #isPaused = false;
  #isOver = false;

  constructor(delivery: Delivery, target: Target, status: number, headers: ResponseHeaders, done: ReplyDone) {
    this.#delivery = delivery;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
    this.#done = done;
    delivery.call.listener = this;
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    const earlier = this.#kept;
    this.#kept = chunk;
    if (earlier !== undefined) this.#write(earlier);
  }

  #write(bytes: Buffer): void {
    const { response } = this.#delivery.call;
    if (response.destroyed) return;
    if (!response.headersSent) this.#delivery.writeBinaryHead(this.#status, this.#headers);
    if (!response.write(bytes) && !this.#isPaused) this.#pauseUntilDrained();
  }

  #pauseUntilDrained(): void {
    this.#isPaused = true;
    waitForReader(this.#delivery.call, this.#delivery.upstream, () => {
      this.#isPaused = false;
      this.#delivery.upstream?.resume();
    });
  }

  ended(): void {
    if (this.#isOver) return;
    if (this.#kept === undefined) return this.#fail("upstream_broken", "network", "the upstream sent an empty answer");
    this.#finish("complete");
  }

  failed(fault: UpstreamFault): void {
    if (this.#isOver) return;
    if (this.#delivery.call.isClientGone) return this.#finish("client_left");
    if (this.#delivery.call.response.headersSent) return this.#finish("upstream_broke");
    if (fault.kind === "idle_timeout") return this.#fail("upstream_timeout", "timeout", fault.message);
    this.#fail("upstream_broken", "network", fault.message);
  }

  /** What has no place for words is cut. */
  serverStops(): void {
    this.#delivery.serverStops();
  }

  clientGone(): void {
    if (this.#isOver) return;
    this.#finish("client_left");
    this.#delivery.upstream?.abort();
  }

  /** Nothing reached the client, so this is a failure like any other. */
  #fail(code: string, kind: "network" | "timeout", message: string): void {
    this.#isOver = true;
    this.#done({ kind, code, message, status: 0, isRetryable: false, type: "upstream_error" });
  }

  #finish(end: AnswerEnd): void {
    this.#isOver = true;
    this.#done({
      target: this.#target,
      end,
      status: this.#status,
      rawUsage: undefined,
      wordTokens: 0,
      isDelivered: end === "complete" || this.#delivery.call.response.headersSent,
      complete: () => this.#complete(end),
    });
  }

  /** A part of a file is worse than none that says so: what broke off is cut, so that no player takes it for whole. */
  #complete(end: AnswerEnd): void {
    const { response } = this.#delivery.call;
    if (response.destroyed) return;
    if (end !== "complete") return void response.destroy();
    if (!response.headersSent) this.#delivery.writeBinaryHead(this.#status, this.#headers);
    response.end(this.#kept);
  }
}
