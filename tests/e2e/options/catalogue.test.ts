/** Walks the whole catalogue: each option is on a screen, takes another value there, is read back, and comes into force in a second process. */
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
import { ROOT_PASSWORD, setUp, TestClient } from "../../support/systems/server.ts";
import { otherValue } from "./other-values.ts";

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

async function flip(name: OptionName): Promise<void> {
  await controlOf(name).focus();
  await page.keyboard.press("Space");
  if (name === "PasswordLoginEnabled") await page.getByRole("button", { name: "Turn it off" }).click();
}

async function typeJson(name: OptionName, text: string): Promise<void> {
  await rowOf(name).locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

async function replaceDomains(name: OptionName, domain: string): Promise<void> {
  for (const remove = rowOf(name).locator("li button").first(); (await remove.count()) > 0;) await remove.click();
  await controlOf(name).fill(domain);
  await page.keyboard.press("Enter");
}

/** Puts a value into the option's field, as a person does. */
async function enter(name: OptionName, text: string): Promise<void> {
  const { kind, choices = [] } = optionDefinition(name);
  if (kind === "boolean") return flip(name);
  if (kind === "json") return typeJson(name, text);
  if (kind === "commaList") return replaceDomains(name, text);
  if (kind === "choice") return rowOf(name).getByRole("radio").nth(choices.indexOf(text)).click();
  await controlOf(name).fill(text);
}

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
  const results: Result[] = [];
  for (const name of names) {
    const { isSecret, section, read } = optionDefinition(name);
    const { value, normalised } = read(otherValue(name));
    const { value: stored = "", is_set: isSet } = rows.get(name) ?? {};
    expect({ name, stored, isSet }).toEqual({ name, stored: isSecret ? "" : normalised, isSet: normalised !== "" });
    await expect.poll(() => inForce(name), { message: name, interval: 20 }).toEqual(value);
    const seconds = ((performance.now() - savedAt) / 1000).toFixed(1);
    const result = `${how}, read back, in force elsewhere within ${seconds} s`;
    results.push({ option: name, place: `${pageOfSection(section)} / ${section}`, result });
  }
  return results;
}

/** Sets all options of a section by its fields and saves them at once. */
async function walkFields(names: readonly OptionName[]): Promise<Result[]> {
  for (const name of names) await enter(name, otherValue(name));
  await tab.settled();
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByRole("region", { name: "Unsaved changes" }).waitFor({ state: "detached" });
  return expectStored(names, "saved in its field");
}

/** A section with an editor of its own: it opens, and its options are stored by the call that all pages use. How it is used its own test holds. */
async function walkPanel(names: readonly OptionName[]): Promise<Result[]> {
  await page.locator("main h2").first().waitFor();
  for (const key of names) {
    const { body } = await root.put("/api/option/", { key, value: otherValue(key) });
    expect({ key, body }).toMatchObject({ key, body: { success: true } });
  }
  return expectStored(names, "has an editor of its own, saved by PUT /api/option");
}

/** Whether the page's own field stands there, and no editor for just this option. The frame of a JSON field is there before its editor. */
async function hasPlainField(name: OptionName): Promise<boolean> {
  const row = rowOf(name);
  const field = optionDefinition(name).kind === "json" ? row.getByText("JSON", { exact: true }) : row;
  return (await field.count()) > 0;
}

async function walkSection(section: OptionSection, names: readonly OptionName[]): Promise<Result[]> {
  await page.goto(`${app.url}/setting?tab=${pageOfSection(section)}&section=${section}`);
  await page.locator("main h2").first().waitFor();
  await tab.settled();
  const plain = await Promise.all(names.map(hasPlainField));
  return plain.every(Boolean) ? walkFields(names) : walkPanel(names);
}

const ALL: readonly OptionSection[] = OPTION_PAGES.flatMap((each): readonly OptionSection[] => OPTION_SECTIONS[each]);
/** Logging in stands last: it needs mail and another way in. */
const SECTIONS: readonly OptionSection[] = [...ALL.filter((section) => section !== "sign_in"), "sign_in"];

test("every option is on a screen, saved there, read back, and in force in a second process", async () => {
  const results: Result[] = [];
  for (const section of SECTIONS) {
    const names = OPTION_NAMES.filter((name) => optionDefinition(name).section === section);
    if (names.length > 0) results.push(...(await walkSection(section, names)));
  }
  const width = Math.max(...results.map(({ option }) => option.length));
  console.log(
    results.map(({ option, place: at, result }) => `${option.padEnd(width)}  ${at.padEnd(28)} ${result}`).join("\n"),
  );
  expect(results.map(({ option }) => option).toSorted()).toEqual(OPTION_NAMES.toSorted());
}, 300_000);
