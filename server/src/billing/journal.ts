/** Settlements that the database cannot take now, on disk: appended with fsync, replayed by entry id, so none is lost or booked twice. */
import { type FileHandle, appendFile, open, readFile, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Booking } from "./booking.ts";
import type { BooksLog } from "./books.ts";

const PREFIX = "settlements-";
const SUFFIX = ".journal";

interface Pending {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function parseLines(text: string, file: string, log: BooksLog): Booking[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index): Booking[] => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as Booking]; // written by append() below
    } catch (error) {
      // A line that a crash cut in half was never acknowledged; anywhere else it is damage that has to be seen.
      if (index < lines.length - 1)
        log.error({ file, line: index + 1, error }, "a journal line is damaged and was left out");
      return [];
    }
  });
}

/** The journal of one process. `directory` is DATA_DIR; files of earlier processes are replayed by whoever starts next. */
export class Journal {
  readonly #directory: string;
  readonly #owner: string;
  readonly #log: BooksLog;
  #file: FileHandle | undefined;
  #pending: Pending[] = [];
  #isWriting = false;
  #rotation = 0;

  constructor(directory: string, owner: string, log: BooksLog) {
    this.#directory = directory;
    this.#owner = owner;
    this.#log = log;
  }

  get #path(): string {
    return join(this.#directory, `${PREFIX}${this.#owner}${SUFFIX}`);
  }

  /** Resolves when the booking is on the disk. Throws what the file system says. */
  append(booking: Booking): Promise<void> {
    const line = `${JSON.stringify(booking)}\n`;
    return new Promise((resolve, reject) => {
      this.#pending.push({ line, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  /** Everything that queued while the last write was synced goes out with the next one. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0);
      try {
        await this.#writeThrough(batch.map(({ line }) => line).join(""));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }

  /**
   * Another process that took this one for gone renames the file before it reads it. Text that was on the disk while the name
   * still led there is part of what it reads; any other text is written once more, into a new file.
   */
  async #writeThrough(text: string): Promise<void> {
    for (;;) {
      const file = (this.#file ??= await open(this.#path, "a", 0o600));
      await file.appendFile(text);
      await file.datasync();
      const [own, named] = await Promise.all([file.stat(), stat(this.#path).catch(() => undefined)]);
      if (named?.ino === own.ino) return;
      this.#file = undefined;
      await file.close();
    }
  }

  /** Journal files in the folder: this process's own and those of `isGone` owners. */
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
   * Books what is in the journals and removes them; gives the number of entries. Throws what `book` throws, with everything kept.
   * Booking an entry twice has to be harmless.
   */
  async replay(
    isGone: (owner: string) => boolean,
    book: (bookings: readonly Booking[]) => Promise<unknown>,
  ): Promise<number> {
    if (this.#isWriting) return 0;
    let entries = 0;
    for (const name of await this.#files(isGone)) {
      const path = join(this.#directory, await this.#setAside(name));
      const bookings = parseLines(await readFile(path, "utf8"), name, this.#log);
      if (bookings.length > 0) await book(bookings);
      await unlink(path);
      entries += bookings.length;
    }
    return entries;
  }

  /** Keeps an entry that no database takes where an operator finds it; it is not replayed. */
  async keepRejected(booking: Booking, error: unknown): Promise<void> {
    const line = JSON.stringify({ rejected_at: Date.now(), error: String(error), booking });
    await appendFile(join(this.#directory, "rejected-settlements.jsonl"), `${line}\n`, { mode: 0o600, flush: true });
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
