/** All settings with the words they can be found by, for the search of the page and for the command palette. */
import type { OptionDescription } from "../../../../contract/src/features/options.ts";
import { OPTION_PAGES, OPTION_SECTIONS, pageOfSection } from "../../../../contract/src/options/sections.ts";
import { type Language, language, LANGUAGES, textIn } from "../../lib/i18n.ts";
import type { Setting } from "./find.ts";
import { OPTION_SYNONYMS, SECTION_SYNONYMS, type Synonyms } from "./synonyms.ts";
import { loadAllTabTexts } from "./tab-texts.tsx";

/** A text in one language; "" where there is none. */
const textOf = (code: Language, key: string): string => textIn(code, "options", key) ?? "";

const own = (key: string): string => textOf(language(), key);
const inAll = (keys: readonly string[]): string =>
  LANGUAGES.flatMap(({ code }) => keys.map((key) => textOf(code, key)))
    .join("\n")
    .toLowerCase();

const placeOf = (section: string): string =>
  `${own(`page.${pageOfSection(section)}`)} › ${own(`section.${section}.title`)}`;

/** In both languages, each phrase by itself. */
const phrasesOf = (synonyms: Synonyms | undefined): string[] =>
  synonyms === undefined ? [] : `${synonyms.en},${synonyms.zh}`.split(",").map((phrase) => phrase.trim().toLowerCase());

function optionSetting({ key, kind, section, choices = [] }: OptionDescription): Setting {
  const choiceKeys = choices.map((choice) => `option.${key}.choice.${choice}`);
  return {
    id: key,
    kind: "option",
    label: own(`option.${key}.label`) || key,
    place: placeOf(section),
    address: `/setting?option=${encodeURIComponent(key)}`,
    names: `${inAll([`option.${key}.label`])}\n${key.toLowerCase()}`,
    synonyms: phrasesOf(OPTION_SYNONYMS[key]),
    texts: [
      inAll([`option.${key}.help`, `section.${section}.title`, ...choiceKeys]),
      ...phrasesOf(SECTION_SYNONYMS[section]),
    ].join("\n"),
    isSwitch: kind === "boolean",
  };
}

const sectionSetting = (section: string): Setting => ({
  id: section,
  kind: "section",
  label: own(`section.${section}.title`),
  place: own(`page.${pageOfSection(section)}`),
  address: `/setting?tab=${pageOfSection(section)}&section=${section}`,
  names: inAll([`section.${section}.title`]),
  synonyms: phrasesOf(SECTION_SYNONYMS[section]),
  texts: inAll([`section.${section}.purpose`]),
  isSwitch: false,
});

/** Sections first, so that their name leads to the whole; labels are in the language shown. */
export async function settingIndex(descriptions: readonly OptionDescription[]): Promise<readonly Setting[]> {
  await Promise.all(LANGUAGES.map(({ code }) => loadAllTabTexts(code)));
  const sections = OPTION_PAGES.flatMap((page): readonly string[] => OPTION_SECTIONS[page]);
  return [...sections.map(sectionSetting), ...descriptions.map(optionSetting)];
}
