/** Limits of models: context window, longest output, and whether they think in sight; they bound what is not counted as it passes by. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import { traitsOf } from "../../dialects/anthropic-messages/models.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { type Routes, routableChannels } from "../call/target.ts";

/**
 * The longest answer, thoughts included; the first row that fits decides. From the makers' lists of models: developers.openai.com/api/docs/models
 * (up to gpt-6.2-sol), platform.claude.com/docs/en/models/overview (up to Opus, Sonnet and Haiku 5.5), ai.google.dev/gemini-api/docs/models (up to
 * gemini-3.8-flash). Models whose weights are open have no rows: who hosts them decides, and some bound them by their window alone. xAI names no bound.
 */
const LONGEST_ANSWERS: readonly (readonly [models: RegExp, tokens: number])[] = [
  [/^gpt-3\.5|^gpt-4-(?:turbo|1106|0125|vision)/, 4_096],
  [/^gpt-4(?:-|$)/, 8_192],
  [/^(?:gpt-4o|chatgpt-4o|gpt-5-chat)/, 16_384],
  [/^gpt-4\.1/, 32_768],
  [/^o1-(?:preview|mini)/, 65_536],
  [/^o[134](?:-|$)/, 100_000],
  [/^gpt-5-pro/, 272_000],
  [/^gpt-[56]/, 128_000],
  [/^claude-3-(?:opus|sonnet|haiku)/, 4_096],
  [/^claude-3-5-/, 8_192],
  [/^claude-opus-4[-.](?:0|1|2025)/, 32_000],
  [/^claude-(?:opus-4[-.]5|sonnet-4[-.](?:0|5|2025)|haiku-4[-.]5)/, 64_000],
  [/^claude-/, 128_000],
  [/^gemini-(?:1\.5|2\.0)/, 8_192],
  [/^gemini-2\.5-flash-image/, 32_768],
  [/^gemini-(?:2\.5|3)/, 65_536],
];

/** Families that do not think, or send each thought as they think it. Names come with and without a maker before them. */
const IN_SIGHT =
  /^(?:gpt-3|gpt-4|chatgpt|davinci|babbage|text-|gemini-(?:1|2\.0|pro)|gemma|(?:code|meta-)?llama|mistral|mixtral|ministral|magistral|codestral|pixtral|devstral|open-m|deepseek|qwen|qwq|qvq|glm|chatglm|kimi|moonshot|yi-|baichuan|ernie|hunyuan|doubao|minimax|abab|command|c4ai|phi-|step-|internlm|grok-[12](?:-|$))/;

/**
 * Pictures of some models count many times what they do elsewhere (developers.openai.com/api/docs/guides/images-vision, "Model sizing behavior":
 * 10,000 patches of the detail "original", 30,000 from gpt-5.6 on, which takes pictures so where nothing else is said).
 */
const TOKENS_PER_PICTURE: readonly (readonly [models: RegExp, tokens: number])[] = [
  [/^gpt-4o-mini/, 48_169],
  [/^gpt-5\.[45](?!-(?:mini|nano))/, 10_000],
  [/^gpt-(?:5\.[6-9]|6)/, 30_000],
  [/^(?:qwen|qvq)/, 16_384],
];
/** Above the figure of any other maker for one picture of the finest kind (Claude: 4,784, platform.claude.com/docs/en/build-with-claude/vision). */
const LARGEST_PICTURE = 5_000;

/** Thoughts that the client's bound does not count, by model (alibabacloud.com/help/en/model-studio/deep-thinking, .../models: "maximum chain of thought"). */
const LONGEST_THOUGHTS: readonly (readonly [models: RegExp, tokens: number])[] = [
  [/^qwen3\.[5-9]/, 262_144],
  [/^(?:qwq|qvq|doubao|qwen.*thinking)/, 81_920],
];

/** Bytes of a recording that may be one token: the vendors' 32 tokens a second at 6 kbit/s. */
export const SOUND_BYTES_PER_TOKEN = 16;

/** Of models that think beside the client's bound because it asks for that; Alibaba takes other words than its own for the same wish. */
export const ASKED_THOUGHT = 81_920;
const THINKS_WHEN_ASKED = /^qwen/;

/**
 * Models that look things up unasked and count what they read (docs.perplexity.ai/getting-started/models, openai's search and research models,
 * console.groq.com/docs/compound, openrouter.ai/docs/guides/routing/model-variants/online), and names that stand for a search (neutral/model-names.ts).
 */
const READS_UNASKED =
  /^sonar|^pplx-.*online|sonar-.*online|-search-(?:preview|api)|deep-research|^compound|:online$|^grok-.*-search$/;

