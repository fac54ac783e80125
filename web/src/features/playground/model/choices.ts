/** Groups and models for the playground: the own group first, models of the chosen group that can chat. Pure. */
import { AUTO_GROUP, type GroupEntries } from "../../../../../contract/src/features/groups.ts";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";

export interface GroupChoice {
  name: string;
  description: string;
  ratio: number;
}

/** What a lane asks, once it is known what may be asked: the stored choice, or what stands in for it. */
export interface Choice {
  group: string;
  model: string;
  models: readonly PricingEntry[];
  entry: PricingEntry | undefined;
}

/** The own group first; a placeholder with ratio 1 where there are none. */
export function groupChoices(groups: GroupEntries, ownGroup: string): GroupChoice[] {
  const all = Object.entries(groups).map(([name, { desc, ratio }]) => ({ name, description: desc, ratio }));
  if (all.length === 0) return [{ name: ownGroup || "default", description: "", ratio: 1 }];
  return [...all.filter(({ name }) => name === ownGroup), ...all.filter(({ name }) => name !== ownGroup)];
}

/** Models that chat in this group, by name. */
export const modelsOf = (entries: readonly PricingEntry[], group: string): PricingEntry[] =>
  entries
    .filter(
      ({ kind, enable_groups }) =>
        kind === "chat" && (group === AUTO_GROUP ? enable_groups.length > 0 : enable_groups.includes(group)),
    )
    .toSorted((one, other) => one.model_name.localeCompare(other.model_name));

const DEFAULT_MODEL = "gpt-4o-mini";

/** The wanted model where it is offered, else the default one, else the first; blank where none is. */
export function modelIn(models: readonly Pick<PricingEntry, "model_name">[], wanted: string): string {
  const names = new Set(models.map(({ model_name }) => model_name));
  return [wanted, DEFAULT_MODEL].find((name) => names.has(name)) ?? models[0]?.model_name ?? "";
}

/** Whether the model reads pictures. Where the price list does not say, it may be tried. */
export const readsImages = (entry: Pick<PricingEntry, "input_modalities"> | undefined): boolean =>
  entry?.input_modalities?.includes("image") ?? true;
