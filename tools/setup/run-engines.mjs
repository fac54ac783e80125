/**
 * Starts the database servers of a whole run (memory-engines.ts). On a disk a table that is made or dropped makes MariaDB wait some milliseconds
 * several times, and each database of a test has sixty of them: with its data in memory it is migrated in a fifth of the time.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { nodeBinary, ROOT, runtimeEnvironment } from "./runtime.mjs";

/**
 * @param {string} folder in memory, where the servers keep their data
 * @param {Record<string, string | undefined>} more of their environment, beside this process's: a server whose address is named there is not started
 * @returns {Promise<{environment: Record<string, string>, end: () => Promise<void>}>} what leads the tests to them (nothing where none could be
 * started: then those at the usual addresses are used), and what ends them; they end with this process too
 */
export async function startRunEngines(folder, more = {}) {
  const child = spawn(nodeBinary(), ["tools/setup/memory-engines.ts"], {
    cwd: ROOT,
    env: runtimeEnvironment({ ...more, TMPDIR: folder }),
    stdio: ["pipe", "pipe", "inherit"],
    // A Ctrl-C reaches the tests first, which still drop their databases.
    detached: true,
  });
  // What has ended by itself reads nothing any more.
  child.stdin.on("error", () => undefined);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
  const end = async () => {
    child.stdin.end();
    await ended;
  };
  return { environment: typeof line === "string" ? JSON.parse(line) : {}, end };
}
