/** Rows of groups come from the options and go back without loss, and only what means something else is saved. */
import { describe, expect, test } from "vitest";
import {
  changedOptions,
  type GroupTexts,
  isFree,
  moved,
  problemOfName,
  problemOfRow,
  readGroups,
  renamed,
  toggledAuto,
  withGroup,
  withoutGroup,
  withRow,
  writeGroups,
} from "./groups.ts";

const TEXTS: GroupTexts = {
  GroupRatio: '{"default": 1, "vip": 0.80}',
  UserUsableGroups: '{"default": "Everybody\'s", "auto": "Whatever works", "ghost": "No ratio"}',
  AutoGroups: '["vip","default"]',
  TopupGroupRatio: '{"vip": 0.9, "elsewhere": 2}',
};
const GROUPS = readGroups(TEXTS);

test("a row has what every option says of the group, and numbers as they were typed", () => {
  expect(GROUPS.rows).toEqual([
    { name: "default", ratio: "1", description: "Everybody's", topUp: "" },
    { name: "vip", ratio: "0.80", description: undefined, topUp: "0.9" },
    { name: "ghost", ratio: "", description: "No ratio", topUp: "" },
  ]);
  expect(GROUPS).toMatchObject({ auto: ["vip", "default"], autoDescription: "Whatever works" });
});

test("written and read again they are the same, and what no row shows is kept", () => {
  const written = writeGroups(GROUPS, TEXTS);
  expect(readGroups(written)).toEqual(GROUPS);
  expect(JSON.parse(written.TopupGroupRatio)).toEqual({ vip: 0.9, elsewhere: 2 });
  expect(changedOptions(GROUPS, readGroups(written), TEXTS)).toEqual([]);
});

test("a change is saved where it stands and nowhere else", () => {
  const changed = (after: typeof GROUPS) => changedOptions(GROUPS, after, TEXTS);
  expect(changed(withRow(GROUPS, "vip", { ratio: "0.5" }))).toEqual(["GroupRatio"]);
  expect(changed(withRow(GROUPS, "vip", { topUp: "1" }))).toEqual(["TopupGroupRatio"]);
  expect(changed(withRow(GROUPS, "vip", { description: "Paying" }))).toEqual(["UserUsableGroups"]);
  expect(changed(moved(GROUPS, "default", -1))).toEqual(["AutoGroups"]);
  expect(changed({ ...GROUPS, autoDescription: undefined })).toEqual(["UserUsableGroups"]);
  expect(changed(withoutGroup(GROUPS, "vip"))).toEqual(["GroupRatio", "AutoGroups", "TopupGroupRatio"]);
  expect(changed(withGroup(GROUPS, "new"))).toEqual(["GroupRatio"]);
});

test("a new name stands in every option", () => {
  const texts = writeGroups(renamed(GROUPS, "vip", "gold"), TEXTS);
  expect(JSON.parse(texts.GroupRatio)).toEqual({ default: 1, gold: 0.8 });
  expect(JSON.parse(texts.AutoGroups)).toEqual(["gold", "default"]);
  expect(JSON.parse(texts.TopupGroupRatio)).toEqual({ gold: 0.9, elsewhere: 2 });
});

test("the order moves one step at a time and not over its ends", () => {
  expect(moved(GROUPS, "vip", 1).auto).toEqual(["default", "vip"]);
  expect(moved(GROUPS, "vip", -1).auto).toEqual(["vip", "default"]);
  expect(moved(GROUPS, "ghost", 1).auto).toEqual(["vip", "default"]);
  expect(toggledAuto(GROUPS, "vip").auto).toEqual(["default"]);
  expect(toggledAuto(GROUPS, "ghost").auto).toEqual(["vip", "default", "ghost"]);
});

describe("what is refused before it is sent", () => {
  const row = { name: "g", ratio: "1", description: undefined, topUp: "" };
  test.each([
    ["1", "", undefined],
    ["0", "", undefined],
    ["0.25", "1.5", undefined],
    ["-1", "", "ratio"],
    ["NaN", "", "ratio"],
    ["1e308", "", "ratio"],
    ["1,5", "", "ratio"],
    ["1000001", "", "ratioLarge"],
    ["", "", "noRatio"],
    ["1", "x", "topUp"],
  ])("ratio %j with top-up %j: %s", (ratio, topUp, problem) => {
    expect(problemOfRow({ ...row, ratio, topUp })).toBe(problem);
  });
  test.each([
    ["", "empty"],
    ["vip", "taken"],
    [" vip ", "taken"],
    ["auto", "reserved"],
    ["a,b", "characters"],
    ["a\u200bb", "characters"],
    ["x".repeat(65), "long"],
    ["gold", undefined],
  ])("the name %j: %s", (name, problem) => {
    expect(problemOfName(name, GROUPS)).toBe(problem);
  });
  test("a group of ratio 0 is free", () => {
    expect(["0", "0.0", "0.1", ""].map((ratio) => isFree({ ...row, ratio }))).toEqual([true, true, false, false]);
  });
});
