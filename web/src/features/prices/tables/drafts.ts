/** Drafts of price tables: changed texts, the base they were begun on, and conflicts with saves of another user. Pure. */
import type { OptionRow } from "../../../../../contract/src/features/options.ts";
import { findJsonError, membersOf, type JsonPath } from "../../../../../contract/src/options/json-places.ts";
import { type PriceTable, type TableDraft, PRICE_TABLES } from "../../../../../contract/src/pricing/table-changes.ts";
import { BROKEN_STREAM_RULES } from "../../../../../contract/src/pricing/broken-stream.ts";

/** "ModelRatio" and "model_ratio" alike. */
const plainName = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** Names of other programs for tables of ours. */
const OTHER_NAMES: readonly (readonly [string, PriceTable])[] = [["createcacheratio", "CacheCreationRatio"]];

const TABLES_BY_NAME = new Map<string, PriceTable>([
  ...PRICE_TABLES.map((key) => [plainName(key), key] as const),
  ...OTHER_NAMES,
]);

export interface FoundTables {
  tables: ReadonlyMap<PriceTable, string>;
  /** Names beside them that are no price tables. */
  others: readonly string[];
}

type Pair = readonly [name: string, text: string];

/** A text inside quotes without them. */
function unquoted(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : text;
}

/** The pairs of a list of `{"key": ..., "value": ...}`, which is how options are sent. */
function pairsOfList(text: string, path: JsonPath, count: number): Pair[] {
  return Array.from({ length: count }, (_, index) => {
    const members = new Map(membersOf(text, [...path, index]));
    return [unquoted(members.get("key") ?? '""'), members.get("value") ?? '""'] as const;
  });
}

/** Names and values of an object, or of what it has under `data`. */
function pairsOf(text: string): readonly Pair[] {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return pairsOfList(text, [], value.length);
  const data: unknown = "data" in value ? value.data : undefined;
  if (Array.isArray(data)) return pairsOfList(text, ["data"], data.length);
  return membersOf(text, typeof data === "object" && data !== null ? ["data"] : []);
}

const isRule = (text: string): boolean => (BROKEN_STREAM_RULES as readonly string[]).includes(text);

/** Whether a text can be a table: a JSON object, or the rule for broken answers. A price of a model that is named like a table is none. */
const isTable = (key: PriceTable, text: string): boolean =>
  key === "BrokenStreamBilling" ? isRule(text) : text.trimStart().startsWith("{");

/** The price tables in a text, by option; undefined where it holds none, as a single table does. */
export function splitTables(text: string): FoundTables | undefined {
  if (text.trim() === "" || findJsonError(text) !== undefined) return undefined;
  const tables = new Map<PriceTable, string>();
  const others: string[] = [];
  for (const [name, raw] of pairsOf(text)) {
    const key = TABLES_BY_NAME.get(plainName(name));
    const table = unquoted(raw);
    if (key !== undefined && isTable(key, table)) tables.set(key, table);
    else others.push(name);
  }
  return tables.size === 0 ? undefined : { tables, others };
}

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

/** Whether another user changed the table since the draft was begun. */
export const isOvertaken = (rows: Rows, drafts: Drafts, key: PriceTable): boolean => {
  const draft = drafts[key];
  return draft !== undefined && draft.revision !== (rows.get(key)?.revision ?? 0);
};

export const keysOf = (drafts: Drafts): readonly PriceTable[] => Object.keys(drafts) as PriceTable[];

/** The request. */
export const sentOf = (drafts: Drafts): TableDraft[] =>
  keysOf(drafts).flatMap((key) => {
    const draft = drafts[key];
    return draft === undefined ? [] : [{ key, value: draft.text, revision: draft.revision }];
  });

/** Entries on the top of a table; undefined while it is no JSON object. */
export const countEntries = (text: string): number | undefined =>
  text.trimStart().startsWith("{") && findJsonError(text) === undefined ? membersOf(text).length : undefined;
