/** A transport over the fetch of a browser or of Node; fetch and clock are parameters. */
import type { SentCall } from "./calls.ts";
import type { Transport } from "./examine.ts";
import type { Heard, HeardPiece, Silence } from "./observation.ts";

type Ask = (url: string, init: RequestInit) => Promise<Response>;

/** Longest answer that is read, in characters; what comes behind it is not looked at. */
const MAX_ANSWER_CHARACTERS = 2_000_000;

interface Clocks {
  /** Unix milliseconds. */
  nowMs: () => number;
  /** Milliseconds that only grow. */
  tickMs: () => number;
}

/** Reads the body piece by piece, noting when each came. */
async function heardOf(response: Response, sinceMs: () => number): Promise<Heard> {
  const pieces: HeardPiece[] = [];
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  let isCut = false;
  while (reader !== undefined && text.length < MAX_ANSWER_CHARACTERS) {
    const piece = await reader.read().catch(() => "cut" as const);
    if (piece === "cut") isCut = true;
    if (piece === "cut" || piece.done) break;
    text += decoder.decode(piece.value, { stream: true });
    pieces.push({ atMs: sinceMs(), end: text.length });
  }
  await reader?.cancel().catch(() => undefined);
  // A browser hides where a redirect leads, and its status.
  const status = response.type === "opaqueredirect" ? 302 : response.status;
  const header = (name: string): string => response.headers.get(name) ?? "";
  return { status, header, text, pieces, endMs: sinceMs(), isCut };
}

/** @param ask fetch itself, bound to its window where there is one */
export function httpTransport(ask: Ask, { nowMs, tickMs }: Clocks): Pick<Transport, "send" | "nowMs"> {
  async function send({ method, url, headers, body, timeoutMs }: SentCall) {
    const startMs = tickMs();
    const sinceMs = (): number => tickMs() - startMs;
    const init: RequestInit = {
      method,
      headers,
      // The key alone decides who calls: a page's own session must not.
      credentials: "omit",
      redirect: "manual",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    };
    try {
      return await heardOf(await ask(url, init), sinceMs);
    } catch (error) {
      const silence: Silence = (error as Error).name === "TimeoutError" ? "timeout" : "unreachable";
      return { silence, ms: sinceMs() };
    }
  }
  return { send, nowMs };
}
