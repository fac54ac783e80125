/**
 * Databases created before tests need them and dropped after tests are done with them, in the background: a server takes up to seconds for each.
 * The process of the run holds the stock, and its workers take from it by files, which only one of them can remove.
 */
import { existsSync, mkdirSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { testDatabaseName } from "./left-overs.ts";

/** Of each server; more only where tests take them faster than the server makes them. */
const COUNT = 4;
const LOOK_EVERY_MS = 50;

const MADE = "made";
const DONE = "done";

const namesIn = (folder: string, kind: string): string[] => readdirSync(join(folder, kind));

/** A database of the stock in `folder`; undefined where there is none at the moment, or no stock. */
export function takeFromStock(folder: string): string | undefined {
  if (!existsSync(join(folder, MADE))) return undefined;
  return namesIn(folder, MADE).find((name) => {
    try {
      unlinkSync(join(folder, MADE, name));
      return true;
    } catch {
      return false; // another worker was faster
    }
  });
}

/** Has a database dropped soon. Gives false where there is no stock in `folder` that could do it. */
export function leaveToStock(folder: string, name: string): boolean {
  if (!existsSync(join(folder, DONE))) return false;
  writeFileSync(join(folder, DONE, name), "");
  return true;
}

/**
 * Keeps a stock in `folder`, which is made, with what makes and drops a database of that name.
 * @returns a function that ends it and drops all returned and all unused databases; it throws what went wrong meanwhile
 */
export function keepStock(
  folder: string,
  make: (name: string) => Promise<void>,
  drop: (name: string) => Promise<void>,
): () => Promise<void> {
  for (const kind of [MADE, DONE]) mkdirSync(join(folder, kind), { recursive: true });
  let isEnded = false;
  const dropAll = async (kind: string): Promise<void> => {
    for (const name of namesIn(folder, kind)) {
      await drop(name);
      unlinkSync(join(folder, kind, name));
    }
  };
  const work = async (): Promise<void> => {
    while (!isEnded) {
      if (namesIn(folder, MADE).length < COUNT) {
        const name = testDatabaseName("test");
        await make(name);
        writeFileSync(join(folder, MADE, name), "");
      } else await Promise.all([dropAll(DONE), sleep(LOOK_EVERY_MS)]);
    }
  };
  const working = work().catch((error: unknown) => error);
  return async () => {
    isEnded = true;
    const error = await working;
    await dropAll(DONE);
    await dropAll(MADE);
    if (error !== undefined) throw error;
  };
}
