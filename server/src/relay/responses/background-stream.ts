/** Streams the events of a background response to a client, from any event on: live from this process, or from its row for another. */
import { setTimeout as delay } from "node:timers/promises";
import { PING_FRAME } from "../../dialects/stream/sse-event.ts";
import type { Call } from "../call/call.ts";
import type { KeptEvents } from "../call/ports.ts";
import { baseHeaders, guardSlowReader } from "../call/respond.ts";

/** Where events come from: those behind the one of a number as soon as there are any, undefined once there will be none. */
export interface EventSource {
  eventsAfter(sequence: number): Promise<KeptEvents | undefined>;
}

/** A model may think for minutes: so often a comment keeps the connection open. */
const PING_MS = 15_000;
/** How often another process's events are looked for. */
const LOOK_MS = 250;

const ENDED = Symbol("ended");

/** Resolves once the client has taken what waits for it, or is gone. */
async function drained(call: Call): Promise<void> {
  const { response } = call;
  if (response.destroyed || !response.writableNeedDrain) return;
  guardSlowReader(call);
  await new Promise<void>((resolve) => {
    // Both listeners go together: a stream drains thousands of times before it closes once.
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
  response.setTimeout(0);
}

/**
 * Sends what comes behind the event of that number (-1: everything) until the response has ended. `endsAtStop`: a server that stops ends
 * the stream, which can be continued at another process; elsewhere the response itself ends then.
 */
export async function streamEvents(call: Call, source: EventSource, after: number, endsAtStop: boolean): Promise<void> {
  const { response, requestId } = call;
  const end = Promise.withResolvers<typeof ENDED>();
  const stop = (): void => end.resolve(ENDED);
  call.listener = { clientGone: stop, serverStops: () => (endsAtStop ? stop() : undefined) };
  call.status = 200;
  const type = ["Content-Type", "text/event-stream; charset=utf-8", "Cache-Control", "no-cache"];
  response.writeHead(200, [...baseHeaders(requestId), ...type, "X-Accel-Buffering", "no"]);
  response.flushHeaders();
  const pings = setInterval(() => {
    if (!response.destroyed && !response.writableNeedDrain) response.write(PING_FRAME);
  }, PING_MS);
  try {
    for (let sequence = after; !response.destroyed;) {
      const events = await Promise.race([source.eventsAfter(sequence), end.promise]);
      if (events === undefined || events === ENDED) break;
      sequence = events.lastSequence;
      response.write(events.frames.join(""));
      await drained(call);
    }
  } finally {
    clearInterval(pings);
    call.listener = undefined;
    response.end();
  }
}

/** Events as the database has them; `isOver` asks whether there will be no more. */
export function keptEvents(call: Call, id: string, isOver: () => Promise<boolean>): EventSource {
  const { backgroundResponses } = call.context;
  return {
    async eventsAfter(sequence) {
      for (;;) {
        // Before the look: what is written until then is found by it.
        const isLast = await isOver();
        const events = await backgroundResponses.eventsAfter(id, sequence);
        if (events !== undefined || isLast || call.response.destroyed) return events;
        await delay(LOOK_MS);
      }
    },
  };
}
