/** Fetches images and files that a request names by URL, for upstreams that accept bytes only: under the address policy, with every bound. */
import { withTimeout } from "../util/deadline.ts";
import type { ResponseHeaders, UpstreamCall, UpstreamClient, UpstreamSink } from "./client.ts";
import { UpstreamFault } from "./fault.ts";
import { type WorkerProxy, workerRequest } from "./worker.ts";

// What a file is by its first bytes: the vendors judge by these, and a server's header may say anything.

interface Signature {
  mimeType: string;
  /** Position and bytes, as Latin-1; every pair has to fit. */
  marks: readonly (readonly [offset: number, bytes: string])[];
}

/** Magic numbers as the formats' own specifications give them (listed in mimesniff.spec.whatwg.org, section 6). */
const SIGNATURES: readonly Signature[] = [
  { mimeType: "image/png", marks: [[0, "\x89PNG\r\n\x1a\n"]] },
  { mimeType: "image/jpeg", marks: [[0, "\xff\xd8\xff"]] },
  { mimeType: "image/gif", marks: [[0, "GIF8"]] },
  {
    mimeType: "image/webp",
    marks: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  { mimeType: "image/bmp", marks: [[0, "BM"]] },
  { mimeType: "image/tiff", marks: [[0, "II*\0"]] },
  { mimeType: "image/tiff", marks: [[0, "MM\0*"]] },
  { mimeType: "image/heic", marks: [[4, "ftyphei"]] },
  { mimeType: "image/heic", marks: [[4, "ftyphev"]] },
  { mimeType: "image/heif", marks: [[4, "ftypmif1"]] },
  { mimeType: "image/avif", marks: [[4, "ftypavif"]] },
  { mimeType: "application/pdf", marks: [[0, "%PDF-"]] },
  {
    mimeType: "audio/wav",
    marks: [
      [0, "RIFF"],
      [8, "WAVE"],
    ],
  },
  { mimeType: "audio/mpeg", marks: [[0, "ID3"]] },
  { mimeType: "audio/mpeg", marks: [[0, "\xff\xfb"]] },
  { mimeType: "audio/mpeg", marks: [[0, "\xff\xf3"]] },
  { mimeType: "audio/flac", marks: [[0, "fLaC"]] },
  { mimeType: "audio/ogg", marks: [[0, "OggS"]] },
  { mimeType: "audio/mp4", marks: [[4, "ftypM4A"]] },
  { mimeType: "video/quicktime", marks: [[4, "ftypqt"]] },
  { mimeType: "video/mp4", marks: [[4, "ftyp"]] },
  { mimeType: "video/webm", marks: [[0, "\x1aE\xdf\xa3"]] },
];

const LONGEST = 16;

/** Type by the first bytes; undefined where they are of no known kind. */
function sniffMediaType(body: Buffer): string | undefined {
  const start = body.toString("latin1", 0, LONGEST);
  return SIGNATURES.find(({ marks }) => marks.every(([offset, bytes]) => start.startsWith(bytes, offset)))?.mimeType;
}

/** Types without a signature that a header may name: words, which a model reads. */
const TEXT_TYPE = /^(?:text\/(?!html)[\w.+-]+|application\/(?:json|xml|x-ndjson|yaml|x-yaml))$/;

const isText = (body: Buffer): boolean => {
  if (body.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
};

/**
 * Type of a fetched file: by its bytes; words by the header, if they are words. Undefined for everything else, so that a page that
 * says "not found" is never passed on as a picture.
 */
export function mediaTypeOf(body: Buffer, contentType: string): string | undefined {
  const sniffed = sniffMediaType(body);
  if (sniffed !== undefined) return sniffed;
  const named = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  return TEXT_TYPE.test(named) && isText(body) ? named : undefined;
}

export type MediaFaultKind =
  /** No http or https URL. */
  | "url"
  /** It is to be fetched by a worker that takes https URLs only. */
  | "insecure"
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
  insecure: "its URL does not begin with https://",
  address: "its address is not allowed",
  unreachable: "its server could not be reached",
  status: "its server did not answer with the file",
  too_many_redirects: "its server redirects too often",
  too_large: "it is too large",
  too_slow: "its server took too long",
  type: "it is no kind of file that is known here",
};

/** The same where a worker fetches: who waits or fails then is the worker. */
const TEXTS_OF_WORKER: Readonly<Partial<Record<MediaFaultKind, string>>> = {
  unreachable: "the worker that fetches for this site could not be reached",
  status: "the worker that fetches for this site did not answer with the file",
  too_slow: "the worker that fetches for this site took too long",
};

type MediaFault = UpstreamFault<MediaFaultKind>;

const mediaFault = (kind: MediaFaultKind, cause?: unknown): MediaFault => new UpstreamFault(kind, TEXTS[kind], cause);

/** @param status what the worker answered, where it did */
function workerFault(kind: MediaFaultKind, cause?: unknown, status = 0): MediaFault {
  const text = TEXTS_OF_WORKER[kind] ?? TEXTS[kind];
  return new UpstreamFault(kind, status === 0 ? text : `${text}: status ${status}`, cause);
}

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

const HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "Turnpike" };
const MAX_URL_CHARACTERS = 8_192;

