/** Makes the write-ahead log of the embedded database durable from outside of its writer thread, which a stalled disk then does not hold up. */
import { type FileHandle, open } from "node:fs/promises";

export class LogSync {
  readonly #path: string;
  readonly #mend: () => Promise<void>;
  #file: FileHandle | undefined;
  #last: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #hasFailed = false;

  /**
   * @param path the write-ahead log, which exists as soon as something was written
   * @param mend makes everything durable another way; throws if the disk refuses
   */
  constructor(path: string, mend: () => Promise<void>) {
    this.#path = path;
    this.#mend = mend;
  }

  /** Resolves when everything that was written before is on the disk. One sync runs at a time, and all who wait share the next. Throws the disk's error. */
  sync(): Promise<void> {
    this.#waiting ??= this.#last
      .catch(() => undefined) // Those who waited for it know.
      .then(() => {
        this.#waiting = undefined;
        return this.#run();
      });
    return (this.#last = this.#waiting);
  }

  /** After an error the kernel takes the pages for written and a second sync succeeds without them: they have to be written again. */
  async #run(): Promise<void> {
    try {
      if (this.#hasFailed) await this.#mend();
      else await this.#datasync();
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #datasync(): Promise<void> {
    // Closing it releases no lock: SQLite locks the files beside the log.
    this.#file ??= await open(this.#path, "r+");
    await this.#file.datasync();
  }

  /** Waits for the sync that runs. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined); // Those who waited for it know.
    await this.#file?.close();
    this.#file = undefined;
  }
}
