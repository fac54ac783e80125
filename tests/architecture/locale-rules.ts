/** Checks that the two languages have the same files, the same keys and the same placeholders, with nothing left empty. */
import type { Breach, SourceFile } from "./tree.ts";

const LANGUAGES = ["en", "zh"] as const;
const PLURAL = /_(?:zero|one|two|few|many|other)$/;

/** Texts by dotted key; the plural forms of one text count as one key, since languages have different numbers of them. */
function flatten(value: unknown, prefix = ""): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  if (typeof value !== "object" || value === null) {
    const key = prefix.replace(PLURAL, "");
    return texts.set(key, [String(value)]);
  }
  for (const [name, child] of Object.entries(value)) {
    for (const [key, found] of flatten(child, prefix === "" ? name : `${prefix}.${name}`)) {
      texts.set(key, [...(texts.get(key) ?? []), ...found]);
    }
  }
  return texts;
}

/** `{{count}}` may be left out of a plural form, so it is not compared. */
const placeholders = (texts: readonly string[]): string =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(/\{\{\s*([\w.]+)/g)].map(([, name]) => name)))]
    .filter((name) => name !== "count")
    .sort()
    .join(",");

function compare(name: string, left: Map<string, string[]>, right: Map<string, string[]>, language: string): Breach[] {
  const path = `web/src/locales/${language}/${name}`;
  return [...left].flatMap(([key, texts]) => {
    const other = right.get(key);
    if (other === undefined) return [{ path, rule: "locales", message: `has no "${key}"` }];
    if (other.some((text) => text.trim() === "")) return [{ path, rule: "locales", message: `"${key}" is empty` }];
    if (placeholders(texts) === placeholders(other)) return [];
    return [{ path, rule: "locales", message: `"${key}" has other placeholders than its translation` }];
  });
}

/** Breaches between the locale files of the tree. */
export function checkLocales(files: readonly SourceFile[]): Breach[] {
  const byName = new Map<string, Partial<Record<string, Map<string, string[]>>>>();
  for (const { path, text } of files) {
    const [, language, name] = /^web\/src\/locales\/(en|zh)\/(.+\.json)$/.exec(path) ?? [];
    if (language === undefined || name === undefined) continue;
    byName.set(name, { ...byName.get(name), [language]: flatten(JSON.parse(text) as unknown) });
  }
  return [...byName].flatMap(([name, languages]) => {
    const [en, zh] = LANGUAGES.map((language) => languages[language] ?? new Map<string, string[]>());
    return [
      ...compare(name, en ?? new Map(), zh ?? new Map(), "zh"),
      ...compare(name, zh ?? new Map(), en ?? new Map(), "en"),
    ];
  });
}
