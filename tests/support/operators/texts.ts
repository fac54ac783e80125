/** The console's own texts in a language, for tests of pages in both. */
import { readFileSync } from "node:fs";
import { OPTION_PAGES, type OptionPage } from "../../../contract/src/options/sections.ts";
import type english from "../../../web/src/locales/en/options.json";
import type { Language } from "../systems/browser.ts";

/** `channels:form.name` or, of the file that was named first, `form.name`; `count` chooses the plural. */
export type Texts = (key: string, values?: Readonly<Record<string, string | number>>) => string;

type Tree = { [name: string]: Tree | string };

interface TabTexts {
  option: Tree;
  section: Readonly<Record<string, { title: string; purpose: string }>>;
}

type SettingTexts = typeof english & TabTexts;

/** One tree of texts with all of another: `general_setting` has options on several tabs. */
const joined = (left: Tree, right: Tree): Tree => {
  const whole = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const known = whole[name];
    whole[name] = typeof value === "object" && typeof known === "object" ? joined(known, value) : value;
  }
  return whole;
};

const FOLDER = new URL("../../../web/src/locales/", import.meta.url);

const read = (language: Language, name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${language}/${name}.json`, FOLDER), "utf8"));

/** The texts of a feature, of its parts too. */
const fileOf = (language: Language, name: string): unknown =>
  name === "options" ? settingTexts(language) : read(language, name);

/** The texts of one tab of the settings page: its sections and their options. */
export const tabTexts = (language: Language, page: OptionPage): TabTexts =>
  read(language, `options.${page}`) as TabTexts;

/** All texts of the settings page: those of the page, and of each of its tabs. */
export function settingTexts(language: Language): SettingTexts {
  const tabs = OPTION_PAGES.map((page) => tabTexts(language, page));
  return {
    ...(read(language, "options") as typeof english),
    section: Object.assign({}, ...tabs.map(({ section }) => section)) as TabTexts["section"],
    option: tabs.map(({ option }) => option).reduce(joined, {}),
  };
}

const at = (file: unknown, key: string): unknown =>
  key.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], file);

/** Gives a function that throws for a text that the language does not have. @param files the first is meant where a key names none */
export function textsOf(language: Language, ...files: readonly [string, ...string[]]): Texts {
  const loaded = new Map(files.map((name) => [name, fileOf(language, name)]));
  const plurals = new Intl.PluralRules(language);
  return (key, values = {}) => {
    const [file, name] = key.includes(":") ? (key.split(":") as [string, string]) : [files[0], key];
    const found =
      at(loaded.get(file), name) ?? at(loaded.get(file), `${name}_${plurals.select(Number(values["count"] ?? 0))}`);
    if (typeof found !== "string") throw new Error(`${language} has no text ${key}`);
    return found.replaceAll(/\{\{(\w+)\}\}/g, (_, value: string) => String(values[value] ?? ""));
  };
}
