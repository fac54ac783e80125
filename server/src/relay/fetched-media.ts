/** Images and files that a request names by URL, fetched for upstreams that take only bytes; part of step 5. */
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
import type { RelayContext } from "./exchange.ts";

type Fetch = (source: MediaSource) => Promise<MediaSource>;

/** More in one request is a mistake or an attack on somebody else. */
const MAX_FETCHED = 32;

const MAX_SHOWN = 200;

/** Which of the addresses it was, without its query, where secrets may stand: what is told here is logged too. */
const shown = (url: string): string => `"${(url.split(/[?#]/)[0] ?? "").slice(0, MAX_SHOWN)}"`;

function fetcher({ upstream, limits }: RelayContext): Fetch {
  let count = 0;
  return async (source) => {
    if (source.kind !== "url") return source;
    if ((count += 1) > MAX_FETCHED)
      throw new TranslationFault("messages", `more than ${MAX_FETCHED} images or files are named by URL`);
    try {
      const { mimeType, base64 } = await fetchMedia(upstream, source.url, { maxBytes: limits.bodyBytes });
      return { kind: "base64", mimeType: mimeType || (source.mimeType ?? ""), data: base64 };
    } catch (error) {
      if (!(error instanceof MediaFault)) throw error;
      throw new TranslationFault("messages", `${shown(source.url)} could not be fetched: ${error.message}`);
    }
  };
}

async function fetchPart<Part extends NeutralPart>(part: Part, fetch: Fetch): Promise<Part> {
  if (part.kind === "image" || part.kind === "file") {
    const { source } = part as ImagePart | FilePart;
    return source.kind === "url" ? { ...part, source: await fetch(source) } : part;
  }
  if (part.kind !== "tool_result") return part;
  return { ...part, parts: await inOrder(part.parts, (each) => fetchPart(each, fetch)) };
}

/** One after another: a client must not make the gateway open many connections at once. */
async function inOrder<Item>(items: readonly Item[], change: (item: Item) => Promise<Item>): Promise<Item[]> {
  const changed: Item[] = [];
  for (const item of items) changed.push(await change(item));
  return changed;
}

const isFetched = (part: NeutralPart): boolean =>
  part.kind === "tool_result"
    ? part.parts.some(isFetched)
    : (part.kind === "image" || part.kind === "file") && part.source.kind === "url";

/** The request with every URL of an image or file replaced by its bytes. Throws TranslationFault where one cannot be had. */
export async function withFetchedMedia(request: NeutralRequest, context: RelayContext): Promise<NeutralRequest> {
  if (!request.messages.some(({ parts }) => parts.some(isFetched))) return request;
  const fetch = fetcher(context);
  const messages = await inOrder(request.messages, async (message): Promise<NeutralMessage> =>
    message.parts.some(isFetched)
      ? { ...message, parts: await inOrder(message.parts, (part) => fetchPart(part, fetch)) }
      : message,
  );
  return { ...request, messages };
}
