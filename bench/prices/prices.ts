/** `npm run bench -- prices`: what 2,000 models cost the price list of the API, and a search in the price editor of a real browser. */
import type { Browser } from "playwright-core";
import type { PriceRow } from "../../contract/src/features/prices.ts";
import { logInOn, openContext, openPage, startBrowser } from "../../tests/support/systems/browser.ts";
import { type ConsoleClient, logIn } from "../../tools/seed/console-client.ts";
import { type BenchmarkChannel, ROOT, startTurnpike } from "../gateways/turnpike.ts";
import { readFineCpu } from "../machine/measure.ts";
import type { Provider } from "../provider/provider.ts";
import { median, quantile } from "../run/statistics.ts";
import { measureTyping, type Typing } from "./typing.ts";

const MODELS = 2_000;
const CHANNELS = 5;
const LISTINGS = 10;
/** Names that the price list has, and many that it has not. */
const LISTED = ["gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-pro", "o3-mini"];
const NAMES = Array.from(
  { length: MODELS },
  (_, index) => LISTED[index] ?? `vendor-${index % 40}/model-of-many-${index}`,
);
const WORDS = ["model-of 12", "gpt-4o", "no such model"];
/** The usual one, and the largest: of that the rows may come after the key. */
const PAGE_SIZES = [10, 100];
/** The longest unnoticeable delay: above it, a key press waits for the page. */
const LIMIT_MS = 50;

const channelsTo = (port: number): BenchmarkChannel[] =>
  Array.from({ length: CHANNELS }, (_, channel) => ({
    type: 1,
    baseUrl: `http://127.0.0.1:${port}`,
    model: NAMES.filter((_name, index) => index % CHANNELS === channel).join(","),
  }));

const ownPrice = (model: string, ratio: string) => ({
  model,
  from: { ratios: {}, tools: {} },
  to: { ratios: { ModelRatio: ratio, CompletionRatio: "4" }, tools: {} },
});

/** CPU of the server in milliseconds for one answer with every model. */
async function listingMs(processId: number, admin: ConsoleClient): Promise<number> {
  const before = readFineCpu(processId);
  const rows = (await admin.call("GET", "/api/prices")) as PriceRow[];
  if (rows.length !== MODELS) throw new Error(`${rows.length} of ${MODELS} models were listed`);
  return (readFineCpu(processId) - before) / 1000;
}

const line = (what: string, ms: number, limitMs?: number): string =>
  `${what.padEnd(64)} ${ms.toFixed(1).padStart(7)} ms${limitMs === undefined ? "" : ms <= limitMs ? "  met" : "  MISSED"}\n`;

async function measureListing(processId: number, admin: ConsoleClient): Promise<void> {
  process.stdout.write(line("GET /api/prices, the first after the start", await listingMs(processId, admin)));
  const changes = NAMES.slice(0, MODELS / 2).map((model) => ownPrice(model, "1.25"));
  await admin.call("PUT", "/api/prices", { changes });
  process.stdout.write(line("GET /api/prices, the first after a change", await listingMs(processId, admin)));
  const listings: number[] = [];
  for (let round = 0; round < LISTINGS; round += 1) listings.push(await listingMs(processId, admin));
  process.stdout.write(line("GET /api/prices, median of the next", median(listings)));
}

const typingLines = ({ keysMs, longestTaskMs }: Typing, size: number): string =>
  line(`a key in the search, ${size} rows, median`, median(keysMs), size === PAGE_SIZES[0] ? LIMIT_MS : undefined) +
  line(`a key in the search, ${size} rows, slowest`, quantile(keysMs, 1)) +
  line(`longest task of the page's main thread, ${size} rows`, longestTaskMs, LIMIT_MS);

async function measureSearch(browser: Browser, url: string): Promise<void> {
  const context = await openContext(browser);
  const { page, settled } = await openPage(context);
  await logInOn(page, url, ROOT.username, ROOT.password);
  for (const size of PAGE_SIZES) {
    await page.goto(`${url}/setting?section=prices&size=${size}`);
    await page.locator("tbody tr[data-row-key]").first().waitFor();
    await settled();
    process.stdout.write(typingLines(await measureTyping({ page, settled }, WORDS), size));
  }
  await context.close();
}

/** Measures and prints; all times are CPU time, so that other work of the machine does not count. Throws where a program is missing. */
export async function measurePrices(provider: Provider, folder: string): Promise<void> {
  const environment = { GLOBAL_API_RATE_LIMIT_ENABLE: "false" };
  const { port } = provider.direct;
  const turnpike = await startTurnpike(port, folder, environment, [], channelsTo(port));
  const url = `http://127.0.0.1:${turnpike.port}`;
  const browser = await startBrowser();
  try {
    process.stdout.write(`${MODELS} models, CPU time\n`);
    await measureListing(turnpike.processId, await logIn(url, ROOT));
    await measureSearch(browser, url);
  } finally {
    await browser.close();
    await turnpike.stop();
  }
}
