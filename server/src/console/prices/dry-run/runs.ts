/** Runs a dry run over the ledger: on SQLite in a thread with its own connection, else page by page through a pooled connection. */
import { Worker } from "node:worker_threads";
import { sql } from "kysely";
import type { Database } from "../../../db/database.ts";
import { pageStatement, placeOf, type Range } from "./pages.ts";
import type { ChargeRow } from "./rerun.ts";
import { type ComparedTerms, DryRunTotals, type Summary } from "./sums.ts";
import type { ThreadMessage, ThreadSettings } from "./thread.ts";

export interface Run {
  /** Calls priced so far. */
  readonly done: number;
  readonly finished: Promise<Summary>;
  /** Ends it where it is; `finished` may then never settle. */
  stop(): Promise<void>;
}

/** Memory of the thread: its sums are bounded, and so is a page. */
const MAX_THREAD_MB = 256;

function runInThread(path: string, range: Range, terms: ComparedTerms, models: readonly string[]): Run {
  const sent = ({ tables, priceOf }: ComparedTerms["draft"]) => ({
    tables,
    prices: new Map(models.map((model) => [model, priceOf(model)])),
  });
  const worker = new Worker(new URL("./thread.ts", import.meta.url), {
    workerData: { path, range, draft: sent(terms.draft), current: sent(terms.current) } satisfies ThreadSettings,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MB, maxYoungGenerationSizeMb: 16 },
  });
  // A process that stops does not wait for it.
  worker.unref();
  const { promise, resolve, reject } = Promise.withResolvers<Summary>();
  let done = 0;
  worker.on("message", (message: ThreadMessage) => {
    if ("done" in message) done = message.done;
    else resolve(message.summary);
  });
  worker.on("error", reject);
  worker.on("exit", (code) => reject(new Error(`The thread of a dry run ended with code ${code}`)));
  promise.catch(() => undefined);
  return {
    get done() {
      return done;
    },
    finished: promise,
    stop: async () => void (await worker.terminate()),
  };
}

/** Rows at a time: what is between two pages is a call's, so a page has to be short. */
const PAGE_ROWS = 500;

function runInPages({ kysely }: Database, range: Range, terms: ComparedTerms): Run {
  const totals = new DryRunTotals(terms);
  const state = { done: 0, isStopped: false };
  const work = async (): Promise<Summary> => {
    let rows: ChargeRow[] = [];
    do {
      const last = rows.at(-1);
      const statement = pageStatement(range, last && placeOf(last), PAGE_ROWS);
      rows = (await sql.raw<ChargeRow>(statement).execute(kysely)).rows;
      for (const row of rows) totals.add(row);
      state.done += rows.length;
    } while (rows.length === PAGE_ROWS && !state.isStopped);
    return totals.summary();
  };
  const finished = work();
  finished.catch(() => undefined);
  return {
    get done() {
      return state.done;
    },
    finished,
    stop: () => {
      state.isStopped = true;
      return Promise.resolve();
    },
  };
}

/** Starts a run. `models` are those that the range may have. */
export const startRun = (database: Database, range: Range, terms: ComparedTerms, models: readonly string[]): Run =>
  database.sqlite === undefined
    ? runInPages(database, range, terms)
    : runInThread(database.sqlite.path, range, terms, models);
