/** Writes docs/option-list.md: every option of the console with its default, bounds, owner and meaning, tab by tab as on the settings page. */
import { OPTION_NAMES, type OptionName, optionDefinition } from "../contract/src/options/options.ts";
import { OPTION_PAGES, OPTION_SECTIONS, type OptionSection } from "../contract/src/options/sections.ts";
import general from "../web/src/locales/en/options.json" with { type: "json" };
import models from "../web/src/locales/en/options.models.json" with { type: "json" };
import operation from "../web/src/locales/en/options.operation.json" with { type: "json" };
import other from "../web/src/locales/en/options.other.json" with { type: "json" };
import ratelimit from "../web/src/locales/en/options.ratelimit.json" with { type: "json" };
import system from "../web/src/locales/en/options.system.json" with { type: "json" };

/** The console's own words, by tab. */
const WORDS: Readonly<Record<(typeof OPTION_PAGES)[number], unknown>> = { operation, ratelimit, models, system, other };
/** A default that is longer is not shown; the settings page has it. */
const LONGEST_DEFAULT = 24;

/** The text at a path of a locale file; "" where there is none. */
function wordsAt(root: unknown, path: readonly string[]): string {
  let found = root;
  for (const step of path) found = typeof found === "object" && found !== null ? Reflect.get(found, step) : undefined;
  return typeof found === "string" ? found : "";
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");

function valueOf(name: OptionName): string {
  const { kind, choices, minimum, maximum, unit, isSecret } = optionDefinition(name);
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [`up to ${maximum}`]),
  ];
  const what = choices === undefined ? kind : choices.map((choice) => `\`${choice}\``).join(", ");
  return [isSecret ? "secret" : what, ...bounds, ...(unit === undefined ? [] : [unit])].join(", ");
}

/** The default behind its kind: `boolean; default true`. */
function defaultOf(name: OptionName): string {
  const { defaultText } = optionDefinition(name);
  if (defaultText === "") return "";
  const isLong = defaultText.length > LONGEST_DEFAULT || defaultText.includes("\n");
  return isLong ? "; has a default" : `; default \`${defaultText}\``;
}

function row(name: OptionName, words: unknown): string {
  const at = ["option", ...name.split(".")];
  const [label, help] = [wordsAt(words, [...at, "label"]), wordsAt(words, [...at, "help"])];
  const meaning = [label, help].filter((text) => text !== "").join(". ");
  const value = `${valueOf(name)}${defaultOf(name)}`;
  return `| \`${name}\` | ${cell(value)} | ${optionDefinition(name).owner} | ${cell(meaning)} |`;
}

function sectionText(section: OptionSection, words: unknown): string[] {
  const names = OPTION_NAMES.filter((name) => optionDefinition(name).section === section);
  if (names.length === 0) return [];
  const head = ["| option | value | owner | meaning |", "| --- | --- | --- | --- |"];
  return [
    `### ${wordsAt(words, ["section", section, "title"])}`,
    "",
    ...head,
    ...names.map((name) => row(name, words)),
    "",
  ];
}

/** The page, in the order of the settings page. */
export function optionPage(): string {
  const tabs = OPTION_PAGES.flatMap((tab) => [
    `## ${wordsAt(general, ["page", tab])}`,
    "",
    ...OPTION_SECTIONS[tab].flatMap((section) => sectionText(section, WORDS[tab])),
  ]);
  return [
    "<!-- Made by `npm run generate` from contract/src/options/catalogue.ts and the console's texts; do not edit. -->",
    "",
    "# Every option",
    "",
    "What is set in the console (`/setting`) or by `PUT /api/option`, by tab and section. Who may set what, and why: [options.md](options.md). What",
    "is read once at the start is a variable: [configuration.md](configuration.md).",
    "",
    ...tabs,
  ].join("\n");
}
