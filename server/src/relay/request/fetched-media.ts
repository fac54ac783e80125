/** Images and files that a request names by URL, fetched for upstreams that take only bytes; part of step 5. */
import type { Dialect } from "../dialects/dialect.ts";
import {
  type FilePart,
  type ImagePart,
  type MediaSource,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
} from "../dialects/neutral.ts";
import { MediaFault, fetchMedia } from "../upstream/media.ts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

type Fetch = (source: MediaSource) => Promise<MediaSource>;

/** More in one request is a mistake or an attack on somebody else. */
const MAX_FETCHED = 32;

const MAX_SHOWN = 200;

/** Which of the addresses it was, without its query, where secrets may stand: what is told here is logged too. */
const shown = (url: string): string => `"${(url.split(/[?#]/)[0] ?? "").slice(0, MAX_SHOWN)}"`;

/** What comes counts as memory until the call is over: a short request may name a gigabyte. Throws Refusal 503. */
function takeMemory(exchange: Exchange, bytes: number): void {
  if (!exchange.context.budget.take(bytes)) throw new Refusal("over_capacity");
  exchange.budgetedBytes += bytes;
}

async function fetched(exchange: Exchange, url: string): Promise<MediaSource> {
  const { upstream, limits } = exchange.context;
  try {
    const { mimeType, base64 } = await fetchMedia(upstream, url, { maxBytes: limits.bodyBytes });
    takeMemory(exchange, base64.length);
    return { kind: "base64", mimeType, data: base64 };
  } catch (error) {
    if (!(error instanceof MediaFault)) throw error;
    throw new TranslationFault("messages", `${shown(url)} could not be fetched: ${error.message}`);
  }
}

/** Each address is asked once for a call, whichever channels are tried. */
function fetcher(exchange: Exchange): Fetch {
  return async (source) => {
    if (source.kind !== "url") return source;
    const known = exchange.fetchedMedia.get(source.url);
    if (known !== undefined) return known;
    if (exchange.fetchedMedia.size >= MAX_FETCHED)
      throw new TranslationFault("messages", `more than ${MAX_FETCHED} images or files are named by URL`);
    const found = await fetched(exchange, source.url);
    exchange.fetchedMedia = new Map([...exchange.fetchedMedia, [source.url, found]]);
    return found;
  };
}

type Kinds = Dialect["fetchedMedia"];

/** True for media of these kinds that a URL names, also where they stand in the result of a tool. */
const isFetched = (part: NeutralPart, kinds: Kinds): boolean =>
  part.kind === "tool_result"
    ? part.parts.some((inner) => isFetched(inner, kinds))
    : (part.kind === "image" || part.kind === "file") && kinds.includes(part.kind) && part.source.kind === "url";

async function fetchPart<Part extends NeutralPart>(part: Part, kinds: Kinds, fetch: Fetch): Promise<Part> {
  if (!isFetched(part, kinds)) return part;
  if (part.kind === "tool_result")
    return { ...part, parts: await inOrder(part.parts, (each) => fetchPart(each, kinds, fetch)) };
  const { source } = part as ImagePart | FilePart;
  return { ...part, source: await fetch(source) };
}

/** One after another: a client must not make the gateway open many connections at once. */
async function inOrder<Item>(items: readonly Item[], change: (item: Item) => Promise<Item>): Promise<Item[]> {
  const changed: Item[] = [];
  for (const item of items) changed.push(await change(item));
  return changed;
}

/**
 * The request with every URL of media of these kinds replaced by its bytes. Throws TranslationFault where one cannot be had, and
 * Refusal 503 where there is no memory for it.
 */
export async function withFetchedMedia(
  request: NeutralRequest,
  kinds: Kinds,
  exchange: Exchange,
): Promise<NeutralRequest> {
  const hasFetched = ({ parts }: NeutralMessage): boolean => parts.some((part) => isFetched(part, kinds));
  if (!request.messages.some(hasFetched)) return request;
  const fetch = fetcher(exchange);
  const messages = await inOrder(request.messages, async (message): Promise<NeutralMessage> =>
    hasFetched(message)
      ? { ...message, parts: await inOrder(message.parts, (part) => fetchPart(part, kinds, fetch)) }
      : message,
  );
  return { ...request, messages };
}
