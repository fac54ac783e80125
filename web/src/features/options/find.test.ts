/** The search of settings: by any language's words and by synonyms, without filler; names come before texts, and all words before some. */
import { expect, test } from "vitest";
import { OPTION_NAMES, optionDefinition } from "../../../../contract/src/options/options.ts";
import { OPTION_PAGES, OPTION_SECTIONS } from "../../../../contract/src/options/sections.ts";
import { findSettings, type Setting } from "./find.ts";
import { OPTION_SYNONYMS, SECTION_SYNONYMS } from "./synonyms.ts";

const setting = (id: string, label: string, other: string, more: Partial<Setting> = {}): Setting => ({
  id,
  kind: "option",
  label,
  place: "",
  address: "",
  names: `${label}\n${other}\n${id}`.toLowerCase(),
  synonyms: [],
  texts: "",
  isSwitch: false,
  ...more,
});

const SETTINGS = [
  setting("SMTPToken", "SMTP password", "SMTP 密码", { texts: "password of the account" }),
  setting("PasswordLoginEnabled", "Log in with a password", "允许密码登录"),
  setting("PasswordRegisterEnabled", "Password registration", "允许密码注册"),
  setting("RegisterEnabled", "Open sign-up", "开放注册", { synonyms: ["registration", "new accounts", "注册"] }),
  setting("QuotaPerUnit", "Quota per dollar", "每美元额度", { texts: "do not change it once there are balances" }),
];
const found = (text: string, most = 10): string[] => findSettings(SETTINGS, text, most).map(({ id }) => id);

test("finds by label, technical name, help and the other language's words", () => {
  expect(found("quotaperunit")).toEqual(["QuotaPerUnit"]);
  expect(found("balances")).toEqual(["QuotaPerUnit"]);
  expect(found("额度")).toEqual(["QuotaPerUnit"]);
});

test("words count in any order and case; those that have only some come where none has all", () => {
  expect(found("Password SMTP")).toEqual(["SMTPToken"]);
  expect(found("dollar conversion")).toEqual(["QuotaPerUnit"]);
  expect(found("nothing has this")).toEqual([]);
});

test("what one wants to do is no word of the setting, and a synonym comes first", () => {
  for (const text of ["disable registration", "turn off registration", "关闭注册", "how to disable the registration"])
    expect([text, found(text)[0]]).toEqual([text, "RegisterEnabled"]);
  expect(found("new accounts")).toEqual(["RegisterEnabled"]);
});

test("a label that begins with the text comes first, no more than asked for, and none for nothing", () => {
  expect(found("password")).toEqual(["PasswordRegisterEnabled", "SMTPToken", "PasswordLoginEnabled"]);
  expect(found("password", 1)).toEqual(["PasswordRegisterEnabled"]);
  expect(found("  ")).toEqual([]);
});

const SECTIONS: readonly string[] = OPTION_PAGES.flatMap((page): readonly string[] => OPTION_SECTIONS[page]);
const ALL = [...Object.entries(SECTION_SYNONYMS), ...Object.entries(OPTION_SYNONYMS)];

test("each setting has other words in both languages, by itself or by its section, and no synonym is of a setting that is none", () => {
  expect(SECTIONS.filter((section) => !(section in SECTION_SYNONYMS))).toEqual([]);
  expect(Object.keys(SECTION_SYNONYMS).filter((section) => !SECTIONS.includes(section))).toEqual([]);
  const names: readonly string[] = OPTION_NAMES;
  expect(Object.keys(OPTION_SYNONYMS).filter((name) => !names.includes(name))).toEqual([]);
  expect(OPTION_NAMES.filter((name) => !SECTIONS.includes(optionDefinition(name).section))).toEqual([]);
  expect(ALL.filter(([, { en, zh }]) => !/^[a-z\d]/.test(en) || !/\p{Script=Han}/u.test(zh))).toEqual([]);
});
