/** Drafts of price tables: which texts are changed, against what they were begun, and where somebody else was faster. Pure. */
import type { OptionRow } from "../../../../../../contract/src/features/options.ts";
import { findJsonError, membersOf } from "../../../../../../contract/src/options/json-places.ts";
import type { PriceTable, TableDraft } from "../../../../../../contract/src/pricing/table-changes.ts";

export interface Draft {
  text: string;
  /** Of the option when the draft was begun. */
  revision: number;
}

export type Drafts = Readonly<Partial<Record<PriceTable, Draft>>>;
export type Rows = ReadonlyMap<string, OptionRow>;

export const textOf = (rows: Rows, drafts: Drafts, key: PriceTable): string =>
  drafts[key]?.text ?? rows.get(key)?.value ?? "";

/** The drafts with one text changed; one that says what is stored is no draft. */
export function withText(rows: Rows, drafts: Drafts, key: PriceTable, text: string): Drafts {
  const row = rows.get(key);
  const { [key]: old, ...others } = drafts;
  return row?.value === text ? others : { ...others, [key]: { text, revision: old?.revision ?? row?.revision ?? 0 } };
}

export const without = (drafts: Drafts, key: PriceTable): Drafts => {
  const { [key]: _, ...others } = drafts;
  return others;
};

/** The draft as one against what is stored now. */
export const rebased = (rows: Rows, drafts: Drafts, key: PriceTable): Drafts => {
  const draft = drafts[key];
  return draft === undefined ? drafts : { ...drafts, [key]: { ...draft, revision: rows.get(key)?.revision ?? 0 } };
};

/** Whether somebody else changed the table since the draft was begun. */
export const isOvertaken = (rows: Rows, drafts: Drafts, key: PriceTable): boolean => {
  const draft = drafts[key];
  return draft !== undefined && draft.revision !== (rows.get(key)?.revision ?? 0);
};

export const keysOf = (drafts: Drafts): readonly PriceTable[] => Object.keys(drafts) as PriceTable[];

/** What is sent. */
export const sentOf = (drafts: Drafts): TableDraft[] =>
  keysOf(drafts).flatMap((key) => {
    const draft = drafts[key];
    return draft === undefined ? [] : [{ key, value: draft.text, revision: draft.revision }];
  });

/** Entries on the top of a table; undefined while it is no JSON object. */
export const countEntries = (text: string): number | undefined =>
  text.trimStart().startsWith("{") && findJsonError(text) === undefined ? membersOf(text).length : undefined;
