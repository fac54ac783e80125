/** How a request travels: as HTTP, as the message of a WebSocket, or as a task that is asked for its answer; part of step 6. */
import type { PollRequest } from "../../dialects/vendor-operation.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { UpstreamCall, UpstreamRequest, UpstreamSink } from "../../upstream/client.ts";
import { sendOverSocket } from "../../upstream/socket-exchange.ts";
import type { RelayContext } from "../call/context.ts";
import type { Target } from "../call/target.ts";
import { PollingSink } from "./polling.ts";
import { ready } from "./sign-request.ts";

const SOCKET = /^wss?:/i;

type DispatchContext = Pick<RelayContext, "upstream" | "limits" | "accessTokens">;

/** A question of a target's task as it leaves: signed anew, as the first request was. */
async function questionOf(
  context: DispatchContext,
  target: Target,
  first: UpstreamRequest,
  { headers, body }: PollRequest,
): Promise<UpstreamRequest> {
  const replaced = target.headers.map((each, index, all) =>
    index % 2 === 0 ? each : (headers[all[index - 1]?.toLowerCase() ?? ""] ?? each),
  );
  const made = await ready(context, { ...target, headers: replaced, body: Buffer.from(JSON.stringify(body)) });
  if ("kind" in made) throw new UpstreamFault("decode", made.message);
  return { ...first, url: made.url, headers: made.headers, body: made.body };
}

/** Sends the request of a target; the sink hears its answer, `reject` faults of this program. */
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
