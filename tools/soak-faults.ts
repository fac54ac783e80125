/** `npm run soak -- faults [file ...]`: the tests of faults in their full form, 20 kills and all three engines, which `npm test` holds in short. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Runs them; `names` are parts of file names, all where there is none. Gives the exit code. */
export function soakFaults(names: readonly string[]): Promise<number> {
  const files = names.length === 0 ? ["tests/faults/"] : names.map((name) => `tests/faults/${name}`);
  const child = spawn(process.execPath, [join("node_modules", "vitest", "vitest.mjs"), "run", ...files], {
    cwd: ROOT,
    env: { ...process.env, FAULTS: "full" },
    stdio: "inherit",
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}
