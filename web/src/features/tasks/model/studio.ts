/** Models of the studio that draw, sing, speak or film for this user, the fields of their requests, and their prices. Pure. */
import type { GroupEntries } from "../../../../../contract/src/features/groups.ts";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { imageUsage, speechUsage } from "../../../../../contract/src/pricing/operation-usage.ts";

/** The kinds of results. */
export const STUDIO_KINDS = ["picture", "song", "speech", "film"] as const;
export type StudioKind = (typeof STUDIO_KINDS)[number];

/** How it is asked for. */
export type Way = "images" | "drawing" | "song" | "speech" | "film";

export interface StudioModel {
  name: string;
  kind: StudioKind;
  way: Way;
  /** The person's own where the model is in it, else one that they may choose. */
  group: string;
  groupRatio: number;
  entry: PricingEntry;
}

/** Models of a Midjourney proxy and of Suno are actions: these begin something new. */
const ACTIONS: Readonly<Record<string, Pick<StudioModel, "kind" | "way">>> = {
  mj_imagine: { kind: "picture", way: "drawing" },
  suno_music: { kind: "song", way: "song" },
};
const IS_ACTION = /^(?:mj_|suno_|swap_face)/;
/** Listens, or wants a connection of its own. */
const IS_NO_SPEAKER = /whisper|transcri|realtime|-asr\b|native-audio|audio-preview/;

function wayOf({ model_name: name, kind }: PricingEntry): Pick<StudioModel, "kind" | "way"> | undefined {
  const action = ACTIONS[name];
  if (action !== undefined || IS_ACTION.test(name)) return action;
  if (kind === "image") return { kind: "picture", way: "images" };
  if (kind === "video") return { kind: "film", way: "film" };
  return kind === "audio" && !IS_NO_SPEAKER.test(name) ? { kind: "speech", way: "speech" } : undefined;
}

/** The models that make something, by kind and name. */
export function studioModels(entries: readonly PricingEntry[], groups: GroupEntries, ownGroup: string): StudioModel[] {
  const found = entries.flatMap((entry): StudioModel[] => {
    const way = wayOf(entry);
    const group = entry.enable_groups.includes(ownGroup)
      ? ownGroup
      : entry.enable_groups.find((name) => Object.hasOwn(groups, name));
    if (way === undefined || group === undefined) return [];
    return [{ name: entry.model_name, ...way, group, groupRatio: groups[group]?.ratio ?? 1, entry }];
  });
  const order = (model: StudioModel): number => STUDIO_KINDS.indexOf(model.kind);
  return found.toSorted((one, other) => order(one) - order(other) || one.name.localeCompare(other.name));
}

/** Options beside the prompt; each way reads its own. */
export interface Options {
  /** Of pictures and films: 1024x1024, or 16:9 of a drawing. */
  size: string;
  /** Pictures in one call. */
  count: number;
  /** Of speech. */
  voice: string;
  /** Of a film. */
  seconds: number;
  /** Of a song that is given its words: how it sounds. */
  style: string;
  /** Of a song: the prompt is what is sung. */
  isLyrics: boolean;
}

export interface Wish {
  prompt: string;
  options: Options;
}

const SHAPES = ["1:1", "16:9", "9:16", "4:3", "3:4"];
const FILM_SIZES = ["1280x720", "720x1280"];
/** Options of known models; others use their own. */
const SIZES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^dall-e-3/, ["1024x1024", "1792x1024", "1024x1792"]],
  [/^dall-e-2/, ["1024x1024", "512x512", "256x256"]],
  [/^(?:chat)?gpt-image/, ["1024x1024", "1536x1024", "1024x1536"]],
];
const VOICES = ["alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer"] as const;
const FILM_SECONDS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^sora/, [4, 8, 12]],
  [/^veo/, [8, 6, 4]],
  [/./, [5, 10]],
];
const COUNTS = [1, 2, 3, 4];

/** Choices of a model; an empty list is no choice. */
export interface Choices {
  sizes: readonly string[];
  counts: readonly number[];
  voices: readonly string[];
  seconds: readonly number[];
}

const NONE: Choices = { sizes: [], counts: [], voices: [], seconds: [] };

