/** Rows of groups come from the options and go back without loss, and only what means something else is saved. */
import { describe, expect, test } from "vitest";
import {
  changedOptions,
  type GroupTexts,
  isFree,
  isRight,
  moved,
  problemOfName,
  problemOfPair,
  problemOfRow,
  problemOfSpecial,
  readGroups,
  renamed,
  toggledAuto,
  withGroup,
  withoutGroup,
  withPair,
  withSpecial,
  withRow,
  writeGroups,
} from "./groups.ts";

const TEXTS: GroupTexts = {
  GroupRatio: '{"default": 1, "vip": 0.80}',
  UserUsableGroups: '{"default": "Everybody\'s", "auto": "Whatever works", "ghost": "No ratio"}',
  GroupGroupRatio: '{"vip": {"default": 0.70, "vip": 0.5}}',
  "group_ratio_setting.group_special_usable_group":
    '{"vip": {"+:ghost": "For friends", "-:auto": ""}, "default": {"vip": "x"}}',
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

test("exceptions are rows too, renamed and removed with their groups", () => {
  expect(GROUPS.pairs).toMatchObject([
    { userGroup: "vip", group: "default", ratio: "0.70" },
    { userGroup: "vip", group: "vip", ratio: "0.5" },
  ]);
  expect(GROUPS.special).toMatchObject([
    { userGroup: "vip", group: "ghost", isTaken: false, description: "For friends" },
    { userGroup: "vip", group: "auto", isTaken: true },
    { userGroup: "default", group: "vip", isTaken: false, description: "x" },
  ]);
  const gold = writeGroups(renamed(GROUPS, "vip", "gold"), TEXTS);
  expect(JSON.parse(gold.GroupGroupRatio)).toEqual({ gold: { default: 0.7, gold: 0.5 } });
  expect(JSON.parse(gold["group_ratio_setting.group_special_usable_group"])).toEqual({
    gold: { "+:ghost": "For friends", "-:auto": "" },
    default: { "+:gold": "x" },
  });
  const none = writeGroups(withoutGroup(GROUPS, "vip"), TEXTS);
  expect([none.GroupGroupRatio, none["group_ratio_setting.group_special_usable_group"]]).toEqual(["{}", "{}"]);
});

test("an exception that says something twice, or takes a group from its own users, is not saved", () => {
  const [pair, special] = [GROUPS.pairs[0], GROUPS.special[0]];
  if (pair === undefined || special === undefined) throw new Error("no rows");
  expect([
    problemOfPair(pair, GROUPS),
    problemOfSpecial(special, GROUPS),
    isRight(withRow(GROUPS, "ghost", { ratio: "1" })),
  ]).toEqual([undefined, undefined, true]);
  expect(problemOfPair({ ...pair, group: "vip" }, GROUPS)).toBe("twice");
  expect(problemOfPair({ ...pair, ratio: "-1" }, GROUPS)).toBe("ratio");
  expect(problemOfSpecial({ ...special, group: "auto" }, GROUPS)).toBe("twice");
  expect(problemOfSpecial({ ...special, group: "vip", isTaken: true }, GROUPS)).toBe("own");
  expect(withPair(GROUPS).pairs.at(-1)).toEqual({ id: 2, userGroup: "default", group: "vip", ratio: "0.80" });
  expect(withSpecial(GROUPS).special.at(-1)).toMatchObject({ id: 3, userGroup: "default", group: "vip" });
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
  expect(changed(withoutGroup(GROUPS, "vip"))).toEqual([
    "GroupRatio",
    "GroupGroupRatio",
    "group_ratio_setting.group_special_usable_group",
    "AutoGroups",
    "TopupGroupRatio",
  ]);
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
