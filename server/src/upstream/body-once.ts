/** Passes a request's body to undici so that it is freed once it is sent: undici keeps a buffer until the answer has ended, which may take a stream an hour. */
import type { Dispatcher } from "undici";

/** From this size on freeing a body is worth the event-loop turns of handing it over. */
const MIN_BYTES = 8_192;

/** Gives the bytes once, and forgets them. */
class BodyOnce implements Iterable<Buffer> {
  #bytes: Buffer | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *[Symbol.iterator](): Generator<Buffer> {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    if (bytes !== undefined) yield bytes;
  }
}

/**
 * Body and headers of a request as undici takes them; `headers` is a flat list of names and values that has no length. With `isReplayed` a
 * buffer stays one: over HTTP/2 undici sends it once more where the connection closed without it.
 */
export function bodyOnce(
  { body, headers }: { body: Buffer | null; headers: string[] },
  isReplayed: boolean,
): Pick<Dispatcher.DispatchOptions, "body" | "headers"> {
  if (body === null || body.length < MIN_BYTES || isReplayed) return { body, headers };
  // Undici takes any iterable (its writeIterable), though its types do not say so.
  const once = new BodyOnce(body) as unknown as Buffer;
  return { body: once, headers: [...headers, "content-length", String(body.length)] };
}
