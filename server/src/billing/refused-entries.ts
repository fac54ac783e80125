/** Settlements that no database takes, whatever is tried: kept in a file of DATA_DIR with the reason, until somebody has dealt with them. */
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LedgerEntry } from "./ledger-entry.ts";

const FILE_NAME = "rejected-settlements.jsonl";

export interface RefusedEntry {
  entryId: string;
  userId: number;
  /** Quota that was not charged. */
  quota: number;
  /** Unix milliseconds. */
  refusedAtMs: number;
  reason: string;
}

interface Line {
  rejected_at: number;
  error: string;
  booking: LedgerEntry;
}

const toRefused = ({ rejected_at, error, booking: { ledger, log, hold } }: Line): RefusedEntry => ({
  entryId: ledger?.entryId ?? log?.requestId ?? hold?.id ?? "",
  userId: ledger?.userId ?? log?.userId ?? hold?.userId ?? 0,
  quota: ledger?.usedDelta ?? 0,
  refusedAtMs: rejected_at,
  reason: error,
});

/** Keeps an entry where an operator finds it; resolves when it is on the disk. Throws what the file system says. */
export async function keepRefused(directory: string, entry: LedgerEntry, error: unknown): Promise<void> {
  const line: Line = { rejected_at: Date.now(), error: String(error), booking: entry };
  // The line before may have been cut by a full disk.
  await appendFile(join(directory, FILE_NAME), `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

function parseLine(text: string): RefusedEntry[] {
  try {
    return [toRefused(JSON.parse(text) as Line)]; // written by keepRefused
  } catch {
    return []; // cut by a full disk or a crash: it was written once more, or is still in the journal
  }
}

/** What is kept in the folder, each entry once. Throws what the file system says, but for a file that is not there. */
export async function readRefused(directory: string): Promise<RefusedEntry[]> {
  const text = await readFile(join(directory, FILE_NAME), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const entries = text.split("\n").flatMap((line) => (line === "" ? [] : parseLine(line)));
  return [...new Map(entries.map((entry) => [entry.entryId, entry])).values()];
}
