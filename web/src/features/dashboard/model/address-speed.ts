/** The speed test of an API address: the time that an answer takes over an open connection, measured by this browser. */

/** An address that has not answered by then does not answer. */
const LIMIT_MS = 8_000;

interface Tools {
  fetch: typeof fetch;
  /** Milliseconds of a clock that only goes forward. */
  now: () => number;
}

/**
 * Asks `/api/status` of the address' origin twice and times the second request, since the first also opens the connection. The answer is not
 * read: in the mode `no-cors` (fetch.spec.whatwg.org) another site need not allow it, and any answer shows that the address is reached.
 * @returns milliseconds; undefined where it is not reached from this browser within 8 s
 */
export async function measureAddress(
  url: string,
  { fetch, now }: Tools = { fetch: globalThis.fetch.bind(globalThis), now: () => performance.now() },
): Promise<number | undefined> {
  const target = URL.parse("/api/status", url);
  if (target === null) return undefined;
  const ask = () =>
    fetch(target, {
      method: "HEAD",
      mode: "no-cors",
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
  try {
    await ask();
    const startedMs = now();
    await ask();
    return Math.round(now() - startedMs);
  } catch {
    // A browser does not say why: no such host, refused, out of time, or HTTP asked from a page of HTTPS.
    return undefined;
  }
}
