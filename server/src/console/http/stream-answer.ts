/** Streamed responses of the console, with back-pressure: text is sent as fast as the client reads, and the source ends with the client. */
import type { Context } from "hono";

/** Pulls one piece at a time. A caller that goes away ends the source; a source that throws breaks the connection off. */
function readableOf(
  source: AsyncIterable<string>,
  onError: (error: unknown) => void,
  stallMs: number,
): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isCancelled = false;
  let stalled: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        try {
          // Empty pieces are places to stop at; nothing else in a source can be interrupted.
          for (let isSent = false; !isSent && !isCancelled;) {
            const { done, value } = await pieces.next();
            isSent = done === true || value !== "";
            if (isCancelled) return;
            if (done === true) controller.close();
            else if (isSent) {
              controller.enqueue(encoder.encode(value));
              stalled = setTimeout(() => {
                isCancelled = true;
                controller.error(new Error("The caller takes nothing of the answer"));
                void pieces.return?.();
              }, stallMs).unref();
            }
          }
        } catch (error) {
          onError(error);
          controller.error(error);
        }
      },
      async cancel() {
        isCancelled = true;
        clearTimeout(stalled);
        await pieces.return?.();
      },
    },
    // Nothing is read ahead: a piece is made when the one before it went out.
    { highWaterMark: 0 },
  );
}

/** How long a caller may take nothing of the answer before it is broken off. */
const STALL_MS = 60_000;

/** The streamed response. Status and headers are already sent if `source` fails; `onError` is called then. */
export function succeedStreaming(
  c: Context,
  source: AsyncIterable<string>,
  headers: Readonly<Record<string, string>>,
  onError: (error: unknown) => void,
  stallMs = STALL_MS,
): Response {
  return c.body(readableOf(source, onError, stallMs), 200, { "Cache-Control": "no-store", ...headers });
}
