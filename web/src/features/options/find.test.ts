/** The search of settings: every word counts, names come before texts, and a label that begins with the text comes first. */
import { expect, test } from "vitest";
import { findSettings, type Setting } from "./find.ts";

const setting = (id: string, label: string, other: string, texts = ""): Setting => ({
  id,
  kind: "option",
  label,
  place: "",
  address: "",
  names: `${label}\n${other}\n${id}`.toLowerCase(),
  texts: texts.toLowerCase(),
});

const SETTINGS = [
  setting("SMTPToken", "SMTP password", "SMTP 密码", "password of the account"),
  setting("PasswordLoginEnabled", "Log in with a password", "允许密码登录"),
  setting("PasswordRegisterEnabled", "Password registration", "允许密码注册"),
  setting("QuotaPerUnit", "Quota per dollar", "每美元额度", "do not change it once there are balances"),
];
const found = (text: string, most = 10): string[] => findSettings(SETTINGS, text, most).map(({ id }) => id);

test("finds by label, technical name, help and the other language's words", () => {
  expect(found("quotaperunit")).toEqual(["QuotaPerUnit"]);
  expect(found("balances")).toEqual(["QuotaPerUnit"]);
  expect(found("额度")).toEqual(["QuotaPerUnit"]);
});

test("every word has to be there, in any order and case", () => {
  expect(found("Password SMTP")).toEqual(["SMTPToken"]);
  expect(found("password dollar")).toEqual([]);
});

test("a label that begins with the text comes first, no more than asked for, and none for nothing", () => {
  expect(found("password")).toEqual(["PasswordRegisterEnabled", "SMTPToken", "PasswordLoginEnabled"]);
  expect(found("password", 1)).toEqual(["PasswordRegisterEnabled"]);
  expect(found("  ")).toEqual([]);
});
