/** What stands around the line: the client's departure, pings, capacity given back, and every error's way out. */
import type { Exchange } from "./exchange.ts";
import { countSuccess } from "./rate-limit.ts";
import { measure, recordFailure } from "./record.ts";
import { Refusal } from "./refusal.ts";
import { startPings } from "./reply-stream.ts";
import { endWithError, writeRefusal } from "./respond.ts";
import { release } from "./settle.ts";

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
    if (exchange.budgetedBytes > 0) context.budget.give(exchange.budgetedBytes);
    exchange.budgetedBytes = 0;
  };
}

/** Pings begin when the call is let in: a refusal still has its own status. */
export function startWaiting(exchange: Exchange): void {
  exchange.stopPings = startPings(exchange);
}

/** A call that was answered. */
export function conclude(exchange: Exchange): void {
  if (exchange.answer?.end === "complete") countSuccess(exchange);
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
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => (timer = setTimeout(resolve, GIVE_BACK_WAIT_MS)));
  await Promise.race([released, waited]);
  clearTimeout(timer);
}

/** A call that was not answered: gives the hold back, tells the client in the form it still can read, and records. */
export async function refuse(exchange: Exchange, error: unknown): Promise<void> {
  const refusal = refusalFrom(exchange, error);
  exchange.call?.abort();
  exchange.stopPings?.();
  await giveBack(exchange);
  const { request, response } = exchange;
  if (response.headersSent) endWithError(exchange, refusal);
  else {
    const isSmall = Number(request.headers["content-length"] ?? Number.NaN) <= DRAINED_BYTES;
    writeRefusal(response, exchange.requestId, refusal, request.complete || isSmall);
  }
  recordFailure(exchange, refusal);
  measure(exchange, exchange.isClientGone ? CLIENT_CLOSED : refusal.status);
}
