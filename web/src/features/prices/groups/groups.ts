/** Groups as one table of rows with their exceptions, from the options that hold them, and back into their texts. Pure; ratios stay as they are typed. */
import { AUTO_GROUP } from "../../../../../contract/src/features/groups.ts";
import { findJsonError, membersOf } from "../../../../../contract/src/options/json-places.ts";
import { MAX_RATIO, plainDecimal } from "../../../../../contract/src/options/decimals.ts";
import { specialGroupOf } from "../../../../../contract/src/group-rules.ts";
import { hasUnseen } from "../../../../../contract/src/names.ts";

/** The options, those that need no confirmed identity first. */
export const GROUP_OPTIONS = [
  "GroupRatio",
  "GroupGroupRatio",
  "UserUsableGroups",
  "group_ratio_setting.group_special_usable_group",
  "AutoGroups",
  "TopupGroupRatio",
] as const;
export type GroupOption = (typeof GROUP_OPTIONS)[number];
export type GroupTexts = Readonly<Record<GroupOption, string>>;

export interface GroupRow {
  name: string;
  /** Empty where the group has none, so that no token can name it. */
  ratio: string;
  /** Description for users who may choose it; undefined if only its own users have it. */
  description: string | undefined;
  /** Factor of what a top-up costs; empty for 1. */
  topUp: string;
}

/** The ratio of users of one group in another one, or in their own. */
export interface PairRow {
  /** Of this list alone. */
  id: number;
  userGroup: string;
  group: string;
  ratio: string;
}

/** A group that users of one group may use besides, or may not although others may. */
export interface SpecialRow {
  id: number;
  userGroup: string;
  group: string;
  isTaken: boolean;
  /** Shown where the group is added. */
  description: string;
}

export interface Groups {
  rows: readonly GroupRow[];
  /** Groups that a token of the group `auto` tries, in order. */
  auto: readonly string[];
  /** Description under which all users may choose `auto`; undefined where none may. */
  autoDescription: string | undefined;
  pairs: readonly PairRow[];
  special: readonly SpecialRow[];
}

const isMap = (text: string): boolean => text.trimStart().startsWith("{") && findJsonError(text) === undefined;

const textsOfMap = (text: string): ReadonlyMap<string, string> => new Map(isMap(text) ? membersOf(text) : []);

/** A text inside quotes without them. */
const unquoted = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : String(JSON.parse(text));

