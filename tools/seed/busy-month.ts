/** The scenario busy-month: users, tokens and channels through the console, then its usage in bulk. */
import { type RunningApp, startApp } from "../../server/src/app.ts";
import type { Config } from "../../server/src/config.ts";
import { loadMonth } from "./bulk-month.ts";
import { type Filled, fill, newPassword } from "./fill.ts";
import { sampleEntries } from "./history.ts";
import { SCENARIOS } from "./scenarios.ts";

export const MONTH_ROWS = 5_000_000;
/** Different calls that a month is made of; a prime. */
const PREPARED_CALLS = 1999;

export interface BusyMonth {
  config: Config;
  rows: number;
  upstreamUrl: string;
  onProgress: (rows: number) => void;
}

async function prepare(app: RunningApp, upstreamUrl: string) {
  const scenario = SCENARIOS["busy-month"];
  const filled = await fill(app, scenario, { username: "root", password: newPassword() }, upstreamUrl);
  const ledgerEntries = sampleEntries(app.foundation, filled.callers, scenario.failureShare, PREPARED_CALLS);
  return { filled, ledgerEntries };
}

/** Starts the server on an empty database, fills it, stops it and loads the month. Throws where the database is set up already. */
export async function seedBusyMonth({ config, rows, upstreamUrl, onProgress }: BusyMonth): Promise<Filled> {
  const app = await startApp(config);
  const { filled, ledgerEntries } = await prepare(app, upstreamUrl).finally(() => app.close());
  await loadMonth({ config, ledgerEntries, rows, nowSeconds: Math.floor(Date.now() / 1000), onProgress });
  return { ...filled, calls: rows };
}
