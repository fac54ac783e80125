/** Reasoning of OpenAI's models, read from their names: both of its formats are encoded by it. Part of the hub. */
import type { Effort, JsonObject, Warn } from "./neutral.ts";

/** Gateways put the vendor before the name (`openai/o3`). */
const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1);

/** Models that cannot think, and refuse to be asked for it or for its proof (platform.openai.com/docs/guides/reasoning). */
export const cannotReason = (model: string): boolean => /^(?:gpt-[34]|chatgpt-|gpt-5[^/]*-chat)/.test(bareName(model));

/** Every effort in rising order. */
const RISING: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The efforts that the vendor's models know; the first row that fits a name decides. They are those of the reference
 * (developers.openai.com/api/reference, chat completions, reasoning_effort) and of each model's page (/api/docs/models/gpt-5.3-codex).
 */
const EFFORTS: readonly (readonly [models: RegExp, efforts: readonly Effort[]])[] = [
  [/^gpt-5-pro/, ["high"]],
  [/^gpt-5\.[2-4]-pro/, ["medium", "high", "xhigh"]],
  [/^gpt-5(?:\.1)?-codex(?!-max)/, ["low", "medium", "high"]],
  [/^gpt-5\.\d+-codex/, ["low", "medium", "high", "xhigh"]],
  [/^(?:o\d|codex-)/, ["low", "medium", "high"]],
  [/^gpt-5(?:-|$)/, ["minimal", "low", "medium", "high"]],
  [/^gpt-5\.1(?:-|$)/, ["none", "low", "medium", "high"]],
  [/^gpt-5\.[2-5](?:-|$)/, ["none", "low", "medium", "high", "xhigh"]],
  [/^gpt-(?:5\.|[6-9]|\d\d)/, ["none", "low", "medium", "high", "xhigh", "max"]],
];

/** The efforts that servers check for which take any: vLLM, SGLang and LM Studio answer 400 to the others with most of their models. */
const PLAIN: readonly Effort[] = ["low", "medium", "high"];

interface AskedModel {
  model: string;
  hasPlainEfforts?: boolean | undefined;
}

/** The efforts to choose from; undefined where any is sent, as other vendors' own rules name them anew. */
function knownEfforts({ model, hasPlainEfforts }: AskedModel): readonly Effort[] | undefined {
  const known = EFFORTS.find(([models]) => models.test(bareName(model)))?.[1];
  return known ?? (hasPlainEfforts === true ? PLAIN : undefined);
}

/** The lowest effort that is known and no less than the given one, else the highest. */
function nearestEffort(effort: Effort, known: readonly Effort[]): Effort {
  const rank = RISING.indexOf(effort);
  return known.find((each) => RISING.indexOf(each) >= rank) ?? known.at(-1) ?? effort;
}

/**
 * The effort to send to a model: one that it knows, and none at all where it cannot reason, or where it is unknown and is not to reason. Warns if it
 * thinks though asked not to.
 */
export function takenEffort(effort: Effort | undefined, asked: AskedModel, warn: Warn): Effort | undefined {
  const { model } = asked;
  if (effort === undefined) return undefined;
  if (cannotReason(model)) {
    if (effort !== "none") warn("reasoning", `the model ${model} does not reason`);
    return undefined;
  }
  const known = knownEfforts(asked);
  if (known === undefined) return effort;
  if (known === PLAIN && effort === "none") {
    warn("reasoning", `whether the model ${model} can be kept from reasoning is not known: it is sent no effort`);
    return undefined;
  }
  const taken = nearestEffort(effort, known);
  if (effort === "none" && taken !== "none")
    warn("reasoning", `the model ${model} always reasons: its effort is ${taken}`);
  return taken;
}

/** Models that always think or may do so; of the chat ones only the first does not. `model` is a bare name. */
const isReasoning = (model: string): boolean =>
  /^(?:o\d|codex-|gpt-(?:[5-9]|\d\d))/.test(model) && !model.startsWith("gpt-5-chat");

/** Whether a model can be asked to think. */
export const canReason = (model: string): boolean => isReasoning(bareName(model)) && !cannotReason(model);

/** Models whose thinking can be switched off, and that take sampling parameters then. */
const mayNotThink = (model: string): boolean => /^gpt-5\.[1-4](?:-(?:mini|nano))?(?:-\d{4}-\d\d-\d\d)?$/.test(model);

/** Those that do not think unless they are asked to: their effort is none by default (developers.openai.com/api/docs/guides/latest-model). */
const thinksOnlyWhenAsked = (model: string): boolean => /^gpt-5\.[124](?:-\d{4}-\d\d-\d\d)?$/.test(model);

/** Sampling parameters of chat completions, and the default that a reasoning model accepts. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  top_logprobs: 0,
  logit_bias: undefined,
};
/** Those that a model of `mayNotThink` takes without thinking. */
const TAKEN_WITHOUT_THINKING: ReadonlySet<string> = new Set(["temperature", "top_p", "logprobs", "top_logprobs"]);

/**
 * The parameters that the model takes, of those a client set. A reasoning model answers 400 to the rest, of which the client is warned
 * (platform.openai.com/docs/guides/reasoning, and docs/guides/latest-model under "parameter compatibility"). `effort` is the one it is
 * asked with; undefined where the model decides.
 */
export function takenSampling(
  given: Readonly<Record<string, unknown>>,
  model: string,
  effort: Effort | undefined,
  warn: Warn,
): Readonly<Record<string, unknown>> {
  const name = bareName(model);
  if (!isReasoning(name)) return given;
  const isStill = effort === "none" || (effort === undefined && thinksOnlyWhenAsked(name));
  const thinks = !mayNotThink(name) || !isStill;
  const isTaken = ([field]: [string, unknown]): boolean =>
    !(field in DEFAULTS) || (!thinks && TAKEN_WITHOUT_THINKING.has(field));
  for (const entry of Object.entries(given)) {
    const [field, value] = entry;
    if (!isTaken(entry) && value !== undefined && value !== DEFAULTS[field])
      warn(field, `the model ${model} reasons and takes only its default`);
  }
  return Object.fromEntries(Object.entries(given).filter(isTaken));
}

/** Sampling parameters of both formats that every server of OpenAI's kind knows. */
const SAMPLING = ["temperature", "top_p", "presence_penalty", "frequency_penalty"] as const;

/** Those of a request's own fields that the model refuses: with other values than the default alone, so that a request without them stays as it is. */
export function refusedSampling(fields: JsonObject, model: string, effort: Effort | undefined): readonly string[] {
  const given = Object.fromEntries(
    SAMPLING.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
  const taken = takenSampling(given, model, effort, () => undefined);
  return Object.keys(given).filter((name) => !(name in taken) && given[name] !== DEFAULTS[name]);
}
