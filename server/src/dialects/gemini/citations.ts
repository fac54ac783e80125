/** Citations: Gemini's groundingMetadata and citationMetadata <-> neutral citations. Google counts bytes, neutral characters. */
import { isObject, listOf, numberOf, objectOf, textOf } from "../json/fields.ts";
import type { Citation, JsonObject } from "../neutral/neutral.ts";

/** Position in the text of the byte at `offset` of its UTF-8 form; the text's length where it is shorter. */
function characterAt(text: string, offset: number): number {
  let [index, bytes] = [0, 0];
  while (index < text.length && bytes < offset) {
    const code = text.codePointAt(index) ?? 0;
    bytes += code < 128 ? 1 : code < 2048 ? 2 : code < 65_536 ? 3 : 4;
    index += code > 65_535 ? 2 : 1;
  }
  return index;
}

/** UTF-8 bytes of the text before a position. */
const byteAt = (text: string, position: number): number => Buffer.byteLength(text.slice(0, position));

/** Page behind a chunk, wherever it was found. */
function sourceOf(chunk: unknown): { url: string; title: string } | undefined {
  const found = objectOf(chunk);
  for (const kind of ["web", "retrievedContext", "maps"]) {
    const source = objectOf(found[kind]);
    const url = textOf(source["uri"]);
    if (url !== "") return { url, title: textOf(source["title"]) };
  }
  return undefined;
}

function spanOf(segment: JsonObject, text: string): { start?: number; end?: number } {
  const end = numberOf(segment["endIndex"]);
  if (end === undefined) return {};
  return { start: characterAt(text, numberOf(segment["startIndex"]) ?? 0), end: characterAt(text, end) };
}

function groundingCitations(grounding: JsonObject, text: string): Citation[] {
  const sources = listOf(grounding["groundingChunks"]).map(sourceOf);
  const supports = listOf(grounding["groundingSupports"]).filter(isObject);
  if (supports.length === 0)
    return sources.flatMap((source) => (source === undefined ? [] : [{ ...source, quote: "" }]));
  return supports.flatMap((support) => {
    const span = spanOf(objectOf(support["segment"]), text);
    return listOf(support["groundingChunkIndices"]).flatMap((index): Citation[] => {
      const source = typeof index === "number" ? sources[index] : undefined;
      return source === undefined ? [] : [{ ...source, quote: "", ...span }];
    });
  });
}

/** Works that the answer repeats at length; named citationSources on the wire, citations in the SDKs. */
function recitationCitations(metadata: JsonObject, text: string): Citation[] {
  const sources = [...listOf(metadata["citationSources"]), ...listOf(metadata["citations"])].filter(isObject);
  return sources.flatMap((source) => {
    const url = textOf(source["uri"]);
    return url === "" ? [] : [{ url, title: textOf(source["title"]), quote: "", ...spanOf(source, text) }];
  });
}

/** Citations of one candidate; `text` is what it has written so far. */
export function citationsOf(candidate: JsonObject, text: string): Citation[] {
  const grounding = candidate["groundingMetadata"];
  const recitation = candidate["citationMetadata"];
  return [
    ...(isObject(grounding) ? groundingCitations(grounding, text) : []),
    ...(isObject(recitation) ? recitationCitations(recitation, text) : []),
  ];
}

/** A citation and the part of the answer it stands behind. */
export interface PlacedCitation {
  citation: Citation;
  text: string;
  partIndex: number;
}

function segmentOf({ citation: { start, end }, text, partIndex }: PlacedCitation): JsonObject {
  const [from, to] = [Math.min(start ?? 0, text.length), Math.min(end ?? text.length, text.length)];
  const first = byteAt(text, from);
  return {
    ...(partIndex === 0 ? {} : { partIndex }),
    ...(first === 0 ? {} : { startIndex: first }),
    endIndex: byteAt(text, to),
    text: text.slice(from, to),
  };
}

/** groundingMetadata of one candidate; undefined where it cites nothing and looked for nothing. Each page is listed once. */
export function groundingMetadata(
  placed: readonly PlacedCitation[],
  webSearchQueries: readonly string[] = [],
): JsonObject | undefined {
  if (placed.length === 0) return webSearchQueries.length === 0 ? undefined : { webSearchQueries };
  const places = new Map<string, number>();
  const groundingChunks: JsonObject[] = [];
  const groundingSupports = placed.map((one) => {
    const { url, title } = one.citation;
    let index = places.get(`${url}\n${title}`);
    if (index === undefined) {
      places.set(`${url}\n${title}`, (index = groundingChunks.length));
      groundingChunks.push({ web: { uri: url, title } });
    }
    return { segment: segmentOf(one), groundingChunkIndices: [index] };
  });
  const searched = webSearchQueries.length === 0 ? {} : { webSearchQueries };
  return { ...searched, groundingChunks, groundingSupports };
}
