/** The parameters of a call, stored for each model. What stands at the model's default is not sent. Pure. */

/** Undefined is the model's default. */
export interface Parameters {
  temperature?: number | undefined;
  top_p?: number | undefined;
  /** Whole number from 1. */
  max_tokens?: number | undefined;
}

export const SLIDER = { min: 0.1, max: 1, step: 0.1 } as const;

/** Sliders of the panel, in their order. */
export const SLIDERS = ["temperature", "top_p"] as const;
export type SliderName = (typeof SLIDERS)[number];

/** More than any model writes. */
const MAX_TOKENS_MOST = 10_000_000;

const TENTHS = 10;

/** A value of a slider; anything outside its range, as the default 0, is the model's own. */
function sliderValue(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  const rounded = Math.round(value * TENTHS) / TENTHS;
  return rounded >= SLIDER.min && rounded <= SLIDER.max ? rounded : undefined;
}

/** A whole number of tokens; 0, the default, and anything that is none is the model's own limit. */
export function tokenLimit(value: unknown): number | undefined {
  const number = Number.parseInt(String(value), 10);
  return number >= 1 && number <= MAX_TOKENS_MOST ? number : undefined;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** What storage holds of one model, with what is broken left out. */
function parameters(stored: unknown): Parameters {
  const { temperature, top_p, max_tokens } = recordOf(stored);
  return { temperature: sliderValue(temperature), top_p: sliderValue(top_p), max_tokens: tokenLimit(max_tokens) };
}

/** The parameters of one model among those of all. */
export const parametersOf = (all: unknown, model: string): Parameters =>
  parameters(Object.hasOwn(recordOf(all), model) ? recordOf(all)[model] : undefined);

/** Number of models remembered; the one that was changed longest ago goes first. */
const REMEMBERED = 100;

/** All parameters with those of one model replaced. */
export function remembered(all: unknown, model: string, next: Parameters): Record<string, Parameters> {
  const { [model]: _old, ...others } = recordOf(all);
  const kept = Object.entries(others).slice(1 - REMEMBERED);
  return { ...Object.fromEntries(kept.map(([name, stored]) => [name, parameters(stored)])), [model]: parameters(next) };
}

/** The fields of a request: only what was chosen. */
export const chosen = (all: Parameters): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parameters(all)).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
