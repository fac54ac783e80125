/** Builds the console's web pages when their sources changed since the last build. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeBinary, ROOT, runtimeEnvironment } from "./runtime.mjs";

const SOURCES = ["web", "contract/src", "package-lock.json", "tsconfig.json"];
const IGNORED = new Set(["dist", "node_modules"]);
const STAMP = join(ROOT, "web", "dist", ".sources-sha256");

function* filesUnder(path) {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (IGNORED.has(entry.name)) continue;
    if (entry.isDirectory()) yield* filesUnder(`${path}/${entry.name}`);
    else if (!/\.test\.tsx?$/.test(entry.name)) yield `${path}/${entry.name}`;
  }
}

/** SHA-256 over names and contents of everything the build reads, tests left out. */
function hashSources() {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    const files = source.includes(".") ? [source] : filesUnder(source);
    for (const file of files)
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(ROOT, file)))
        .update("\0");
  }
  return hash.digest("hex");
}

/** Builds when needed. Returns what was done, for the phase line; throws with the builder's words when it fails. */
export function buildWeb() {
  const wanted = hashSources();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return "up to date";
  const result = spawnSync(nodeBinary(), [join("node_modules", "vite", "bin", "vite.js"), "build", "web"], {
    cwd: ROOT,
    encoding: "utf8",
    env: runtimeEnvironment({ NODE_ENV: "production" }),
  });
  if (result.status !== 0) throw new Error(`The web build failed:\n${result.stdout}${result.stderr}`);
  writeFileSync(STAMP, wanted);
  return "built";
}
