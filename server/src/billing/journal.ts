/** The journal: settlements that the database cannot take at the moment, appended to a file with fsync and replayed by entry id, so none is lost or posted twice. */
import { appendFile, type FileHandle, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { LedgerLogger } from "./engines/backend.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

const PREFIX = "settlements-";
const SUFFIX = ".journal";

interface Pending {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function parseLines(text: string, file: string, log: LedgerLogger): LedgerEntry[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index): LedgerEntry[] => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as LedgerEntry]; // written by append() below
    } catch (error) {
      // An incomplete last line after a crash was never acknowledged; anywhere else it is damage that has to be reported.
      if (index < lines.length - 1)
        log.error({ file, line: index + 1, error }, "a journal line is damaged and was left out");
      return [];
    }
  });
}

/** The journal of one process. `directory` is DATA_DIR; files of earlier processes are replayed by the next one that starts. */
export class Journal {
  readonly #directory: string;
  readonly #owner: string;
  readonly #log: LedgerLogger;
  #file: FileHandle | undefined;
  #pending: Pending[] = [];
  #isWriting = false;
  #rotation = 0;

  constructor(directory: string, owner: string, log: LedgerLogger) {
    this.#directory = directory;
    this.#owner = owner;
    this.#log = log;
  }

  get #path(): string {
    return join(this.#directory, `${PREFIX}${this.#owner}${SUFFIX}`);
  }

  /** Resolves when the ledger entry is on the disk. Throws errors of the file system. */
  append(ledgerEntry: LedgerEntry): Promise<void> {
    const line = `${JSON.stringify(ledgerEntry)}\n`;
    return new Promise((resolve, reject) => {
      this.#pending.push({ line, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  /** Entries that queue during a sync are written together with the next one. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0);
      try {
        await this.#writeThrough(batch.map(({ line }) => line).join(""));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        await this.#abandon();
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }

  /**
   * Another process that takes this one for dead renames the file before it reads it. Text that was on the disk while the name
   * still pointed there is part of what it reads; any other text is written again, into a new file.
   */
  async #writeThrough(text: string): Promise<void> {
    for (;;) {
      const isNew = this.#file === undefined;
      const file = (this.#file ??= await open(this.#path, "a", 0o600));
      // An existing file may end in an incomplete line.
      await file.appendFile(isNew && (await file.stat()).size > 0 ? `\n${text}` : text);
      await file.datasync();
      const [own, named] = await Promise.all([file.stat(), stat(this.#path).catch(() => undefined)]);
      if (named?.ino === own.ino) return;
      this.#file = undefined;
      await file.close();
    }
  }

  /**
   * The remains of a failed write must not become the beginning of the next line: the file is set aside. Its entries are replayed
   * with the others, and its last line, complete or not, was never acknowledged.
   */
  async #abandon(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    const warn = (error: unknown) =>
      this.#log.warn({ error }, "a journal that cannot be written could not be set aside");
    await file.close().catch(warn);
    await this.#setAside(`${PREFIX}${this.#owner}${SUFFIX}`).catch(warn);
  }

  /** Journal files in the folder: this process's own and those of owners for which `isGone` is true. */
  async #files(isGone: (owner: string) => boolean): Promise<string[]> {
    const names = (await readdir(this.#directory)).filter((name) => name.startsWith(PREFIX) && name.includes(SUFFIX));
    const ownerOf = (name: string): string => name.slice(PREFIX.length, name.indexOf(SUFFIX));
    return names.filter((name) => ownerOf(name) === this.#owner || isGone(ownerOf(name))).sort();
  }

  /** Sets a file aside under this process's name, so that what is appended from now on is not part of the replay. */
  async #setAside(name: string): Promise<string> {
    if (name.startsWith(`${PREFIX}${this.#owner}${SUFFIX}.`)) return name;
    if (name === `${PREFIX}${this.#owner}${SUFFIX}`) {
      const file = this.#file;
      this.#file = undefined;
      await file?.close();
    }
    this.#rotation += 1;
    const aside = `${PREFIX}${this.#owner}${SUFFIX}.${Date.now()}-${this.#rotation}`;
    await rename(join(this.#directory, name), join(this.#directory, aside));
    return aside;
  }

  /**
   * Posts the entries of the journals and removes these; returns the number of entries. Throws what `post` throws, with every file kept.
   * Posting an entry twice has to be harmless.
   */
  async replay(
    isGone: (owner: string) => boolean,
    post: (ledgerEntries: readonly LedgerEntry[]) => Promise<unknown>,
  ): Promise<number> {
    if (this.#isWriting) return 0;
    let entries = 0;
    for (const name of await this.#files(isGone)) {
      const path = join(this.#directory, await this.#setAside(name));
      const ledgerEntries = parseLines(await readFile(path, "utf8"), name, this.#log);
      if (ledgerEntries.length > 0) await post(ledgerEntries);
      await unlink(path);
      entries += ledgerEntries.length;
    }
    return entries;
  }

  /** True where nothing waits to be replayed. */
  async isEmpty(): Promise<boolean> {
    return !this.#isWriting && this.#file === undefined && (await this.#files(() => false)).length === 0;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

// Settlements that every database refuses: kept in a file of DATA_DIR with the reason, until an operator has resolved them.

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

/** Stores an entry for the operator; resolves when it is on the disk. Throws errors of the file system. */
export async function keepRefused(directory: string, entry: LedgerEntry, error: unknown): Promise<void> {
  const line: Line = { rejected_at: Date.now(), error: String(error), booking: entry };
  // A full disk may have left an incomplete line before.
  await appendFile(join(directory, FILE_NAME), `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

function parseLine(text: string): RefusedEntry[] {
  try {
    return [toRefused(JSON.parse(text) as Line)]; // written by keepRefused
  } catch {
    return []; // incomplete after a full disk or a crash: it was written again, or is still in the journal
  }
}

/** The stored entries of the folder, each once. Throws errors of the file system, except for a missing file. */
export async function readRefused(directory: string): Promise<RefusedEntry[]> {
  const text = await readFile(join(directory, FILE_NAME), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const entries = text.split("\n").flatMap((line) => (line === "" ? [] : parseLine(line)));
  return [...new Map(entries.map((entry) => [entry.entryId, entry])).values()];
}
