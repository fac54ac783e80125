/** Chooses the form of an answer, once its head is there: as events, in one piece, as bytes, or aggregated. */
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { Target } from "../call/target.ts";
import { OPERATIONS } from "../request/operations.ts";
import { AggregatedReply } from "./aggregated.ts";
import { BinaryReply } from "./binary.ts";
import { BufferedReply, isJsonType } from "./buffered.ts";
import type { Delivery, Reply, ReplyDone } from "./delivery.ts";
import { StreamReply } from "./stream.ts";

const EVENT_STREAM = /^text\/event-stream\b/i;
/** What servers call events that know no better name for them. */
const UNNAMED = /^(?:text\/plain|application\/octet-stream|$)/i;
const FIRST_OF_JSON = /^\s*\{/;

/** A stream was asked for, and what came has no name: its first byte shows whether it is one. */
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
  delivery: Delivery,
  target: Target,
  status: number,
  headers: ResponseHeaders,
  done: ReplyDone,
): Reply {
  const { call, accepted } = delivery;
  const { isStream, operation } = accepted;
  if (call.trace.firstByteMs === 0) call.trace.firstByteMs = Math.max(1, call.elapsedMs);
  const type = String(headers["content-type"] ?? "");
  const isReadWhole = !isStream && operation === "chat";
  const create = (isEvents: boolean): Reply => {
    if (!isEvents) return new BufferedReply(delivery, target, status, headers, done);
    return isReadWhole
      ? new AggregatedReply(delivery, target, headers, done)
      : new StreamReply(delivery, target, headers, done);
  };
  if (EVENT_STREAM.test(type)) return create(true);
  if (operation === "speech" && !isJsonType(headers)) return new BinaryReply(delivery, target, status, headers, done);
  return isStream && OPERATIONS[operation].countsOutput && UNNAMED.test(type)
    ? new UnnamedReply(create)
    : create(false);
}
