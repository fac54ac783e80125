/** What stands around the line: the client's departure, pings, capacity given back, and every error's way out. */
import type { Exchange } from "./exchange.ts";
import { giveSuccessBack } from "./rate-limit.ts";
import { measure, recordFailure } from "./record.ts";
import { Refusal } from "./refusal.ts";
import { startPings } from "./reply-stream.ts";
import { endWithError, writeRefusal } from "./respond.ts";
import { release } from "./settle.ts";
import { guardSlowReader } from "./slow-reader.ts";
import { waitAtMost } from "./wait-at-most.ts";

/** Status in metrics and rows of a call whose client closed the connection first. */
const CLIENT_CLOSED = 499;
const GIVE_BACK_WAIT_MS = 1_000;
/** A refused body up to this size is read to its end, so that the connection can be used again. */
const DRAINED_BYTES = 65_536;

/** Watches the client; gives what ends the watch. */
export function begin(exchange: Exchange): () => void {
  const { context, response } = exchange;
  context.metrics.openCalls += 1;
  response.on("close", () => {
    if (response.writableFinished || exchange.isClientGone) return;
    exchange.isClientGone = true;
    if (exchange.listener === undefined) exchange.call?.abort();
    else exchange.listener.clientGone();
  });
  return () => {
    exchange.isOver = true;
    exchange.stopPings?.();
    context.metrics.openCalls -= 1;
    if (exchange.budgetedBytes > 0) giveMemoryBack(exchange);
    if (exchange.openCall !== undefined) context.tokenCalls.ended(exchange.openCall);
  };
}

/** What a slow client has not taken yet is still in memory, so it counts until it is gone. */
function giveMemoryBack(exchange: Exchange): void {
  const { response, context, budgetedBytes } = exchange;
  exchange.budgetedBytes = 0;
  const isTaken = response.writableLength === 0 || response.destroyed;
  if (isTaken) return context.budget.give(budgetedBytes);
  guardSlowReader(exchange);
  response.once("close", () => context.budget.give(budgetedBytes));
}

/** Pings begin when the call is let in: a refusal still has its own status. */
export function startWaiting(exchange: Exchange): void {
  exchange.stopPings = startPings(exchange);
}

/** Whoever has read of an answer has had it, also where they left before its end; one that its upstream broke off is none. */
const isSuccess = ({ answer }: Exchange): boolean => answer?.isDelivered === true && answer.end !== "upstream_broke";

/** A call that was answered. */
export function conclude(exchange: Exchange): void {
  if (!isSuccess(exchange)) giveSuccessBack(exchange);
  if (exchange.heldKey !== undefined) void endKey(exchange);
  measure(exchange, exchange.answer?.end === "client_left" ? CLIENT_CLOSED : exchange.status || 200);
}

function refusalFrom(exchange: Exchange, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  exchange.context.logger.error({ requestId: exchange.requestId, err: error }, "a call failed inside the gateway");
  return new Refusal("internal_error");
}

/** So that the client's next call finds its quota free; a database that is away is not waited for. */
async function giveBack(exchange: Exchange): Promise<void> {
  if (exchange.hold === undefined) return;
  const released = release(exchange).catch((error: unknown) =>
    exchange.context.logger.error(
      { requestId: exchange.requestId, err: error },
      "a hold could not be given back; the sweeper will",
    ),
  );
  await waitAtMost(released, GIVE_BACK_WAIT_MS);
}

/** Frees the key of a call that came to nothing, so that a repeat is made. */
async function endKey({ heldKey, usage, answer }: Exchange): Promise<void> {
  const isCharged = usage !== undefined && answer?.isDelivered === true;
  if (heldKey !== undefined) await waitAtMost(heldKey.end(isCharged), GIVE_BACK_WAIT_MS);
}

/** A call that was not answered: gives the hold back, tells the client in the form it still can read, and records. */
export async function refuse(exchange: Exchange, error: unknown): Promise<void> {
  const refusal = refusalFrom(exchange, error);
  exchange.call?.abort();
  exchange.stopPings?.();
  giveSuccessBack(exchange);
  await giveBack(exchange);
  await endKey(exchange);
  const { request, response } = exchange;
  if (response.headersSent) endWithError(exchange, refusal);
  else {
    const isSmall = Number(request.headers["content-length"] ?? Number.NaN) <= DRAINED_BYTES;
    writeRefusal(response, exchange.requestId, refusal, request.complete || isSmall, exchange.dialect);
  }
  recordFailure(exchange, refusal);
  measure(exchange, exchange.isClientGone ? CLIENT_CLOSED : refusal.status);
}
