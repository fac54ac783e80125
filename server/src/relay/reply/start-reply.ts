/** Step 7: the answer on its way back; what it was is told to the line, its last part is kept until the charge is committed. */
import type { UpstreamFailure } from "../providers/provider.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import type { Exchange, Target } from "./exchange.ts";
import { OPERATIONS } from "./operations.ts";
import { BinaryReply } from "./reply-binary.ts";
import { GatheredReply } from "./reply-gathered.ts";
import { StreamReply } from "./reply-stream.ts";
import { WholeReply, isJsonType } from "./reply-whole.ts";

/** Takes the answer as it comes; exactly one of `ended` and `failed` comes last. */
export interface Reply {
  data(chunk: Buffer): void;
  ended(): void;
  failed(fault: UpstreamFault): void;
}

/** Told once: a failure while nothing was handed to the client, or undefined when exchange.answer is there. */
export type ReplyDone = (failure: UpstreamFailure | undefined) => void;

const EVENT_STREAM = /^text\/event-stream\b/i;
/** What servers call events that know no better name for them. */
const UNNAMED = /^(?:text\/plain|application\/octet-stream|$)/i;
const FIRST_OF_JSON = /^\s*\{/;

/** A stream was asked for, and what came has no name: its first byte tells whether it is one. */
class UnnamedReply implements Reply {
  readonly #create: (isStream: boolean) => Reply;
  #reply: Reply | undefined = undefined;

  constructor(create: (isStream: boolean) => Reply) {
    this.#create = create;
  }

  data(chunk: Buffer): void {
    this.#reply ??= this.#create(!FIRST_OF_JSON.test(chunk.toString("latin1", 0, 64)));
    this.#reply.data(chunk);
  }

  ended(): void {
    (this.#reply ?? this.#create(false)).ended();
  }

  failed(fault: UpstreamFault): void {
    (this.#reply ?? this.#create(false)).failed(fault);
  }
}

/** What came is a stream if the upstream says so; a client that asked for none gets a conversation's answer in one piece all the same. */
export function startReply(
  exchange: Exchange,
  target: Target,
  status: number,
  headers: ResponseHeaders,
  done: ReplyDone,
): Reply {
  if (exchange.firstByteMs === 0) exchange.firstByteMs = Math.max(1, exchange.elapsedMs);
  const { isStream, operation } = exchange;
  const type = String(headers["content-type"] ?? "");
  const create = (isEvents: boolean): Reply =>
    isEvents
      ? new StreamReply(exchange, target, headers, done)
      : new WholeReply(exchange, target, status, headers, done);
  if (EVENT_STREAM.test(type))
    return isStream || operation !== "chat" ? create(true) : new GatheredReply(exchange, target, headers, done);
  if (operation === "speech" && !isJsonType(headers)) return new BinaryReply(exchange, status, headers, done);
  return isStream && OPERATIONS[operation].countsOutput && UNNAMED.test(type)
    ? new UnnamedReply(create)
    : create(false);
}
