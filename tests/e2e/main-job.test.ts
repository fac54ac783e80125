/** The main job, from a fresh copy of the committed tree to a call in the ledger: `npm start`, wizard, channel, token, an official SDK, log and balance. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { countedPresses } from "../support/checks/presses.ts";
import { clipboardOf, keepPicture, openContext, openPage, startBrowser } from "../support/systems/browser.ts";
import { watched } from "../support/systems/processes.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOST_CLICKS = 12;
/** With every package to be fetched, and the console to be built. */
const START_LIMIT_MS = 240_000;
const MODEL = "gpt-4o";
const PASSWORD = "correct horse 1";

/** The vendor's public price of the model, US dollars for a million tokens. */
const PRICE = { input: 2.5, output: 10 };
const QUOTA_PER_DOLLAR = 500_000;

/** The formula: group ratio x model ratio x (prompt + completion x completion ratio) / 500000 USD; the ratio is half the price, the group's is 1. */
function chargeOf(promptTokens: number, completionTokens: number): number {
  const modelRatio = PRICE.input / 2;
  const dollars =
    (1 * modelRatio * (promptTokens + completionTokens * (PRICE.output / PRICE.input))) / QUOTA_PER_DOLLAR;
  return Math.round(dollars * QUOTA_PER_DOLLAR);
}

let folder: string;
let upstream: FakeUpstream;
let browser: Browser;
let page: Page;
let gateway: ChildProcess;
let setupUrl: string;
let complaints: string[];
const { click, count } = countedPresses();

/** The committed tree alone, as a clone would have it; packages are linked, or with REQUIRE_ALL=1 installed by `npm start` itself. */
function freshCopy(): string {
  const place = mkdtempSync(join(tmpdir(), "turnpike-copy-"));
  const tree = execFileSync("git", ["-c", "safe.directory=*", "archive", "--format=tar", "HEAD"], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  });
  execFileSync("tar", ["-x", "-C", place], { input: tree });
  if (process.env["REQUIRE_ALL"] !== "1") symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"), "dir");
  return place;
}

/** What a person's shell has: the system's Node and npm, none of our own commands or settings. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((entry) => !entry.includes("node_modules"));
  const kept = Object.entries(process.env).filter(
    ([name]) => name === "HOME" || name === "TMPDIR" || /^npm_config_(cache|registry|userconfig)$/i.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), PORT: "0" };
}

function npmStart(place: string): Promise<string> {
  gateway = watched(
    spawn("npm", ["start"], { cwd: place, env: plainEnvironment(), detached: true, stdio: ["ignore", "pipe", "pipe"] }),
  );
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => reject(new Error(`npm start prints no address: ${said}`)), START_LIMIT_MS);
    const listen = (part: Buffer): void => {
      said += part.toString();
      const found = /http:\/\/[^\s/]+\/setup\S*(?=\s)/.exec(said)?.[0];
      if (found === undefined) return;
      clearTimeout(timer);
      console.log(said.trim());
      resolve(found);
    };
    gateway.stdout?.on("data", listen);
    gateway.stderr?.on("data", listen);
    gateway.once("exit", (code) => reject(new Error(`npm start ended with ${code}: ${said}`)));
  });
}

async function stopGateway(): Promise<void> {
  if (gateway?.pid === undefined || gateway.exitCode !== null) return;
  const ended = new Promise((resolve) => gateway.once("close", resolve));
  process.kill(-gateway.pid, "SIGTERM");
  await ended;
}

beforeAll(async () => {
  const env = plainEnvironment();
  const node = execFileSync("node", ["--version"], { env, encoding: "utf8" }).trim();
  folder = freshCopy();
  const startedMs = performance.now();
  upstream = await startFakeUpstream({ models: [MODEL, "gpt-4o-mini"] });
  setupUrl = await npmStart(folder);
  console.log(
    `npm start on the system's Node ${node}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s to its address`,
  );
  browser = await startBrowser();
  ({ page, complaints } = await openPage(await openContext(browser)));
}, 300_000);

afterEach(({ task }) => keepPicture(page, task));

afterAll(async () => {
  await browser?.close();
  await stopGateway();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

const button = (name: string | RegExp): Locator =>
  page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const submitOf = (drawer: Locator): Locator => drawer.locator('button[type="submit"]');
const entry = (name: string): Locator =>
  page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true });
const drawer = (): Locator => page.getByRole("dialog");
const type = (text: string): Promise<void> => page.keyboard.type(text);
const tab = (): Promise<void> => page.keyboard.press("Tab");

/** Two steps; the fields are reached by the keyboard, the wizard puts the focus into the first. */
async function setUpByWizard(): Promise<void> {
  await page.goto(setupUrl);
  await page.locator('input[name="username"]:focus').waitFor();
  await type("root");
  await tab();
  await type(PASSWORD);
  await page.getByLabel("Confirm password").focus();
  await type(PASSWORD);
  await click(button("Continue"));
  await click(page.getByRole("radio", { name: /For yourself/ }));
  await click(button("Finish setup"));
  await page.waitForURL(({ pathname }) => pathname === "/detail");
  await page.locator("main#content h1").waitFor();
}

