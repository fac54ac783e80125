/** Walks the whole catalogue: each option is on a screen, takes another value in its own editor, is read back, and comes into force in a second process. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { OptionRow } from "../../../contract/src/features/options.ts";
import { OPTION_NAMES, type OptionName, optionDefinition } from "../../../contract/src/options/options.ts";
import {
  OPTION_PAGES,
  OPTION_SECTIONS,
  type OptionPage,
  type OptionSection,
  pageOfSection,
} from "../../../contract/src/options/sections.ts";
import { type RunningApp, startApp } from "../../../server/src/app.ts";
import { workingWayFact } from "../../../server/src/console/accounts/sign-in.ts";
import { createLogger } from "../../../server/src/observe/logger.ts";
import { createTestPlace, type TestPlace } from "../../support/databases/databases.ts";
import {
  keepPicture,
  logInOn,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
  type WatchedPage,
} from "../../support/systems/browser.ts";
import { addFactor, ROOT_PASSWORD, setUp, TestClient } from "../../support/systems/server.ts";
import { settingTexts } from "../../support/operators/texts.ts";
import PRICE_TEXTS from "../../../web/src/locales/en/prices.json" with { type: "json" };
import { otherValue } from "./other-values.ts";

const TEXTS = settingTexts("en");
const logger = createLogger({ level: "silent" });

let place: TestPlace;
let otherFolder: string;
let app: RunningApp;
let second: RunningApp;
let root: TestClient;
let browser: Browser;
let tab: WatchedPage;
let page: Page;

beforeAll(async () => {
  place = await createTestPlace("postgres", { env: { GLOBAL_API_RATE_LIMIT_ENABLE: "false" } });
  otherFolder = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  app = await startApp(place.config, { logger, webDirectory: WEB_DIRECTORY });
  const stop = () => app.close();
  root = await setUp({ app, client: () => new TestClient(app.url), stop });
  second = await startApp({ ...place.config, dataDir: otherFolder }, { logger, webDirectory: WEB_DIRECTORY });
  // Without a way in that is known to work, the password cannot be switched off.
  await app.foundation.database.kysely
    .insertInto("facts")
    .values({ name: workingWayFact("github"), value: "1" })
    .execute();
  // Without a second factor of one's own none can be demanded.
  await addFactor({ app }, root.userId);
  browser = await startBrowser();
  tab = await openPage(await openContext(browser));
  ({ page } = tab);
  await logInOn(page, app.url, "root", ROOT_PASSWORD);
});
afterAll(async () => {
  await browser?.close();
  await second?.close();
  await app?.close();
  await place?.remove();
  await rm(otherFolder, { recursive: true, force: true });
});
afterEach(({ task }) => keepPicture(page, task));

const rowOf = (name: string): Locator => page.locator(`[data-option="${name}"]`);
const controlOf = (name: string): Locator => page.locator(`[id="option-${name}-control"]`);
const button = (name: string | RegExp): Locator => page.getByRole("button", { name });

async function flip(name: OptionName): Promise<void> {
  await controlOf(name).focus();
  await page.keyboard.press("Space");
  if (name === "PasswordLoginEnabled") await button("Turn it off").click();
}

async function replaceDomains(name: OptionName, domain: string): Promise<void> {
  for (const remove = rowOf(name).locator("li button").first(); (await remove.count()) > 0;) await remove.click();
  await controlOf(name).fill(domain);
  await page.keyboard.press("Enter");
}

/** One link in place of all that are there. */
async function replaceLinks(text: string): Promise<void> {
  const row = rowOf("Chats");
  const [link = {}] = JSON.parse(text) as Record<string, string>[];
  const [[name, template] = ["", ""]] = Object.entries(link);
  for (const remove = row.getByRole("button", { name: /^Remove / }).first(); (await remove.count()) > 0;)
    await remove.click();
  await row.getByRole("button", { name: "Add link" }).click();
  await row.getByLabel("Name of link 1").fill(name);
  await row.getByLabel(`Template of ${name}`).fill(template);
}

/** Choices stand side by side, many of them in a list that opens. */
async function choose(name: OptionName, place: number): Promise<void> {
  const isList = (await controlOf(name).count()) > 0;
  if (isList) await controlOf(name).click();
  await (isList ? page.getByRole("listbox").getByRole("option") : rowOf(name).getByRole("radio")).nth(place).click();
}

/** Entries of the bars that the walk hides by their switch, as `otherValue` has it. */
const HIDDEN_ENTRIES: Partial<Record<OptionName, string>> = {
  HeaderNavModules: "About",
  SidebarModulesAdmin: "Dashboard",
};

/** Puts a value into the option's field, as a person does. */
async function enter(name: OptionName): Promise<void> {
  const text = otherValue(name);
  const { kind, choices = [] } = optionDefinition(name);
  if (name === "Chats") return replaceLinks(text);
  // Lists with an editor of their own; their rows are tested beside it.
  if (name.startsWith("console_setting.") && kind === "json")
    await rowOf(name).getByRole("button", { name: "Edit as JSON" }).click();
  const hidden = HIDDEN_ENTRIES[name];
  if (hidden !== undefined) return rowOf(name).getByText(hidden, { exact: true }).click();
  if (kind === "boolean") return flip(name);
  if (kind === "commaList") return replaceDomains(name, text);
  if (kind === "choice") return choose(name, choices.indexOf(text));
  await controlOf(name).fill(text);
}

/** Enters the options into the fields of the open tab and saves them at once. */
async function saveFields(names: readonly OptionName[]): Promise<void> {
  for (const name of names) await enter(name);
  await tab.settled();
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByRole("region", { name: "Unsaved changes" }).waitFor({ state: "detached" });
}

