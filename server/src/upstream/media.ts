/** Images and files that a request names by URL, fetched for upstreams that take bytes only: by the address policy, bounded in every way. */
import type { ResponseHeaders, UpstreamCall, UpstreamClient, UpstreamSink } from "./client.ts";
import { UpstreamFault } from "./fault.ts";
import { mediaTypeOf } from "./media-type.ts";

export type MediaFaultKind =
  /** No http or https URL. */
  | "url"
  /** The address is private, or never allowed. */
  | "address"
  | "unreachable"
  /** The server answered, but not with the file. */
  | "status"
  | "too_many_redirects"
  | "too_large"
  | "too_slow"
  /** Neither a known kind of file nor text. */
  | "type";

/** Texts for the client that named the URL; addresses and the policy's switches stay out of them. */
const TEXTS: Readonly<Record<MediaFaultKind, string>> = {
  url: "its URL is not an http or https address",
  address: "its address is not allowed",
  unreachable: "its server could not be reached",
  status: "its server did not answer with the file",
  too_many_redirects: "its server redirects too often",
  too_large: "it is too large",
  too_slow: "its server took too long",
  type: "it is no kind of file that is known here",
};

type MediaFault = UpstreamFault<MediaFaultKind>;

const mediaFault = (kind: MediaFaultKind, cause?: unknown): MediaFault => new UpstreamFault(kind, TEXTS[kind], cause);

export interface MediaLimits {
  /** Bytes of the file after decoding. */
  maxBytes: number;
  /** For everything together, redirects too. */
  timeoutMs: number;
  maxRedirects: number;
}

/** The size is what gateways of this kind allow; the rest is ours. */
const MEDIA_LIMITS: MediaLimits = Object.freeze({ maxBytes: 20 * 1024 * 1024, timeoutMs: 20_000, maxRedirects: 3 });

export interface FetchedMedia {
  mimeType: string;
  base64: string;
}

const HEADERS = ["accept", "*/*", "accept-encoding", "identity", "user-agent", "Turnpike"];
const MAX_URL_CHARACTERS = 8_192;

function checkedUrl(text: string, base?: string): string {
  const url = text.length > MAX_URL_CHARACTERS ? null : URL.parse(text, base);
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  // A name and password in a URL would be sent to whoever the URL leads to.
  if (!isWeb || url.username !== "" || url.password !== "") throw mediaFault("url");
  url.hash = "";
  return url.href;
}

const kindOf = (fault: UpstreamFault): MediaFaultKind => {
  if (fault.kind === "address") return "address";
  return fault.kind === "first_byte_timeout" || fault.kind === "idle_timeout" || fault.kind === "connect_timeout"
    ? "too_slow"
    : "unreachable";
};

type Step = { body: Buffer; contentType: string } | { location: string };

const headerOf = (headers: ResponseHeaders, name: string): string => {
  const value = headers[name];
  return Array.isArray(value) ? (value[0] ?? "") : (value ?? "");
};

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Takes one answer up to the bound: resolves with the whole file or with a redirect, else rejects. */
class Download implements UpstreamSink {
  readonly #maxBytes: number;
  readonly #resolve: (step: Step) => void;
  readonly #reject: (fault: MediaFault) => void;
  /** Set right after the request was sent. */
  call: UpstreamCall | undefined;
  #contentType = "";
  #parts: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number, resolve: (step: Step) => void, reject: (fault: MediaFault) => void) {
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  started(status: number, headers: ResponseHeaders): void {
    const location = headerOf(headers, "location");
    this.#contentType = headerOf(headers, "content-type");
    if (isRedirect(status) && location !== "") {
      this.#resolve({ location });
      this.call?.abort();
    } else if (status !== 200) this.giveUp("status");
    else if (Number(headerOf(headers, "content-length")) > this.#maxBytes) this.giveUp("too_large");
  }

  data(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) return this.giveUp("too_large");
    this.#parts.push(chunk);
  }

  ended(): void {
    this.#resolve({ body: Buffer.concat(this.#parts, this.#size), contentType: this.#contentType });
  }

  failed(fault: UpstreamFault): void {
    this.#reject(mediaFault(kindOf(fault), fault));
  }

  /** A promise that is settled already stays as it is. */
  giveUp(kind: MediaFaultKind): void {
    this.#parts = [];
    this.#reject(mediaFault(kind));
    this.call?.abort();
  }
}

/** One request, given up at `endsAt` (clock of performance.now, milliseconds). */
function download(client: UpstreamClient, url: string, maxBytes: number, endsAt: number): Promise<Step> {
  const leftMs = endsAt - performance.now();
  if (leftMs <= 0) return Promise.reject(mediaFault("too_slow"));
  const { promise, resolve, reject } = Promise.withResolvers<Step>();
  const sink = new Download(maxBytes, resolve, reject);
  const timer = setTimeout(() => sink.giveUp("too_slow"), leftMs);
  const timers = { firstByteTimeoutMs: Math.ceil(leftMs), idleTimeoutMs: Math.ceil(leftMs) };
  sink.call = client.send(
    { method: "GET", url, headers: HEADERS, body: null, proxy: "", isForUser: true, ...timers },
    sink,
  );
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Fetches an image or a file. Every address on the way, redirects' too, is checked where the socket really leads; private ones are
 * refused even where channels may use them. The bytes decide on the type. Throws UpstreamFault of a MediaFaultKind, whose message may be shown.
 */
export async function fetchMedia(
  client: UpstreamClient,
  url: string,
  limits: Partial<MediaLimits> = {},
): Promise<FetchedMedia> {
  const { maxBytes, timeoutMs, maxRedirects } = { ...MEDIA_LIMITS, ...limits };
  const endsAt = performance.now() + timeoutMs;
  let next = checkedUrl(url);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const step = await download(client, next, maxBytes, endsAt);
    if ("location" in step) {
      next = checkedUrl(step.location, next);
      continue;
    }
    const mimeType = mediaTypeOf(step.body, step.contentType);
    if (mimeType === undefined) throw mediaFault("type");
    return { mimeType, base64: step.body.toString("base64") };
  }
  throw mediaFault("too_many_redirects");
}
