/** `npm run bench -- dry-run [--rows 1030000]`: how long a dry run of prices takes on SQLite, and how much it slows calls through the relay. */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { DryRunLine, DryRunResult } from "../../contract/src/pricing/dry-run.ts";
import type { ConsoleClient } from "../../tools/seed/console-client.ts";
import type { Gateway } from "../gateways/gateway.ts";
import { clientLoad, type Spread } from "../load/load.ts";
import { seedPlace, startOn } from "../logs/place.ts";
import type { Provider } from "../provider/provider.ts";
import { withSection } from "../run/sections.ts";
import { DRY_RUN_HEADING, dryRunSection, type Found } from "./report.ts";

/** Rows of a log with a million charges: some calls of the month failed. */
const ROWS = 1_030_000;
const LEAST_CHARGED = 0.95;
const ROUNDS = 5;
const CALLS = 800;
const INTERVAL_MS = 10;
const DRAFT = { days: 90, options: { GroupRatio: '{"default": 1.1, "vip": 0.9, "svip": 0.7}' } };

function readRows(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { rows: { type: "string" } } });
  const rows = values.rows === undefined ? ROWS : Number(values.rows);
  if (!Number.isSafeInteger(rows) || rows < 1000) throw new Error("--rows takes a whole number from 1000 on");
  return rows;
}

/** One dry run of everything. Throws where it does not end with a result. */
async function dryRun(url: string, { headers }: ConsoleClient): Promise<DryRunResult> {
  const response = await fetch(`${url}/api/prices/dry_run`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(DRAFT),
  });
  const last = (await response.text()).trim().split("\n").at(-1) ?? "";
  const line = JSON.parse(last) as DryRunLine;
  if (line.kind !== "result") throw new Error(last);
  return line;
}

/** Dry runs one after the other until the calls are through; gives what each took in seconds. */
async function runsBeside(calls: Promise<unknown>, run: () => Promise<unknown>): Promise<number[]> {
  const seconds: number[] = [];
  let isOver = false;
  const over = calls.finally(() => (isOver = true));
  while (!isOver) {
    const begun = performance.now();
    await run();
    seconds.push((performance.now() - begun) / 1000);
  }
  await over;
  return seconds;
}

async function relayed(gateway: Gateway): Promise<Spread> {
  const { failures, last } = await clientLoad(gateway, { calls: CALLS, intervalMs: INTERVAL_MS, stream: false });
  if (failures > 0) throw new Error(`${failures} of ${CALLS} calls failed`);
  return last;
}

async function measure(gateway: Gateway, admin: ConsoleClient, rows: number): Promise<Found> {
  const url = `http://127.0.0.1:${gateway.port}`;
  const run = () => dryRun(url, admin);
  await relayed(gateway);
  const { totals } = await run();
  if (totals.calls < rows * LEAST_CHARGED) throw new Error(`${totals.calls} of ${rows} calls were priced`);
  const [alone, beside, runSeconds]: [Spread[], Spread[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await relayed(gateway));
    const calls = relayed(gateway);
    runSeconds.push(...(await runsBeside(calls, run)));
    beside.push(await calls);
  }
  const spreads = (all: readonly Spread[]) => ({ p50: all.map(({ p50 }) => p50), p99: all.map(({ p99 }) => p99) });
  return { rows: totals.calls, runSeconds, alone: spreads(alone), beside: spreads(beside) };
}

/** Measures, prints, and puts its section into the document where all rows are there. Throws on arguments it does not know. */
export async function measureDryRun(
  provider: Provider,
  args: readonly string[],
  where: readonly string[],
  document: URL,
): Promise<void> {
  const rows = readRows(args);
  const place = await seedPlace("sqlite", rows, provider.direct.port);
  try {
    const { gateway, clients } = await startOn(place);
    const section = await measure(gateway, clients.admin, rows)
      .then((found) => dryRunSection(found, where))
      .finally(() => gateway.stop());
    process.stdout.write(`\n${section}\n`);
    if (rows >= ROWS) writeFileSync(document, withSection(readFileSync(document, "utf8"), DRY_RUN_HEADING, section));
  } finally {
    await place.remove();
  }
}
