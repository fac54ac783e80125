/** Step 7: the answer on its way back; what it was is told to the line, its last part is kept until the charge is committed. */
import type { UpstreamFailure } from "../providers/provider.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import type { Exchange, Target } from "./exchange.ts";
import { StreamReply } from "./reply-stream.ts";
import { WholeReply } from "./reply-whole.ts";

/** Takes the answer as it comes; exactly one of `ended` and `failed` comes last. */
export interface Reply {
  data(chunk: Buffer): void;
  ended(): void;
  failed(fault: UpstreamFault): void;
}

/** Told once: a failure while nothing was handed to the client, or undefined when exchange.answer is there. */
export type ReplyDone = (failure: UpstreamFailure | undefined) => void;

const isEventStream = (headers: ResponseHeaders): boolean =>
  String(headers["content-type"] ?? "").startsWith("text/event-stream");

/** An answer is a stream if the upstream says so, whatever was asked for. */
export function startReply(
  exchange: Exchange,
  target: Target,
  status: number,
  headers: ResponseHeaders,
  done: ReplyDone,
): Reply {
  if (exchange.firstByteMs === 0) exchange.firstByteMs = Math.max(1, exchange.elapsedMs);
  if (isEventStream(headers)) return new StreamReply(exchange, target, headers, done);
  return new WholeReply(exchange, target, status, headers, done);
}
