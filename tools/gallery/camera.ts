/** Opens a page as one user in one look, runs its steps, takes its screenshot and reports what was wrong. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import {
  layoutShift,
  openPage,
  overflow,
  seriousFindings,
  type WatchedPage,
} from "../../tests/support/systems/browser.ts";
import type { GalleryPage, Step, StubbedAnswer } from "./gallery-page.ts";
import { missingIn } from "./in-window.ts";
import type { Look } from "./look.ts";

export type SignedInState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Longer than anything takes to open or close, and than React keeps back what comes after a placeholder. */
const MOVES_MS = 320;
const STEP_TIMEOUT_MS = 10_000;
/** In which a page has asked for what is answered in the server's place. */
const ASKED_MS = 5_000;
const MOST_SHIFT = 0.1;
/** Of states whose frames are kept while something is late or fails. */
const STILL_SHIFT = 0.05;

/** A window of its own in this look. */
export async function openLook(
  browser: Browser,
  look: Look,
  state: SignedInState | undefined,
): Promise<BrowserContext> {
  const isPhone = look.width < 600;
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    isMobile: isPhone,
    hasTouch: isPhone,
    colorScheme: look.theme,
    locale: look.language === "zh" ? "zh-CN" : "en-US",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
    ...(state === undefined ? {} : { storageState: state }),
  });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context;
}

/** What stands for a server that says no. */
const REFUSALS = {
  fails: { status: 500, message: "The database did not answer in time" },
  absent: { status: 200, code: "not_found", message: "Not found" },
  gone: { status: 404, code: "chat_share_gone", message: "This link shows nothing" },
  refused: {
    status: 403,
    code: "permission_withheld",
    message: "The super administrator does not permit you this",
    values: { permission: "channels_see" },
  },
} as const;

const isMade = (answer: object): answer is { from: (data: never) => unknown } =>
  "from" in answer && typeof answer.from === "function";

/** @param onAsked is called whenever the page asks for it */
async function stub(tab: Page, { url, answer }: StubbedAnswer, onAsked: () => void): Promise<void> {
  await tab.route(url, async (route) => {
    onAsked();
    if (answer === "never") return; // It is aborted when the tab navigates.
    if (typeof answer === "string") {
      const { status, ...said } = REFUSALS[answer];
      return route.fulfill({ status, json: { success: false, ...said } });
    }
    if (!isMade(answer)) return route.fulfill({ json: { success: true, message: "", ...answer } });
    const response = await route.fetch();
    const body = (await response.json()) as { data: never };
    return route.fulfill({ response, json: { ...body, data: answer.from(body.data) as unknown } });
  });
}

async function click(tab: Page, { click: selector, index = 0, isOptional = false }: Extract<Step, { click: string }>) {
  const target = tab.locator(selector).nth(index);
  if (isOptional && !(await target.isVisible())) return;
  await target.click();
}

/** Runs in the page, as another of its tabs would. */
async function raiseOption(key: string): Promise<void> {
  const { id } = JSON.parse(localStorage.getItem("user") ?? "{}") as { id?: number };
  const headers = { "Content-Type": "application/json", "New-Api-User": String(id) };
  const answer = await fetch("/api/option", { headers });
  const { data } = (await answer.json()) as { data: { key: string; value: string }[] };
  const value = String(Number(data.find((row) => row.key === key)?.value) + 1);
  const stored = await fetch("/api/option", { method: "PUT", headers, body: JSON.stringify({ key, value }) });
  const { success, message } = (await stored.json()) as { success: boolean; message: string };
  if (!success) throw new Error(message);
}

async function take(tab: Page, step: Step): Promise<void> {
  if ("click" in step) return click(tab, step);
  if ("focus" in step) return tab.locator(step.focus).first().focus();
  if ("scrollTo" in step) {
    const target = tab.locator(step.scrollTo).first();
    const isAbsent = step.isOptional === true && (await target.count()) === 0;
    return isAbsent ? undefined : target.scrollIntoViewIfNeeded();
  }
  if ("press" in step) return tab.keyboard.press(step.press);
  if ("type" in step) return tab.keyboard.type(step.type);
  if ("wait" in step) return tab.locator(step.wait).first().waitFor();
  if ("raise" in step) return tab.evaluate(raiseOption, step.raise);
  return tab.waitForTimeout(step.pauseMs);
}

/** Pixels of a table's columns that are only seen by pushing it sideways. */
const hiddenColumns = (tab: Page): Promise<number> =>
  tab.locator("main table").evaluateAll((tables) =>
    tables.reduce((most, { parentElement: place }) => {
      return place === null ? most : Math.max(most, place.scrollWidth - place.clientWidth);
    }, 0),
  );

