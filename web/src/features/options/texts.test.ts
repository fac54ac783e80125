/** Tests of the texts of settings: every option, section and choice is explained in both languages, and no text is left of a removed one. */
import { describe, expect, test } from "vitest";
import { OPTION_UNITS } from "../../../../contract/src/options/option-kinds.ts";
import { OPTION_NAMES, optionDefinition } from "../../../../contract/src/options/options.ts";
import { OPTION_PAGES, OPTION_SECTIONS, pageOfSection } from "../../../../contract/src/options/sections.ts";
import { settingTexts, tabTexts } from "../../../../tests/support/operators/texts.ts";

/** Dotted keys of all texts under a value. */
const keysOf = (value: unknown, prefix: string): string[] =>
  typeof value === "string"
    ? [prefix]
    : Object.entries(value as object).flatMap(([key, inner]) => keysOf(inner, `${prefix}.${key}`));

/** What is said while these are being changed. */
const WARNED = new Set<string>(["QuotaPerUnit", "DemoSiteEnabled", "SelfUseModeEnabled"]);

const expectedOptionKeys = OPTION_NAMES.flatMap((name) => [
  `option.${name}.label`,
  `option.${name}.help`,
  ...(WARNED.has(name) ? [`option.${name}.warning`] : []),
  // Browsers know the names of currencies.
  ...(name === "StripeCurrency" ? [] : (optionDefinition(name).choices ?? [])).map(
    (choice) => `option.${name}.choice.${choice}`,
  ),
]);
const expectedSectionKeys = OPTION_PAGES.flatMap((page) => OPTION_SECTIONS[page]).flatMap((section) => [
  `section.${section}.title`,
  `section.${section}.purpose`,
]);

const english = settingTexts("en");
const chinese = settingTexts("zh");

describe.each([
  ["English", "en", english],
  ["Chinese", "zh", chinese],
] as const)("the settings page in %s", (_name, language, texts) => {
  test("names and explains every option and its choices, and nothing else", () => {
    expect(keysOf(texts.option, "option").toSorted()).toEqual(expectedOptionKeys.toSorted());
  });

  test.each(OPTION_PAGES)("has the texts of the sections and options of the tab %s with that tab", (page) => {
    const names = OPTION_NAMES.filter((name) => pageOfSection(optionDefinition(name).section) === page);
    const { option, section } = tabTexts(language, page);
    expect(Object.keys(section)).toEqual([...OPTION_SECTIONS[page]]);
    const labelled = keysOf(option, "").filter((key) => key.endsWith(".label"));
    expect(labelled.toSorted()).toEqual(names.map((name) => `.${name}.label`).toSorted());
  });

  test("names every section and says what it is for", () => {
    expect(keysOf(texts.section, "section").toSorted()).toEqual(expectedSectionKeys.toSorted());
  });

  test("names every tab and unit", () => {
    expect(Object.keys(texts.page)).toEqual([...OPTION_PAGES]);
    const units = new Set(Object.keys(texts.unit).map((key) => key.replace(/_(?:one|other)$/, "")));
    expect([...units].toSorted()).toEqual([...OPTION_UNITS].toSorted());
  });

  test("gives no two options of a section the same label", () => {
    const labelOf = (name: string): unknown =>
      name.split(".").reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], texts.option);
    const labels = OPTION_NAMES.map(
      (name) => `${optionDefinition(name).section}: ${(labelOf(name) as { label: string }).label}`,
    );
    expect(new Set(labels).size).toBe(labels.length);
  });
});

/** Names of products are the same in both. */
const PRODUCTS = new Set(["SearXNG", "Brave Search", "Tavily", "Exa"]);

test("the two languages are not each other's", () => {
  const texts = (value: unknown): string[] =>
    typeof value === "string" ? [value] : Object.values(value as object).flatMap(texts);
  expect(texts(english.option).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([]);
  const untranslated = texts(chinese.option).filter((text) => !/\p{Script=Han}/u.test(text) && !PRODUCTS.has(text));
  expect(untranslated).toEqual([]);
});
