/** The console's own texts in a language, for tests of pages in both. */
import { readFileSync } from "node:fs";
import type { Language } from "../systems/browser.ts";

/** `channels:form.name` or, of the file that was named first, `form.name`; `count` chooses the plural. */
export type Texts = (key: string, values?: Readonly<Record<string, string | number>>) => string;

const FOLDER = new URL("../../../web/src/locales/", import.meta.url);

const fileOf = (language: Language, name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${language}/${name}.json`, FOLDER), "utf8"));

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