/** The widest window in which rows of tables have to stand as cards. */
const PHONE_WIDTH_PX = 600;

/** What a page must not do in any state. @param isStrict asks axe too, which takes a second */
async function faultsOf(tab: Page, complaints: readonly string[], page: GalleryPage, isStrict: boolean) {
  const isOvertaken = page.steps?.some((step) => "raise" in step) === true;
  const statuses = (page.answers ?? []).flatMap(({ answer }) =>
    typeof answer === "string" && answer !== "never" ? [REFUSALS[answer].status] : [],
  );
  const meant = [...statuses, ...(isOvertaken ? [409] : [])].map(String);
  const isMeant = (complaint: string): boolean => meant.some((status) => complaint.includes(status));
  const faults = complaints.filter((complaint) => !isMeant(complaint));
  const wider = await overflow(tab);
  if (wider > 0) faults.push(`is ${wider} px wider than its window`);
  const hidden = (tab.viewportSize()?.width ?? PHONE_WIDTH_PX) < PHONE_WIDTH_PX ? await hiddenColumns(tab) : 0;
  if (hidden > 1) faults.push(`has a table that hides ${hidden} px of its columns`);
  const shift = await layoutShift(tab);
  if (shift >= (page.isStill === true ? STILL_SHIFT : MOST_SHIFT)) faults.push(`moves by ${shift.toFixed(3)}`);
  return isStrict ? [...faults, ...(await seriousFindings(tab))] : faults;
}

/** One tab for all screenshots of a user in one look, so that later pages have the first one's cache. */
export interface Camera {
  tab: WatchedPage;
  url: string;
  /** Whether the last picture answered in the server's place how the site is, which the browser has stored. */
  hasOwnStatus?: boolean;
}

/** Opens the tab. `url` is where the system is. */
export const openCamera = async (context: BrowserContext, url: string): Promise<Camera> => ({
  tab: await openPage(context),
  url,
});

const saysStatus = ({ answers }: GalleryPage): boolean =>
  answers?.some(({ url }) => url.includes("/api/status")) === true;

/** Gives what the state lacks: an answer of its own that the page asked for, and what its name promises. */
async function pose(camera: Camera, page: GalleryPage): Promise<string[]> {
  const { page: tab, settled } = camera.tab;
  const isNeverQuiet = page.answers?.some(({ answer }) => answer === "never") === true;
  // A step may load the whole page anew while it is waited for.
  const whole = (): Promise<void> =>
    settled().catch(async (error: unknown) => {
      if (!String(error).includes("Execution context was destroyed")) throw error;
      await tab.waitForLoadState();
      await settled();
    });
  const quiet = (): Promise<void> => (isNeverQuiet ? tab.waitForTimeout(MOVES_MS) : whole());
  const asked = new Set<string>();
  for (const answer of page.answers ?? []) await stub(tab, answer, () => asked.add(answer.url));
  const open = async (): Promise<void> => {
    await tab.goto(camera.url + page.path);
    await tab.locator("h1, [role=alert], main").first().waitFor();
    await quiet();
  };
  // A page begins as the site was when it was last seen, which this or the last picture's answer may have said otherwise.
  const isSeenAnew = saysStatus(page) || camera.hasOwnStatus === true;
  camera.hasOwnStatus = saysStatus(page);
  await open();
  if (isSeenAnew) await open();
  for (const step of page.steps ?? []) {
    await take(tab, step);
    await quiet();
  }
  const unasked = () => (page.answers ?? []).filter(({ url: address }) => !asked.has(address));
  // On a busy machine a page asks late.
  const endMs = performance.now() + ASKED_MS;
  while (unasked().length > 0 && performance.now() < endMs) await tab.waitForTimeout(MOVES_MS);
  await tab.waitForTimeout(MOVES_MS);
  return [...unasked().map((answer) => `did not ask for ${answer.url}`), ...(await missingIn(tab, page))];
}

/** Poses the page, takes one picture into `file` where one is wanted, and gives what was wrong with the page. */
export async function photograph(
  camera: Camera,
  page: GalleryPage,
  { file, isStrict }: { file?: string; isStrict: boolean },
): Promise<string[]> {
  const { page: tab, complaints } = camera.tab;
  const picture = async (): Promise<void> => {
    if (file !== undefined) await tab.screenshot({ path: file });
  };
  complaints.length = 0;
  try {
    const lacks = await pose(camera, page);
    await picture();
    return [...lacks, ...(await faultsOf(tab, complaints, page, isStrict))];
  } catch (error) {
    await picture();
    return [...complaints, error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)];
  } finally {
    await tab.goto("about:blank");
    await tab.unrouteAll({ behavior: "ignoreErrors" });
  }
}