/** Each table in its own editor, then all of them after a look at what they change. */
async function saveTables(names: readonly OptionName[]): Promise<void> {
  for (const name of names) {
    const title = PRICE_TEXTS.tables.name[name as keyof typeof PRICE_TEXTS.tables.name];
    await page.getByRole("tab", { name: new RegExp(`^${title}`) }).click();
    const panel = page.getByRole("tabpanel");
    const { choices } = optionDefinition(name);
    if (choices !== undefined)
      await panel
        .getByRole("radio")
        .nth(choices.indexOf(otherValue(name)))
        .click();
    else await panel.getByRole("textbox", { name: title }).fill(otherValue(name));
  }
  await button("Review changes").click();
  await button(/^Save \d+ tables?$/).click();
  await page.getByText("Price tables saved").waitFor();
}

async function saveGroups(names: readonly OptionName[]): Promise<void> {
  await page.getByRole("radio", { name: "JSON" }).click();
  for (const name of names) {
    const texts: unknown = PRICE_TEXTS.groups.option;
    const title = name.split(".").reduce((inner, part) => (inner as Record<string, unknown>)[part], texts);
    await page.getByRole("textbox", { name: String(title), exact: true }).fill(otherValue(name));
  }
  await button("Save groups").click();
  await page.getByText("Groups saved").waitFor();
}

async function saveListAddress([name]: readonly OptionName[]): Promise<void> {
  if (name === undefined) return;
  await page.getByLabel("Address of the list").fill(otherValue(name));
  await button("Save address").click();
  await page.getByText("Address saved").waitFor();
}

/** Sections that stand alone on the page, with an editor of their own. */
const PANELS: Partial<Record<OptionSection, (names: readonly OptionName[]) => Promise<void>>> = {
  price_tables: saveTables,
  groups: saveGroups,
  price_list: saveListAddress,
};

async function storedRows(): Promise<ReadonlyMap<string, OptionRow>> {
  const { body } = await root.get("/api/option/");
  return new Map((body.data as OptionRow[]).map((row) => [row.key, row]));
}

/** What another process makes of an option, as it uses it. */
const inForce = (name: OptionName): unknown => second.foundation.snapshot.options[name];

interface Result {
  option: OptionName;
  place: string;
  result: string;
}

/** Holds that each option is stored as it was entered, and is in force in the second process. */
async function expectStored(names: readonly OptionName[], how: string): Promise<Result[]> {
  const savedAt = performance.now();
  const rows = await storedRows();
  return Promise.all(
    names.map(async (name) => {
      const { isSecret, section, read } = optionDefinition(name);
      const { value, normalised } = read(otherValue(name));
      const { value: stored = "", is_set: isSet } = rows.get(name) ?? {};
      expect({ name, stored, isSet }).toEqual({ name, stored: isSecret ? "" : normalised, isSet: normalised !== "" });
      await expect.poll(() => inForce(name), { message: name, interval: 20 }).toEqual(value);
      const seconds = ((performance.now() - savedAt) / 1000).toFixed(1);
      const result = `${how}, read back, in force elsewhere within ${seconds} s`;
      return { option: name, place: `${pageOfSection(section)} / ${section}`, result };
    }),
  );
}

const optionsOf = (section: OptionSection): readonly OptionName[] =>
  OPTION_NAMES.filter((name) => optionDefinition(name).section === section);
const go = (list: string, to: string): Promise<void> =>
  page.getByRole("navigation", { name: list, exact: true }).getByRole("button", { name: to, exact: true }).click();

/** A panel of the open tab: what it holds it saves itself. */
async function walkPanel(section: OptionSection, save: (names: readonly OptionName[]) => Promise<void>) {
  await go(TEXTS.sections, TEXTS.section[section]?.title ?? section);
  const names = optionsOf(section);
  await save(names);
  return expectStored(names, "saved in its own editor");
}

/** One tab: its fields, saved together, and its panels. Logging in comes last of all: it needs mail and another way in. */
async function walkTab(tabName: OptionPage): Promise<Result[]> {
  await go(TEXTS.tabs, TEXTS.page[tabName]);
  const sections: readonly OptionSection[] = OPTION_SECTIONS[tabName];
  const listed = sections.filter((section) => PANELS[section] === undefined && section !== "sign_in");
  const names = listed.flatMap(optionsOf);
  await saveFields(names);
  const results = await expectStored(names, "saved in its field");
  for (const section of sections) {
    const save = PANELS[section];
    if (save !== undefined) results.push(...(await walkPanel(section, save)));
  }
  if (!sections.includes("sign_in")) return results;
  await saveFields(optionsOf("sign_in"));
  return [...results, ...(await expectStored(optionsOf("sign_in"), "saved in its field"))];
}

/** The tab with the ways to log in stands last. */
const TABS: readonly OptionPage[] = [...OPTION_PAGES.filter((each) => each !== "system"), "system"];

test("every option is on a screen, saved there, read back, and in force in a second process", async () => {
  await page.goto(`${app.url}/setting`);
  await page.locator("main h2").first().waitFor();
  const results: Result[] = [];
  for (const each of TABS) results.push(...(await walkTab(each)));
  const width = Math.max(...results.map(({ option }) => option.length));
  console.log(
    results.map(({ option, place: at, result }) => `${option.padEnd(width)}  ${at.padEnd(28)} ${result}`).join("\n"),
  );
  expect(results.map(({ option }) => option).toSorted()).toEqual(OPTION_NAMES.toSorted());
}, 300_000);
