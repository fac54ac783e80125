/** Tests that every option is read: by the server, by the console from the status, or named here with what it waits for. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OPTION_NAMES, type OptionName } from "../contract/src/options/options.ts";

/** Features that are still to come, with the options that govern them. */
const WAITING: Readonly<Record<string, readonly OptionName[]>> = {};

const STATUS = "server/src/console/status/service.ts";

/** Files that name options without reading them: the catalogue, the settings' own machinery, and lists of names on the wire. */
const NO_READERS = [
  "contract/src/options/",
  "contract/src/features/",
  "contract/src/errors.ts",
  "contract/src/pricing/own-prices.ts",
  "contract/src/pricing/table-changes.ts",
  "server/src/console/options/",
  "server/src/console/prices/redundant.ts",
];
/** Readers among those folders. */
const READERS_INSIDE = [
  "contract/src/options/fetch-rules.ts",
  "server/src/console/options/site-checks.ts",
  "server/src/console/options/site-pictures.ts",
];

interface Source {
  path: string;
  text: string;
}

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");

const sourcesIn = (folder: string): Source[] =>
  readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
    .map((path) => ({ path, text: withoutComments(readFileSync(new URL(`../${path}`, import.meta.url), "utf8")) }));

const isReader = ({ path }: Source): boolean =>
  READERS_INSIDE.includes(path) || (path !== STATUS && !NO_READERS.some((start) => path.startsWith(start)));

const PRODUCT = [...sourcesIn("server/src"), ...sourcesIn("contract/src")].filter(isReader);
const CONSOLE = sourcesIn("web/src").filter(({ path }) => !/lib\/(?:status|storage)\.ts$/.test(path));
const STATUS_TEXT = sourcesIn("server/src/console/status").find(({ path }) => path === STATUS)?.text ?? "";

const escaped = (text: string): string => text.replaceAll(/[.[\]()]/g, String.raw`\$&`);

/** How code names an option: as a property, or in quotes where it has a dot. */
const namesOption = (name: OptionName): RegExp =>
  name.includes(".") ? new RegExp(`["']${escaped(name)}["']`) : new RegExp(`(?<!\\w)${name}(?!\\w)`);

/** Fields of the status that are made from an option. */
const statusFields = (name: OptionName): string[] =>
  STATUS_TEXT.split("\n").flatMap((line) => {
    const field = /^\s*(\w+):/.exec(line)?.[1];
    return field !== undefined && namesOption(name).test(line) ? [field] : [];
  });

/** Whether code of the console reads a field of the status. */
const showsField = (field: string): boolean => {
  const member = new RegExp(`(?:[sS]tatus(?:\\(\\))?|site)\\.${field}(?!\\w)`);
  const taken = new RegExp(
    `\\{[^{}]*(?<!\\w)${field}(?!\\w)[^{}]*\\}(?:: [^=]+)?\\s*=\\s*(?:useStatus|status|useSite)\\(`,
  );
  const given = new RegExp(`\\(\\{[^{}]*(?<!\\w)${field}(?!\\w)[^{}]*\\}: (?:Status|Pick<Status)`);
  // Some are kept in the browser's storage, where the side bar reads them.
  const kept = new RegExp(
    `STORAGE\\.${field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}(?!\\w)`,
  );
  return CONSOLE.some(({ text }) => [member, taken, given, kept].some((pattern) => pattern.test(text)));
};

/** Files that read the option, and fields of the status in which the console shows it. */
const readersOf = (name: OptionName): string[] => [
  ...PRODUCT.filter(({ text }) => namesOption(name).test(text)).map(({ path }) => path),
  ...statusFields(name)
    .filter(showsField)
    .map((field) => `status.${field}`),
];

const waiting = new Set<OptionName>(Object.values(WAITING).flat());

test.each(OPTION_NAMES.filter((name) => !waiting.has(name)))("%s is read", (name) => {
  expect(readersOf(name)).not.toEqual([]);
});

test.each([...waiting])("%s is read by nobody yet, as its feature is still to come", (name) => {
  expect(readersOf(name)).toEqual([]);
});

test("an option that nobody knows has no readers, and one of a price has those that charge by it", () => {
  expect(readersOf("NoSuchOption" as OptionName)).toEqual([]);
  expect(readersOf("ModelRatio")).toContain("server/src/prices/prices.ts");
  expect(readersOf("DataExportInterval")).toEqual(["status.data_export_interval"]);
});
