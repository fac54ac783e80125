/** Prompts that a user stores by name, with placeholders such as {{language}} that are filled in each time. Pure. */

export interface Preset {
  name: string;
  text: string;
}

export const PRESETS_MOST = 50;
export const PRESET_NAME_MOST = 60;
const PRESET_TEXT_MOST = 8000;
const VARIABLES_MOST = 20;

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** A stored preset; undefined for what is none. */
function presetOf(value: unknown): Preset | undefined {
  const { name, text } = recordOf(value);
  if (typeof name !== "string" || typeof text !== "string" || name.trim() === "") return undefined;
  return { name: name.slice(0, PRESET_NAME_MOST), text: text.slice(0, PRESET_TEXT_MOST) };
}

/** The presets of one person among those of all, with what is broken left out. */
export function presetsOf(stored: unknown, userId: number): Preset[] {
  const own = recordOf(stored)[String(userId)];
  return (Array.isArray(own) ? (own as unknown[]) : []).flatMap((each) => presetOf(each) ?? []).slice(0, PRESETS_MOST);
}

/** All presets with those of one person replaced. */
export const withPresets = (stored: unknown, userId: number, own: readonly Preset[]): Record<string, unknown> => ({
  ...recordOf(stored),
  [String(userId)]: own,
});

/** The list with this one added, by name: one of the same name is replaced, and beyond the bound the first goes. */
export const added = (list: readonly Preset[], preset: Preset): Preset[] =>
  [...list.filter(({ name }) => name !== preset.name), preset].slice(-PRESETS_MOST);

const PLACE = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_ -]{0,39}?)\s*\}\}/gu;

/** The names of the places of a text, each once, in their order. */
export const variablesOf = (text: string): string[] =>
  [...new Set([...text.matchAll(PLACE)].map(([, name = ""]) => name))].slice(0, VARIABLES_MOST);

/** The text with its places filled; one without a value stays as it stands. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(PLACE, (place: string, name: string) =>
    Object.hasOwn(values, name) && values[name] !== "" ? (values[name] ?? place) : place,
  );