interface ModelTraits {
  /** Output tokens of one answer at most; Infinity where only the context window bounds them. */
  longestAnswer: number;
  /** Every thought passes by in a stream, as long as the client does not ask for thinking. */
  thinksInSight: boolean;
  /** Thinking that was asked for passes by too, but for fields that can hide it. */
  showsThoughts: boolean;
  tokensPerPicture: number;
  /** Tokens of thinking beside the client's own bound at most; 0 where that bounds both, as far as the request does not say otherwise. */
  longestThought: number;
  /** The same where the request asks for thinking in whatever words. */
  askedThought: number;
  /** What it finds by itself is read as input. */
  readsUnasked: boolean;
}

const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase();

const rowOf = (rows: typeof LONGEST_ANSWERS, name: string): number | undefined =>
  rows.find(([models]) => models.test(name))?.[1];

function readTraits(model: string): ModelTraits {
  const name = bareName(model);
  const isClaude = name.startsWith("claude");
  const showsThoughts = IN_SIGHT.test(name);
  return {
    longestAnswer: rowOf(LONGEST_ANSWERS, name) ?? Infinity,
    thinksInSight: showsThoughts || (isClaude && !traitsOf(name).hasAdaptiveThinking && !name.includes("thinking")),
    showsThoughts,
    tokensPerPicture: rowOf(TOKENS_PER_PICTURE, name) ?? LARGEST_PICTURE,
    longestThought: rowOf(LONGEST_THOUGHTS, name) ?? 0,
    askedThought: THINKS_WHEN_ASKED.test(name) ? ASKED_THOUGHT : 0,
    readsUnasked: READS_UNASKED.test(name),
  };
}

/** Names come from callers, so the memory of them is bounded. */
const MAX_REMEMBERED = 10_000;
const remembered = new Map<string, ModelTraits>();

/** What a model's name says. */
function modelTraits(model: string): ModelTraits {
  let traits = remembered.get(model);
  if (traits !== undefined) return traits;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(model, (traits = readTraits(model)));
  return traits;
}

export interface ModelLimits extends ModelTraits {
  /** Input tokens of a call at most. */
  contextWindow: number;
}

const isKnown = (name: string): boolean =>
  Number.isFinite(modelTraits(name).longestAnswer) || modelTraits(name).thinksInSight;

/** The names under which channels ask their upstreams for a model. */
function namesBehind(snapshot: Snapshot, model: string, routes: Routes): readonly string[] {
  const mapped = routableChannels(snapshot, routes).map(
    ({ modelMapping }) => mappedModel(modelMapping, model) ?? model,
  );
  return [...new Set(mapped)];
}

/** The widest of several models. */
const widest = (all: readonly ModelTraits[]): ModelTraits => ({
  longestAnswer: Math.max(...all.map(({ longestAnswer }) => longestAnswer)),
  thinksInSight: all.every(({ thinksInSight }) => thinksInSight),
  showsThoughts: all.every(({ showsThoughts }) => showsThoughts),
  tokensPerPicture: Math.max(...all.map(({ tokensPerPicture }) => tokensPerPicture)),
  longestThought: Math.max(...all.map(({ longestThought }) => longestThought)),
  askedThought: Math.max(...all.map(({ askedThought }) => askedThought)),
  readsUnasked: all.some(({ readsUnasked }) => readsUnasked),
});

/**
 * The names whose limits hold: the client's own and those that channels put in its place. Of these an unknown name says nothing
 * beside one that is known: deployments are called as their operators like (Azure's), and are mostly of the model that clients name.
 */
function namesThatHold(model: string, behind: readonly string[]): readonly string[] {
  const names = [...new Set([model, ...behind])];
  const known = names.filter(isKnown);
  if (isKnown(model)) return known;
  return behind.length === 0 ? names : behind;
}

function readLimits(snapshot: Snapshot, model: string, routes: Routes): ModelLimits {
  const behind = namesBehind(snapshot, model, routes);
  const own = snapshot.factsOf(model).context_length;
  const isOne = behind.every((name) => name === model);
  if (isOne) return { ...modelTraits(model), contextWindow: own ?? snapshot.options.UnknownContextWindow };
  const unknown = own === undefined ? snapshot.options.UnknownContextWindow : 0;
  const windows = behind.map((name) => snapshot.factsOf(name).context_length ?? unknown);
  return {
    ...widest(namesThatHold(model, behind).map(modelTraits)),
    contextWindow: Math.max(own ?? 0, ...windows),
  };
}

/** By the channels of a model, of which there may be thousands: the limits hold until channels, or options and price lists, change. */
const ofTiers = new WeakMap<Routes["tiers"], { model: string; options: Snapshot["options"]; limits: ModelLimits }>();

/** The widest limits of a model and of those that channels put in its place. The option where no context window is known. */
export function modelLimits(snapshot: Snapshot, model: string, routes: Routes): ModelLimits {
  if (routes.pinnedChannelId !== 0) return readLimits(snapshot, model, routes);
  const known = ofTiers.get(routes.tiers);
  if (known?.model === model && known.options === snapshot.options) return known.limits;
  const limits = readLimits(snapshot, model, routes);
  ofTiers.set(routes.tiers, { model, options: snapshot.options, limits });
  return limits;
}
