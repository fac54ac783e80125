/** `npm run soak -- faults [file ...]` and `-- aborts`: tests in their full form, which `npm test` holds in short. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The kinds of full tests; a name behind one is a part of a file's name. */
const FILES: Readonly<Record<string, (names: readonly string[]) => string[]>> = {
  faults: (names) => (names.length === 0 ? ["tests/faults/"] : names.map((name) => `tests/faults/${name}`)),
  aborts: () => ["server/src/relay/aborts.test.ts"],
};

/** True for a word that names tests to run in full instead of cycles. */
export const isKindOfTests = (word: string | undefined): word is string =>
  word !== undefined && Object.hasOwn(FILES, word);

/** Runs the tests of a kind in full: 20 kills and all three engines, 512 aborts. Gives the exit code. */
export function soakTests(kind: string, names: readonly string[]): Promise<number> {
  const files = FILES[kind]?.(names) ?? [];
  const child = spawn(process.execPath, [join("node_modules", "vitest", "vitest.mjs"), "run", ...files], {
    cwd: ROOT,
    env: { ...process.env, FAULTS: "full" },
    stdio: "inherit",
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}
