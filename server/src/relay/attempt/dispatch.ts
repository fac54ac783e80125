/** How a request travels: as HTTP, as the message of a WebSocket, or as a task that is asked for its answer; part of step 6. */
import type { UpstreamCall, UpstreamRequest, UpstreamSink } from "../../upstream/client.ts";
import { sendOverSocket } from "../../upstream/socket-exchange.ts";
import type { RelayContext } from "../call/context.ts";
import type { Target } from "../call/target.ts";
import { PollingSink } from "./polling.ts";

const SOCKET = /^wss?:/i;

/** Sends the request of a target; the sink hears its answer. */
export function dispatch(
  { upstream, limits }: Pick<RelayContext, "upstream" | "limits">,
  { provider, polling }: Pick<Target, "provider" | "polling">,
  request: UpstreamRequest,
  sink: UpstreamSink,
): UpstreamCall {
  if (SOCKET.test(request.url)) {
    const isLast = (text: string): boolean => provider.isLastMessage?.(text) === true;
    return sendOverSocket(upstream, request, sink, { maxMessageBytes: limits.sseLineBytes, isLast });
  }
  if (polling === undefined) return upstream.send(request, sink);
  const task = new PollingSink(upstream, request, sink, polling);
  task.start();
  return task;
}
