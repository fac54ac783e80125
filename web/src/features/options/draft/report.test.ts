/** Tests of what a save says that did not store everything: each thing once, with who changed what and what can be done. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { ApiError } from "../../../lib/api.ts";
import { addTexts, type Language, translator } from "../../../lib/i18n.ts";
import type { Texts } from "../../../lib/translate.ts";
import { reportOf, type Report } from "./report.ts";
import type { Change, Failure } from "./save.ts";

const LABELS: Readonly<Record<string, string>> = { Quota: "Start quota", Retry: "Retries", Checks: "Checks" };
const rows = [
  { key: "Quota", updated_by: "root" },
  { key: "Retry", updated_by: "" },
];

const overtaken = (option: string): Failure => ({
  option,
  error: new ApiError("Refused", { status: 409, code: "option_changed", endpoint: "PUT /api/option/" }),
});
const refused = (option: string): Failure => ({ option, error: new Error("The disk is full") });
const change = (option: string): Change => ({ option, value: "1", revision: 0, isSwitch: false });

const report = (language: Language, outcome: Partial<Parameters<typeof reportOf>[0]>): Report | undefined =>
  reportOf(
    { saved: [], failed: [], held: [], ...outcome },
    { t: translator("options", language), labelOf: (option) => LABELS[option] ?? option, rows },
  );
const times = (text: string, word: string): number => text.split(word).length - 1;

beforeAll(() => {
  for (const language of ["en", "zh"] as const) {
    const file = new URL(`../../../locales/${language}/options.json`, import.meta.url);
    addTexts(language, "options", JSON.parse(readFileSync(file, "utf8")) as Texts);
  }
});

describe.each([
  { language: "en", notSaved: "Not saved", choices: ["keep yours", "take theirs"], other: "Somebody" },
  { language: "zh", notSaved: "未保存", choices: ["保留您的", "采用对方的"], other: "其他管理员" },
] as const)("in $language", ({ language, notSaved, choices, other }) => {
  test("an option that another user changed meanwhile: once that it is not saved, who changed what, and the choice", () => {
    const said = report(language, { failed: [overtaken("Quota")] });
    const whole = `${said?.title}\n${said?.text}`;
    expect(times(whole, notSaved)).toBe(1);
    expect(times(whole, "Start quota")).toBe(1);
    for (const word of ["root", ...choices]) expect(whole).toContain(word);
  });

  test("where it is not known who changed it, it is somebody else", () => {
    expect(report(language, { failed: [overtaken("Retry")] })?.text).toContain(other);
  });

  test("each option is named once, by what became of it", () => {
    const said = report(language, { failed: [overtaken("Quota"), refused("Retry")], held: [change("Checks")] });
    expect(said?.text.split("\n")).toHaveLength(3);
    for (const label of Object.values(LABELS)) expect(times(`${said?.title}${said?.text}`, label)).toBe(1);
  });

  test("beside what was saved, the conflict is said as well", () => {
    const said = report(language, { saved: [change("Checks")], failed: [overtaken("Quota")] });
    for (const word of ["Checks", "Start quota", "root", ...choices]) expect(said?.text).toContain(word);
    expect(times(`${said?.title}${said?.text}`, notSaved)).toBe(1);
  });
});

test("nothing is said where all is stored, or where the confirmation was given up before anything was", () => {
  expect(report("en", { saved: [change("Quota")] })).toBeUndefined();
  expect(report("en", { held: [change("Quota")] })).toBeUndefined();
});
