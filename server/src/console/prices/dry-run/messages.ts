/** What a dry run and its thread on SQLite say to each other; everything here survives a structured clone. */
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import type { Range } from "./pages.ts";
import type { Summary } from "./sums.ts";
import type { DraftTables } from "./terms.ts";

/** What the thread is started with. */
export interface ThreadSettings {
  /** The database's file. */
  path: string;
  range: Range;
  tables: DraftTables;
  /** Of every model in the range; undefined for those without a price. */
  prices: ReadonlyMap<string, ModelPrice | undefined>;
}

export type ThreadMessage = { done: number } | { summary: Summary };