function namesOf(text: string): string[] {
  if (findJsonError(text) !== undefined || text.trim() === "") return [];
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

/** Entries of a map of maps, each with both its names. */
const entriesOfMaps = (text: string) =>
  [...textsOfMap(text)].flatMap(([outer, inner]) =>
    [...textsOfMap(inner)].map(([name, value]) => ({ outer, name, value })),
  );

const readPairs = (text: string): PairRow[] =>
  entriesOfMaps(text).map(({ outer, name, value }, id) => ({ id, userGroup: outer, group: name, ratio: value }));

const readSpecial = (text: string): SpecialRow[] =>
  entriesOfMaps(text).map(({ outer, name, value }, id) => ({
    id,
    userGroup: outer,
    ...specialGroupOf(name),
    description: unquoted(value) ?? "",
  }));

/** Every group that one of the options names, in their order. */
export function readGroups(texts: GroupTexts): Groups {
  const ratios = textsOfMap(texts.GroupRatio);
  const usable = textsOfMap(texts.UserUsableGroups);
  const topUps = textsOfMap(texts.TopupGroupRatio);
  const auto = namesOf(texts.AutoGroups);
  const names = new Set([...ratios.keys(), ...usable.keys(), ...auto]);
  names.delete(AUTO_GROUP);
  const rows = [...names].map((name) => ({
    name,
    ratio: ratios.get(name) ?? "",
    description: unquoted(usable.get(name)),
    topUp: topUps.get(name) ?? "",
  }));
  return {
    rows,
    auto,
    autoDescription: unquoted(usable.get(AUTO_GROUP)),
    pairs: readPairs(texts.GroupGroupRatio),
    special: readSpecial(texts["group_ratio_setting.group_special_usable_group"]),
  };
}

const mapText = (entries: readonly (readonly [string, string])[], indent = "  "): string =>
  entries.length === 0
    ? "{}"
    : `{\n${entries.map(([name, value]) => `${indent}${JSON.stringify(name)}: ${value}`).join(",\n")}\n${indent.slice(2)}}`;

/** A map of maps from rows, by the group of the users. */
function mapsText<Row extends { userGroup: string }>(
  rows: readonly Row[],
  entryOf: (row: Row) => readonly [string, string],
): string {
  const byUsers = Map.groupBy(rows, ({ userGroup }) => userGroup);
  return mapText([...byUsers].map(([name, inner]) => [name, mapText(inner.map(entryOf), "    ")] as const));
}

/** Top-up ratios of names that are no groups: they are kept as they are. */
const otherTopUps = (stored: string, before: Groups): (readonly [string, string])[] => {
  const known = new Set(before.rows.map(({ name }) => name));
  return [...textsOfMap(stored)].filter(([name]) => !known.has(name));
};

/** The texts of all options. @param stored those that the rows were read from, which keep what no row shows */
export function writeGroups({ rows, auto, autoDescription, pairs, special }: Groups, stored: GroupTexts): GroupTexts {
  const withRatio = rows.filter(({ ratio }) => ratio.trim() !== "");
  const usable = rows.flatMap(({ name, description }) =>
    description === undefined ? [] : [[name, JSON.stringify(description)] as const],
  );
  const chosen = autoDescription === undefined ? [] : [[AUTO_GROUP, JSON.stringify(autoDescription)] as const];
  const topUps = rows.flatMap(({ name, topUp }) => (topUp.trim() === "" ? [] : [[name, topUp.trim()] as const]));
  return {
    GroupRatio: mapText(withRatio.map(({ name, ratio }) => [name, ratio.trim()] as const)),
    GroupGroupRatio: mapsText(pairs, ({ group, ratio }) => [group, ratio.trim()]),
    UserUsableGroups: mapText([...usable, ...chosen]),
    "group_ratio_setting.group_special_usable_group": mapsText(special, ({ group, isTaken, description }) => [
      `${isTaken ? "-" : "+"}:${group}`,
      JSON.stringify(isTaken ? "" : description),
    ]),
    AutoGroups: JSON.stringify(auto, null, 2),
    TopupGroupRatio: mapText([...topUps, ...otherTopUps(stored.TopupGroupRatio, readGroups(stored))]),
  };
}

/** The options whose meaning differs: another layout of the same entries is no change. */
export function changedOptions(before: Groups, after: Groups, stored: GroupTexts): readonly GroupOption[] {
  const [was, is] = [writeGroups(before, stored), writeGroups(after, stored)];
  return GROUP_OPTIONS.filter((option) => was[option] !== is[option]);
}

export type GroupProblem = "ratio" | "ratioLarge" | "topUp" | "noRatio";

function decimalProblem(text: string): "ratio" | "ratioLarge" | undefined {
  const read = plainDecimal(text);
  if ("reason" in read || read.decimal.startsWith("-")) return "ratio";
  return Number(read.decimal) > MAX_RATIO ? "ratioLarge" : undefined;
}

/** The error of a row; undefined where it can be saved. */
export function problemOfRow({ ratio, topUp }: GroupRow): GroupProblem | undefined {
  if (ratio.trim() === "") return "noRatio";
  return decimalProblem(ratio) ?? (topUp.trim() !== "" && decimalProblem(topUp) !== undefined ? "topUp" : undefined);
}

const isRepeated = (rows: readonly (PairRow | SpecialRow)[], row: PairRow | SpecialRow): boolean =>
  rows.some(({ id, userGroup, group }) => id !== row.id && userGroup === row.userGroup && group === row.group);

export type ExceptionProblem = "ratio" | "ratioLarge" | "noRatio" | "twice" | "own";

/** The error of the ratio of a pair; undefined where it can be saved. */
export function problemOfPair(row: PairRow, { pairs }: Pick<Groups, "pairs">): ExceptionProblem | undefined {
  if (isRepeated(pairs, row)) return "twice";
  return row.ratio.trim() === "" ? "noRatio" : decimalProblem(row.ratio);
}

/** The error of a group that is added or taken; undefined where it can be saved. */
export function problemOfSpecial(row: SpecialRow, { special }: Pick<Groups, "special">): ExceptionProblem | undefined {
  if (isRepeated(special, row)) return "twice";
  return row.isTaken && row.group === row.userGroup ? "own" : undefined;
}

/** Whether all rows can be saved. */
export const isRight = (groups: Groups): boolean =>
  groups.rows.every((row) => problemOfRow(row) === undefined) &&
  groups.pairs.every((row) => problemOfPair(row, groups) === undefined) &&
  groups.special.every((row) => problemOfSpecial(row, groups) === undefined);

const nextId = (rows: readonly { id: number }[]): number => rows.reduce((most, { id }) => Math.max(most, id), -1) + 1;

/** The groups with one more pair, of the first two groups, at the ratio the group has already. */
export function withPair(groups: Groups): Groups {
  const [users, used = users] = groups.rows;
  if (users === undefined || used === undefined) return groups;
  const pair = { id: nextId(groups.pairs), userGroup: users.name, group: used.name, ratio: used.ratio };
  return { ...groups, pairs: [...groups.pairs, pair] };
}

/** The groups with one more group that is added for users of the first one. */
export function withSpecial(groups: Groups): Groups {
  const [users, used = users] = groups.rows;
  if (users === undefined || used === undefined) return groups;
  const row = { id: nextId(groups.special), userGroup: users.name, group: used.name, isTaken: false, description: "" };
  return { ...groups, special: [...groups.special, row] };
}

/** Whether calls of the group cost nothing. */
export const isFree = ({ ratio }: GroupRow): boolean => {
  const read = plainDecimal(ratio);
  return "decimal" in read && Number(read.decimal) === 0;
};

export type NameProblem = "empty" | "taken" | "reserved" | "long" | "characters";

/** Names that a group may not have. */
export function problemOfName(name: string, { rows }: Groups): NameProblem | undefined {
  const trimmed = name.trim();
  if (trimmed === "") return "empty";
  if (trimmed === AUTO_GROUP || trimmed === "__proto__") return "reserved";
  if (trimmed.length > 64) return "long";
  if (hasUnseen(trimmed) || trimmed.includes(",")) return "characters";
  return rows.some((row) => row.name === trimmed) ? "taken" : undefined;
}

export const withRow = (groups: Groups, name: string, change: Partial<GroupRow>): Groups => ({
  ...groups,
  rows: groups.rows.map((row) => (row.name === name ? { ...row, ...change } : row)),
});

const renamedIn = <Row extends PairRow | SpecialRow>(row: Row, name: string, to: string): Row => ({
  ...row,
  userGroup: row.userGroup === name ? to : row.userGroup,
  group: row.group === name ? to : row.group,
});

/** The group under another name, wherever it is named. */
export const renamed = (groups: Groups, name: string, to: string): Groups => ({
  ...withRow(groups, name, { name: to }),
  auto: groups.auto.map((each) => (each === name ? to : each)),
  pairs: groups.pairs.map((row) => renamedIn(row, name, to)),
  special: groups.special.map((row) => renamedIn(row, name, to)),
});

export const withoutGroup = (groups: Groups, name: string): Groups => ({
  ...groups,
  rows: groups.rows.filter((row) => row.name !== name),
  auto: groups.auto.filter((each) => each !== name),
  pairs: groups.pairs.filter(({ userGroup, group }) => userGroup !== name && group !== name),
  special: groups.special.filter(({ userGroup, group }) => userGroup !== name && group !== name),
});

export const withGroup = (groups: Groups, name: string): Groups => ({
  ...groups,
  rows: [...groups.rows, { name, ratio: "1", description: undefined, topUp: "" }],
});

/** The automatic order with a group one place further up (-1) or down (1). */
export function moved(groups: Groups, name: string, by: -1 | 1): Groups {
  const from = groups.auto.indexOf(name);
  const to = from + by;
  if (from === -1 || to < 0 || to >= groups.auto.length) return groups;
  const auto = groups.auto.filter((each) => each !== name);
  return { ...groups, auto: [...auto.slice(0, to), name, ...auto.slice(to)] };
}

/** The automatic order with a group at its end, or without it. */
export const toggledAuto = (groups: Groups, name: string): Groups => ({
  ...groups,
  auto: groups.auto.includes(name) ? groups.auto.filter((each) => each !== name) : [...groups.auto, name],
});
