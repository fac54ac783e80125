/** What an answer reports of itself: its tier of service, and usage of operations beside chat in the one shape that is priced; every value is checked. Which answers are parsed for it. */
import { transcriptionUsage } from "../../../../contract/src/pricing/operation-usage.ts";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import { listOf, numberOf, objectOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { type NormalisedUsage, countOf, firstCount } from "../../dialects/neutral/usage-counts.ts";
import type { Operation } from "../../providers/provider.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { Target } from "../call/target.ts";

/** Hears an answer as it comes: vendors put the tier into the head, into any event or beside the usage, and the last word counts. */
export class ReportedTier {
  readonly #find: (text: string, isEvent: boolean) => string | undefined;
  tier: string | undefined;

  constructor(find: (text: string, isEvent: boolean) => string | undefined, tier: string | undefined) {
    this.#find = find;
    this.tier = tier;
  }

  /** Takes the whole answer or one of its events, as Latin-1. */
  read(text: string, isEvent: boolean): void {
    this.tier = this.#find(text, isEvent) ?? this.tier;
  }
}

/**
 * Undefined where a tier has no price: the channel does not allow tiers, so nothing of its answers is looked at for one, or its format
 * has none.
 */
export function reportedTier({ channel, dialect }: Target, headers: ResponseHeaders): ReportedTier | undefined {
  const { allowsServiceTier, passesBody } = channel.setting;
  if ((allowsServiceTier !== true && passesBody !== true) || dialect.findTier === undefined) return undefined;
  const head = dialect.tierHeader === undefined ? undefined : headers[dialect.tierHeader];
  return new ReportedTier(dialect.findTier, typeof head === "string" && head !== "" ? head : undefined);
}

const detailsOf = (source: JsonObject, side: "input" | "output"): JsonObject =>
  objectOf(source[`${side}_tokens_details`] ?? source[`${side}_token_details`]);

/**
 * Counts with input_tokens and output_tokens, as images, transcriptions, speech and realtime have them
 * (platform.openai.com/docs/api-reference/images, audio, realtime-server-events/response/done). Undefined where both are 0.
 */
export function readTokenUsage(raw: unknown): NormalisedUsage | undefined {
  const source = objectOf(raw);
  const faults: string[] = [];
  const inputTokens = countOf(source, "input_tokens", faults);
  const outputTokens = countOf(source, "output_tokens", faults);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const [input, output] = [detailsOf(source, "input"), detailsOf(source, "output")];
  const cached = objectOf(input["cached_tokens_details"]);
  const part = (details: JsonObject, name: string, whole: number): number =>
    Math.min(countOf(details, name, faults), whole);
  // A cached token is priced as cached, whatever it encodes, so it is taken out of its kind.
  const fresh = (name: string): number => Math.max(0, part(input, name, inputTokens) - part(cached, name, inputTokens));
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    cacheReadTokens: part(input, "cached_tokens", inputTokens),
    imageInputTokens: fresh("image_tokens"),
    audioInputTokens: fresh("audio_tokens"),
    audioOutputTokens: part(output, "audio_tokens", outputTokens),
    imageOutputTokens: part(output, "image_tokens", outputTokens),
    reasoningTokens: part(output, "reasoning_tokens", outputTokens),
  };
  return { usage, faults };
}

/** Usage of a recording: tokens, or the seconds of models that are paid by time (audio/json-object). */
export function readRecordingUsage(raw: unknown): NormalisedUsage | undefined {
  const { seconds } = objectOf(raw);
  if (typeof seconds === "number" && seconds > 0) return { usage: transcriptionUsage(seconds), faults: [] };
  return readTokenUsage(raw);
}

/** What was counted of a rerank. */
export interface RerankCount {
  tokens: number;
  searchUnits: number;
  faults: string[];
}

/** Jina's `usage` (jina.ai/reranker), Cohere's `meta.billed_units` and `meta.tokens` (docs.cohere.com/reference/rerank). */
export function readRerankUsage(raw: unknown): RerankCount {
  const source = objectOf(raw);
  const [billed, tokens] = [objectOf(source["billed_units"]), objectOf(source["tokens"])];
  const faults: string[] = [];
  return {
    tokens: firstCount(
      [
        [source, "total_tokens"],
        [source, "prompt_tokens"],
        [billed, "input_tokens"],
        [tokens, "input_tokens"],
      ],
      faults,
    ),
    searchUnits: countOf(billed, "search_units", faults),
    faults,
  };
}

/** Counts of several events of one answer as one: numbers are added, everything else is the later one's. */
export function addUsage(earlier: unknown, later: unknown): unknown {
  if (earlier === undefined) return later;
  if (typeof earlier === "number" && typeof later === "number") return earlier + later;
  const [first, second] = [objectOf(earlier), objectOf(later)];
  return Object.fromEntries(
    [...new Set([...Object.keys(first), ...Object.keys(second)])].map((name) => [
      name,
      name in first && name in second ? addUsage(first[name], second[name]) : (second[name] ?? first[name]),
    ]),
  );
}

/** What the pipeline reads in the parsed answer of an operation beside chat. */
export interface ReadAnswer {
  /** As the upstream wrote it; undefined where it sent none. */
  rawUsage: unknown;
  pictures?: number;
}

type Read = (answer: JsonObject) => ReadAnswer;

const pictures: Read = ({ usage, data }) => ({ rawUsage: usage, pictures: listOf(data).length });

/** verbose_json has the length of the recording beside the usage, or instead of it. */
function recording({ usage, duration }: JsonObject): ReadAnswer {
  const seconds = numberOf(Number(duration));
  return { rawUsage: usage ?? (seconds === undefined || seconds <= 0 ? undefined : { type: "duration", seconds }) };
}

/** Operations whose answers are always parsed: they are small, or what is charged is not in a usage object alone. */
const READERS: Readonly<Partial<Record<Operation, Read>>> = {
  images: pictures,
  image_edits: pictures,
  image_variations: pictures,
  transcriptions: recording,
  translations: recording,
  rerank: ({ usage, meta }) => ({ rawUsage: usage ?? meta }),
};

/** How the answers of an operation are read, in the upstream's format; undefined where they are not parsed. */
export function answerReader(operation: Operation, { imagesReader }: UpstreamFormat): Read | undefined {
  if (operation !== "images" || imagesReader === undefined) return READERS[operation];
  return (answer) => ({ rawUsage: undefined, pictures: imagesReader.came(answer) });
}
