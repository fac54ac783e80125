/** Images and files that a request names by URL, fetched for upstreams that take only bytes; part of step 5. */
import { fetchFilterOf } from "../../../../contract/src/options/fetch-rules.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import {
  type FilePart,
  type ImagePart,
  type MediaSource,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
} from "../../dialects/neutral/neutral.ts";
import { NO_PICTURE, isPicture } from "../../dialects/neutral/pictures.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { fetchMedia } from "../../upstream/media.ts";
import { workerOf } from "../../upstream/worker.ts";
import type { Call } from "../call/call.ts";

type Fetch = (source: MediaSource) => Promise<MediaSource>;

/** What was fetched for a call so far, by its address. */
export type FetchedMedia = Map<string, MediaSource>;

/** More in one request is a mistake or an attack on another site. */
const MAX_FETCHED = 32;

const MAX_SHOWN = 200;

/** Which of the addresses it was, without its query, where secrets may stand: this text is logged too. */
const shown = (url: string): string => `"${(url.split(/[?#]/)[0] ?? "").slice(0, MAX_SHOWN)}"`;

async function fetched(call: Call, url: string): Promise<MediaSource> {
  const { upstream, limits, snapshot } = call.context;
  try {
    const bounds = { maxBytes: limits.bodyBytes };
    const { mimeType, base64 } = await fetchMedia(
      upstream,
      url,
      bounds,
      workerOf(snapshot.options),
      fetchFilterOf(snapshot.options),
    );
    // A short request may name a gigabyte.
    call.requestMemory.take(base64.length);
    return { kind: "base64", mimeType, data: base64 };
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new TranslationFault("messages", `${shown(url)} could not be fetched: ${error.message}`);
  }
}

/** Fetches each address once for a call, whichever channels are tried. */
function fetcher(call: Call, known: FetchedMedia): Fetch {
  return async (source) => {
    if (source.kind !== "url") return source;
    const earlier = known.get(source.url);
    if (earlier !== undefined) return earlier;
    if (known.size >= MAX_FETCHED)
      throw new TranslationFault("messages", `more than ${MAX_FETCHED} images or files are named by URL`);
    const found = await fetched(call, source.url);
    known.set(source.url, found);
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
  const { kind, source } = part as ImagePart | FilePart;
  const found = await fetch(source);
  // It was held for as a picture.
  if (kind === "image" && source.kind === "url" && !isPicture(found))
    throw new TranslationFault("messages", `${shown(source.url)} in a picture's place ${NO_PICTURE}`);
  return { ...part, source: found };
}

/** One after another: a client must not make the gateway open many connections at once. */
async function inOrder<Item>(items: readonly Item[], change: (item: Item) => Promise<Item>): Promise<Item[]> {
  const changed: Item[] = [];
  for (const item of items) changed.push(await change(item));
  return changed;
}

/**
 * The request with every URL of media of these kinds replaced by its bytes; what is fetched is added to `known`. Throws TranslationFault where one cannot be had, and
 * RelayError 503 where there is no memory for it.
 */
export async function withFetchedMedia(
  request: NeutralRequest,
  kinds: Kinds,
  call: Call,
  known: FetchedMedia,
): Promise<NeutralRequest> {
  const hasFetched = ({ parts }: NeutralMessage): boolean => parts.some((part) => isFetched(part, kinds));
  if (!request.messages.some(hasFetched)) return request;
  const fetch = fetcher(call, known);
  const messages = await inOrder(request.messages, async (message): Promise<NeutralMessage> =>
    hasFetched(message)
      ? { ...message, parts: await inOrder(message.parts, (part) => fetchPart(part, kinds, fetch)) }
      : message,
  );
  return { ...request, messages };
}
