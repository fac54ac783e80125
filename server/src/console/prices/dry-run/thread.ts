/** The thread of a dry run on SQLite: reads the range through its own connection and prices every charge again. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { pageStatement, placeOf, type Range } from "./pages.ts";
import type { ChargeRow } from "./rerun.ts";
import { DryRunTotals, type Summary } from "./sums.ts";
import type { DraftTables, DraftTerms } from "./terms.ts";

/** The start data of the thread; all of it survives a structured clone. */
export interface ThreadSettings {
  /** The database's file. */
  path: string;
  range: Range;
  draft: SentTerms;
  /** Those in force. */
  current: SentTerms;
}

interface SentTerms {
  tables: DraftTables;
  /** Of every model in the range; undefined for those without a price. */
  prices: ReadonlyMap<string, ModelPrice | undefined>;
}

export type ThreadMessage = { done: number } | { summary: Summary };

/** A page is a statement of some milliseconds, so no snapshot keeps the write-ahead log from being copied. */
const PAGE_ROWS = 2_000;
/** After each page the processor is left to the calls for a while. */
const PAUSE_MS = 2;
const BUSY_TIMEOUT_MS = 5_000;

const sleeping = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const termsOf = ({ tables, prices }: SentTerms): DraftTerms => ({
  tables,
  priceOf: (model) => {
    if (!prices.has(model)) throw new Error(`The roll-up does not know the model ${model}`);
    return prices.get(model);
  },
});

function summarise({ path, range, draft, current }: ThreadSettings): Summary {
  const totals = new DryRunTotals({ draft: termsOf(draft), current: termsOf(current) });
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    let rows: ChargeRow[] = [];
    let done = 0;
    do {
      const last = rows.at(-1);
      // The columns are those of ChargeRow.
      rows = database.prepare(pageStatement(range, last && placeOf(last), PAGE_ROWS)).all() as unknown as ChargeRow[];
      for (const row of rows) totals.add(row);
      done += rows.length;
      parentPort?.postMessage({ done } satisfies ThreadMessage);
      Atomics.wait(sleeping, 0, 0, PAUSE_MS);
    } while (rows.length === PAGE_ROWS);
  } finally {
    database.close();
  }
  return totals.summary();
}

// The only caller is runs.ts, which passes exactly these settings.
const summary = summarise(workerData as ThreadSettings);
parentPort?.postMessage({ summary } satisfies ThreadMessage);
