/** Unsaved changes of the settings page, beside the values of the server. Pure. */
import type { OptionRow } from "../../../../../contract/src/features/options.ts";

/** An option that was changed, with the row as it was when the change began. */
interface Entry {
  text: string;
  base: OptionRow;
}

export interface Draft {
  /** As last read from the server, by name. */
  rows: ReadonlyMap<string, OptionRow>;
  entries: ReadonlyMap<string, Entry>;
  /** Why values cannot be saved, as sentences, by name. */
  problems: ReadonlyMap<string, string>;
}

/** One option as its field shows it. */
export interface OptionState {
  row: OptionRow;
  /** The typed text, else the stored one; empty for a secret that is not being replaced. */
  text: string;
  isDirty: boolean;
  problem: string | undefined;
  /** The text that another user stored since the change began; undefined where nothing was. */
  theirs: OptionRow | undefined;
}

export const EMPTY_DRAFT: Draft = { rows: new Map(), entries: new Map(), problems: new Map() };

function without<Value>(map: ReadonlyMap<string, Value>, name: string): ReadonlyMap<string, Value> {
  if (!map.has(name)) return map;
  const rest = new Map(map);
  rest.delete(name);
  return rest;
}

/** A secret's text is never known: an empty row value says nothing about it, `is_set` does. */
const isStored = (row: OptionRow, text: string, isSecret: boolean): boolean =>
  isSecret ? text === "" && !row.is_set : text === row.value;

/** The draft after something was typed; a text that is the stored one again is no change. Unknown names are ignored. */
export function edited(draft: Draft, name: string, text: string, isSecret: boolean): Draft {
  const row = draft.rows.get(name);
  if (row === undefined) return draft;
  if (isStored(row, text, isSecret)) return reverted(draft, name);
  const base = draft.entries.get(name)?.base ?? row;
  return {
    ...draft,
    entries: new Map(draft.entries).set(name, { text, base }),
    problems: without(draft.problems, name),
  };
}

/** The draft without the change of one option. */
export const reverted = (draft: Draft, name: string): Draft => ({
  ...draft,
  entries: without(draft.entries, name),
  problems: without(draft.problems, name),
});

/** The draft without any change. */
export const discarded = (draft: Draft): Draft => ({ ...EMPTY_DRAFT, rows: draft.rows });

/** Keeps the typed text, now on top of the one that another user stored. */
export function kept(draft: Draft, name: string): Draft {
  const entry = draft.entries.get(name);
  const row = draft.rows.get(name);
  if (entry === undefined || row === undefined) return draft;
  return {
    ...draft,
    entries: new Map(draft.entries).set(name, { ...entry, base: row }),
    problems: without(draft.problems, name),
  };
}

export const refused = (draft: Draft, problems: ReadonlyMap<string, string>): Draft => ({
  ...draft,
  problems: new Map([...draft.problems, ...problems]),
});

/** Removes from the draft what is no change any more: another user has stored the same, or this page did. */
function settledEntry(entry: Entry, row: OptionRow | undefined, sent: string | undefined, isSecret: boolean) {
  if (row === undefined || entry.text === sent) return undefined;
  if (!isSecret && entry.text === row.value) return undefined;
  // What was typed while this page saved stands upon what it has saved.
  return sent === undefined ? entry : { ...entry, base: row };
}

/**
 * The draft upon newer rows.
 * @param sent texts that this page has just stored, by name
 */
export function refreshed(
  draft: Draft,
  rows: readonly OptionRow[],
  secrets: ReadonlySet<string>,
  sent: ReadonlyMap<string, string> = new Map(),
): Draft {
  const byName = new Map(rows.map((row) => [row.key, row]));
  const entries = new Map<string, Entry>();
  for (const [name, entry] of draft.entries) {
    const settled = settledEntry(entry, byName.get(name), sent.get(name), secrets.has(name));
    if (settled !== undefined) entries.set(name, settled);
  }
  const problems = [...draft.problems].filter(([name]) => entries.has(name));
  return { rows: byName, entries, problems: new Map(problems) };
}

/** One option as its field shows it. Throws a RangeError for a name that the server does not know. */
export function stateOf(draft: Draft, name: string): OptionState {
  const row = draft.rows.get(name);
  if (row === undefined) throw new RangeError(`The server has no option '${name}'`);
  const entry = draft.entries.get(name);
  return {
    row,
    text: entry?.text ?? row.value,
    isDirty: entry !== undefined,
    problem: draft.problems.get(name),
    theirs: entry !== undefined && entry.base.revision !== row.revision ? row : undefined,
  };
}
