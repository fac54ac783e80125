/** The list of a channel's models while it is edited. Pure. */
import { splitList } from "../../../../../contract/src/query.ts";

/** Models shown before the rest collapses. */
export const MODELS_SHOWN = 10;

export interface Added {
  models: string[];
  /** How many were new. */
  added: number;
  /** Those that were there already. */
  known: string[];
}

/** Adds names, separated by commas or lines in each text, keeping what is there and its order. */
export function addModels(models: readonly string[], texts: readonly string[]): Added {
  const names = splitList(texts.join(","));
  const known = names.filter((name) => models.includes(name));
  const fresh = names.filter((name) => !models.includes(name));
  return { models: [...models, ...fresh], added: fresh.length, known };
}

const MAX_SUGGESTED = 30;

/** Names to offer for what is typed: those that contain it and are not chosen yet, beginnings first. */
export function suggestModels(known: readonly string[], chosen: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const found = known.filter((name) => !chosen.includes(name) && name.toLowerCase().includes(wanted));
  const begins = found.filter((name) => name.toLowerCase().startsWith(wanted));
  return [...new Set([...begins, ...found])].slice(0, MAX_SUGGESTED);
}
