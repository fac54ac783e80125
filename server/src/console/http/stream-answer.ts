/** A streamed answer of the console: text leaves as fast as the caller reads it, and ends with the caller. */
import type { Context } from "hono";

/** Pulls one piece at a time. A caller that goes away ends the source; a source that throws breaks the connection off. */
function readableOf(source: AsyncIterable<string>, onError: (error: unknown) => void): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          // Empty pieces are places to stop at; nothing else in a source can be interrupted.
          for (let isSent = false; !isSent && !isCancelled;) {
            const { done, value } = await pieces.next();
            isSent = done === true || value !== "";
            if (isCancelled) return;
            if (done === true) controller.close();
            else if (isSent) controller.enqueue(encoder.encode(value));
          }
        } catch (error) {
          onError(error);
          controller.error(error);
        }
      },
      async cancel() {
        isCancelled = true;
        await pieces.return?.();
      },
    },
    // Nothing is read ahead: a piece is made when the one before it went out.
    { highWaterMark: 0 },
  );
}

/** The answer. Status and headers are gone when `source` fails; `onError` is told then. */
export function succeedStreaming(
  c: Context,
  source: AsyncIterable<string>,
  headers: Readonly<Record<string, string>>,
  onError: (error: unknown) => void,
): Response {
  return c.body(readableOf(source, onError), 200, { "Cache-Control": "no-store", ...headers });
}