async function createChannel(): Promise<void> {
  await click(entry("Channels"));
  await click(button("Create channel").first());
  await drawer().getByLabel("Name", { exact: true }).and(page.locator(":focus")).waitFor();
  await type("My upstream");
  await drawer().getByRole("textbox", { name: "Key" }).fill("sk-upstream-key");
  await drawer()
    .getByRole("textbox", { name: /Base URL/ })
    .fill(upstream.url);
  await click(drawer().getByRole("button", { name: "Fetch from provider" }));
  await drawer()
    .getByRole("button", { name: `Remove ${MODEL}`, exact: true })
    .waitFor();
  await click(submitOf(drawer()));
  await page.getByRole("row", { name: /My upstream/ }).waitFor();
}

/** The key as it lies on the clipboard. */
async function createToken(): Promise<string> {
  await click(entry("Tokens"));
  await click(button("Create token").first());
  await drawer().getByLabel("Name", { exact: true }).fill("my app");
  await click(submitOf(drawer()));
  await page.waitForURL(({ pathname }) => pathname === "/connect");
  await page.getByRole("button", { name: "Send a test call" }).waitFor();
  return clipboardOf(page);
}

async function ask(client: OpenAI): Promise<{ text: string; usage: OpenAI.CompletionUsage }> {
  const answer = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: "user", content: "Say something about foxes." }],
  });
  if (answer.usage === undefined) throw new Error("The answer has no usage");
  return { text: answer.choices[0]?.message.content ?? "", usage: answer.usage };
}

async function askStreamed(client: OpenAI): Promise<{ text: string; usage: OpenAI.CompletionUsage }> {
  const messages = [{ role: "user" as const, content: "And now piece by piece, with a longer question." }];
  const stream = await client.chat.completions.create({
    model: MODEL,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    usage = chunk.usage ?? usage;
  }
  if (usage === undefined) throw new Error("The stream has no usage");
  return { text, usage };
}

const own = async <Data>(path: string): Promise<Data> => {
  const { id } = (await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "{}"))) as { id: number };
  const answer = await page.request.get(new URL(path, page.url()).href, { headers: { "New-Api-User": String(id) } });
  return ((await answer.json()) as { data: Data }).data;
};
interface AccountFigures {
  quota: number;
  used_quota: number;
  request_count: number;
}
interface Row {
  model_name: string;
  token_name: string;
  is_stream: boolean;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}

test(`from npm start to a call's receipt in at most ${MOST_CLICKS} clicks, and every call after it is in the ledger`, async () => {
  await setUpByWizard();
  await createChannel();
  const key = await createToken();
  expect(key).toMatch(/^sk-\S{20,}$/);
  await click(button("Send a test call"));
  await click(page.getByRole("link", { name: "Show its receipt" }).first());
  await page.getByText("Cost breakdown").waitFor();
  console.log(`main job: ${count()} clicks`);
  expect(count()).toBeLessThanOrEqual(MOST_CLICKS);
  const before = await own<AccountFigures>("/api/user/self");

  const client = new OpenAI({ apiKey: key, baseURL: `${new URL(page.url()).origin}/v1`, maxRetries: 0 });
  const whole = await ask(client);
  const streamed = await askStreamed(client);
  expect(whole.text.length).toBeGreaterThan(10);
  expect(streamed.text).toBe(whole.text);
  const charges = [streamed, whole].map(({ usage }) => chargeOf(usage.prompt_tokens, usage.completion_tokens));
  const total = charges.reduce((sum, charge) => sum + charge, 0);
  expect(total).toBeGreaterThan(0);

  await entry("Usage log").click();
  await page
    .getByRole("row", { name: /my app/ })
    .nth(2)
    .waitFor();
  const costs = await page.getByRole("row", { name: /my app/ }).allInnerTexts();
  // The test call is the oldest of the three.
  expect(costs).toHaveLength(3);
  for (const [index, charge] of charges.entries())
    expect(costs[index]).toContain(`$${(charge / QUOTA_PER_DOLLAR).toFixed(6)}`);

  const { items } = await own<{ items: Row[] }>("/api/log/self/?p=1&page_size=2&type=2");
  const about = { model_name: MODEL, token_name: "my app" };
  expect(items).toMatchObject([
    {
      ...about,
      is_stream: true,
      prompt_tokens: streamed.usage.prompt_tokens,
      completion_tokens: streamed.usage.completion_tokens,
      quota: charges[0],
    },
    {
      ...about,
      is_stream: false,
      prompt_tokens: whole.usage.prompt_tokens,
      completion_tokens: whole.usage.completion_tokens,
      quota: charges[1],
    },
  ]);
  const after = await own<AccountFigures>("/api/user/self");
  expect({
    spent: before.quota - after.quota,
    used: after.used_quota - before.used_quota,
    calls: after.request_count - before.request_count,
  }).toEqual({ spent: total, used: total, calls: 2 });
  expect(complaints).toEqual([]);
});
