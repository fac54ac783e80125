/** Both languages say everything: the same files, the same keys, the same placeholders. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERRORS } from "../../../contract/src/errors.ts";

const folder = (language: string): URL => new URL(`./${language}/`, import.meta.url);
const files = readdirSync(folder("en")).toSorted();

/** Every text of a file by its dotted key. */
function textsOf(value: unknown, prefix = ""): [string, string][] {
  if (typeof value === "string") return [[prefix, value]];
  return Object.entries(value as object).flatMap(([key, inner]) =>
    textsOf(inner, prefix === "" ? key : `${prefix}.${key}`),
  );
}

const read = (language: string, file: string): Map<string, string> =>
  new Map(textsOf(JSON.parse(readFileSync(new URL(file, folder(language)), "utf8"))));
/** Chinese has one form where English has two: a key of a plural stands for all its forms. */
const ofAllForms = (key: string): string => key.replace(/_one$/, "_other");
const keysOf = (texts: Map<string, string>): string[] => [...new Set([...texts.keys()].map(ofAllForms))].toSorted();
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)/g)].map((match) => match[1] ?? "").toSorted();

test("every English file has a Chinese one", () => {
  expect(readdirSync(folder("zh")).toSorted()).toEqual(files);
});

test.each(files)("%s has the same keys in both languages, none empty", (file) => {
  const [english, chinese] = [read("en", file), read("zh", file)];
  expect(keysOf(chinese)).toEqual(keysOf(english));
  expect([...english, ...chinese].filter(([, text]) => text.trim() === "")).toEqual([]);
});

test.each(files)("%s fills the same placeholders in both languages", (file) => {
  const chinese = read("zh", file);
  for (const [key, text] of read("en", file)) {
    // A singular may leave its number out: "Channel created".
    const isSingular = key.endsWith("_one") && !chinese.has(key);
    const filled = (sentence: string) => placeholders(sentence).filter((name) => !isSingular || name !== "count");
    expect([key, filled(chinese.get(key) ?? chinese.get(ofAllForms(key)) ?? "")]).toEqual([key, filled(text)]);
  }
});

/** These have one sentence for their HTTP status, in errors.json (spec section 8). */
const BY_STATUS = ["too_many_requests", "demo_site", "internal"];

test("every error code has its sentence", () => {
  const codes = Object.keys(ERRORS).filter((code) => !BY_STATUS.includes(code));
  expect([...read("en", "error-codes.json").keys()].toSorted()).toEqual(codes.toSorted());
});