export function choicesOf({ name, way }: StudioModel): Choices {
  if (way === "drawing") return { ...NONE, sizes: SHAPES };
  if (way === "speech") return { ...NONE, voices: VOICES };
  if (way === "film")
    return { ...NONE, sizes: FILM_SIZES, seconds: FILM_SECONDS.find(([model]) => model.test(name))?.[1] ?? [] };
  if (way !== "images") return NONE;
  const sizes = SIZES.find(([model]) => model.test(name))?.[1] ?? [];
  // This one draws one at a time.
  return { ...NONE, sizes, counts: name.startsWith("dall-e-3") ? [] : COUNTS };
}

const among = <Value>(list: readonly Value[], wanted: Value, otherwise: Value): Value =>
  list.includes(wanted) ? wanted : (list[0] ?? otherwise);

/** The options with each one that the model does not take replaced by its first. */
export function fittingOptions(model: StudioModel, options: Options): Options {
  const { sizes, counts, voices, seconds } = choicesOf(model);
  return {
    ...options,
    size: among(sizes, options.size, ""),
    count: among(counts, options.count, 1),
    voice: among(voices, options.voice, ""),
    seconds: among(seconds, options.seconds, 0),
  };
}

export const FIRST_OPTIONS: Options = { size: "", count: 1, voice: "alloy", seconds: 0, style: "", isLyrics: false };

/** Dollars of one million tokens at the ratio 1. */
const USD_PER_MILLION = 2;
const CHARACTERS_PER_TOKEN = 4;

/** How often the price of a call counts. */
function callFactor({ name, way }: StudioModel, { size, count, seconds }: Options): number {
  if (way === "images") return Number(imageUsage({ model: name, size, n: count }).callFactor);
  return way === "film" ? Math.max(1, seconds) : 1;
}

export interface Price {
  usd: number;
  /** False where the vendor's own counting may differ. */
  isExact: boolean;
}

/** The cost of the request; undefined where that is known afterwards only, as of pictures that are charged by their tokens. */
export function priceOf(model: StudioModel, { prompt, options }: Wish): Price | undefined {
  const { entry, groupRatio, way, name } = model;
  if (!entry.has_price) return undefined;
  if (entry.quota_type === 1)
    return { usd: entry.model_price * callFactor(model, options) * groupRatio, isExact: way !== "film" };
  if (way !== "speech") return undefined;
  const { inputTokens, isEstimated } = speechUsage(name, prompt, Math.ceil(prompt.length / CHARACTERS_PER_TOKEN));
  const usd = (inputTokens * entry.model_ratio * USD_PER_MILLION * groupRatio) / 1_000_000;
  // A voice model of tokens also charges for the sound.
  return isEstimated ? undefined : { usd, isExact: true };
}

/** Where each way is asked, by the person's session. */
const PATHS: Readonly<Record<Way, string>> = {
  images: "/pg/images/generations",
  drawing: "/pg/mj/submit/imagine",
  song: "/pg/suno/submit/music",
  speech: "/pg/audio/speech",
  film: "/pg/video/generations",
};

const withShape = (prompt: string, shape: string): string =>
  shape === "" || shape === SHAPES[0] || /--ar\b/.test(prompt) ? prompt : `${prompt} --ar ${shape}`;

function fieldsOf({ way, name }: StudioModel, { prompt, options }: Wish): object {
  const { size, count, voice, seconds, style, isLyrics } = options;
  const sized = size === "" ? {} : { size };
  switch (way) {
    case "drawing":
      return { prompt: withShape(prompt, size) };
    case "song":
      return isLyrics ? { prompt, tags: style } : { gpt_description_prompt: prompt };
    case "speech":
      return { model: name, input: prompt, voice };
    case "film":
      return { model: name, prompt, ...(seconds > 0 ? { duration: seconds } : {}), ...sized };
    case "images":
      return { model: name, prompt, n: count, ...sized };
  }
}

/** The call that a wish becomes. */
export const requestOf = (model: StudioModel, wish: Wish): { path: string; body: object } => ({
  path: PATHS[model.way],
  body: { group: model.group, ...fieldsOf(model, wish) },
});