type IsAllowed = (url: URL) => boolean;

function checkedUrl(text: string, isAllowed: IsAllowed, base?: string): string {
  const url = text.length > MAX_URL_CHARACTERS ? null : URL.parse(text, base);
  const isWeb = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  // A name and password in a URL would be sent to the URL's server.
  if (!isWeb || url.username !== "" || url.password !== "") throw mediaFault("url");
  if (!isAllowed(url)) throw mediaFault("address");
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
  readonly #isOfWorker: boolean;
  /** Set right after the request was sent. */
  call: UpstreamCall | undefined;
  #contentType = "";
  #parts: Buffer[] = [];
  #size = 0;

  constructor(
    { maxBytes, isOfWorker }: { maxBytes: number; isOfWorker: boolean },
    resolve: (step: Step) => void,
    reject: (fault: MediaFault) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#isOfWorker = isOfWorker;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  started(status: number, headers: ResponseHeaders): void {
    const location = headerOf(headers, "location");
    this.#contentType = headerOf(headers, "content-type");
    if (isRedirect(status) && location !== "") {
      this.#resolve({ location });
      this.call?.abort();
    } else if (status !== 200) this.giveUp("status", status);
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
    const kind = kindOf(fault);
    // The worker's own address is the operator's matter: who named the file can do nothing about it.
    if (this.#isOfWorker) this.#reject(workerFault(kind === "address" ? "unreachable" : kind, fault));
    else this.#reject(mediaFault(kind, fault));
  }

  /** A promise that is settled already stays as it is. @param status what was answered, where that is the reason */
  giveUp(kind: MediaFaultKind, status = 0): void {
    this.#parts = [];
    this.#reject(this.#isOfWorker ? workerFault(kind, undefined, status) : mediaFault(kind));
    this.call?.abort();
  }
}

/** Rejects with a MediaFault too_slow where it is not settled within this time. */
const within = <Value>(leftMs: number, work: Promise<Value>): Promise<Value> =>
  withTimeout(work, leftMs, () => {
    throw mediaFault("too_slow");
  });

interface Way {
  client: UpstreamClient;
  worker: WorkerProxy | undefined;
  maxBytes: number;
  /** Clock of performance.now, milliseconds. */
  endsAt: number;
}

/** What is sent for a URL: to its own server, or to the worker, whose address the operator named. Throws MediaFault. */
async function requestFor({ client, worker, endsAt }: Way, url: string) {
  if (worker === undefined)
    return { method: "GET" as const, url, headers: Object.entries(HEADERS).flat(), body: null, isForUser: true };
  if (!worker.allowsHttp && !url.startsWith("https:")) throw mediaFault("insecure");
  await within(endsAt - performance.now(), client.checkForUser(url)).catch((error: unknown) => {
    throw asMediaFault(error);
  });
  return { ...workerRequest(worker, { url, method: "GET", headers: HEADERS }), isForUser: false };
}

/** What the look at a target's address gives; a name without an address is a server that cannot be reached. */
function asMediaFault(error: unknown): unknown {
  if (!(error instanceof UpstreamFault) || error.kind === "too_slow") return error;
  return mediaFault(error.kind === "address" ? "address" : "unreachable", error);
}

/** One request, given up when the time is over. */
async function download(way: Way, url: string): Promise<Step> {
  const { client, maxBytes, endsAt, worker } = way;
  const request = await requestFor(way, url);
  const leftMs = endsAt - performance.now();
  if (leftMs <= 0) throw mediaFault("too_slow");
  const { promise, resolve, reject } = Promise.withResolvers<Step>();
  const sink = new Download({ maxBytes, isOfWorker: worker !== undefined }, resolve, reject);
  const timer = setTimeout(() => sink.giveUp("too_slow"), leftMs);
  const timers = { firstByteTimeoutMs: Math.ceil(leftMs), idleTimeoutMs: Math.ceil(leftMs) };
  sink.call = client.send({ ...request, proxy: "", ...timers }, sink);
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Fetches an image or a file, by the worker where there is one. Every address on the way, redirects' too, is checked by the operator's lists,
 * and where the socket really leads, or before the worker is asked; private ones are refused even where channels may use them. The bytes decide on the type. Throws
 * UpstreamFault of a MediaFaultKind, whose message may be shown.
 */
export async function fetchMedia(
  client: UpstreamClient,
  url: string,
  limits: Partial<MediaLimits> = {},
  worker?: WorkerProxy,
  isAllowed: IsAllowed = () => true,
): Promise<FetchedMedia> {
  const { maxBytes, timeoutMs, maxRedirects } = { ...MEDIA_LIMITS, ...limits };
  const way: Way = { client, worker, maxBytes, endsAt: performance.now() + timeoutMs };
  let next = checkedUrl(url, isAllowed);
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const step = await download(way, next);
    if ("location" in step) {
      next = checkedUrl(step.location, isAllowed, next);
      continue;
    }
    const mimeType = mediaTypeOf(step.body, step.contentType);
    if (mimeType === undefined) throw mediaFault("type");
    return { mimeType, base64: step.body.toString("base64") };
  }
  throw mediaFault("too_many_redirects");
}
