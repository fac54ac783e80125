/** What is built from the sources before a start, each only when its sources changed: the console's pages, and the packed server. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeBinary, ROOT, runtimeEnvironment } from "./runtime.mjs";

/** `sources` are files and folders that the build reads, `stamp` is written into what it makes, `args` are given to the pinned Node. */
const BUILDS = {
  web: {
    sources: ["web", "contract/src", "package-lock.json", "tsconfig.json"],
    stamp: "web/dist/.sources",
    args: ["node_modules/vite/bin/vite.js", "build", "web"],
  },
  server: {
    sources: ["server/src", "contract/src", "package-lock.json", "tsconfig.json", "tools/setup/pack-server.mjs"],
    stamp: "server/dist/.sources",
    args: ["node_modules/rolldown/bin/cli.mjs", "-c", "tools/setup/pack-server.mjs"],
  },
};

const IGNORED = new Set(["dist", "node_modules"]);

function* filesUnder(path) {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (IGNORED.has(entry.name)) continue;
    if (entry.isDirectory()) yield* filesUnder(`${path}/${entry.name}`);
    else if (!/\.test\.tsx?$/.test(entry.name)) yield `${path}/${entry.name}`;
  }
}

/** SHA-256 over the names of all sources, each with what `read` says of the file at its path; tests are left out. */
function hashSources(sources, read) {
  const hash = createHash("sha256");
  for (const source of sources) {
    const files = /\.\w+$/.test(source) ? [source] : filesUnder(source);
    for (const file of files)
      hash
        .update(`${file}\0`)
        .update(read(join(ROOT, file)))
        .update("\0");
  }
  return hash.digest("hex");
}

function sizeAndTime(path) {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}

/**
 * True when `name` was built from these sources. Contents decide; they are read only where a file's size or time is not that of the last
 * look, which is half of the time of a start.
 */
export function isBuilt(name) {
  const { sources, stamp } = BUILDS[name];
  const stampPath = join(ROOT, stamp);
  if (!existsSync(stampPath)) return false;
  const [seen, built] = readFileSync(stampPath, "utf8").split("\n");
  const look = hashSources(sources, sizeAndTime);
  if (seen === look) return true;
  if (built !== hashSources(sources, readFileSync)) return false;
  writeFileSync(stampPath, `${look}\n${built}`);
  return true;
}

/** Builds `name`. Returns what was done, for the phase line; throws with the builder's words when it fails. */
export function build(name) {
  const { sources, stamp, args } = BUILDS[name];
  // Before the build: what changes while it runs is built the next time.
  const state = `${hashSources(sources, sizeAndTime)}\n${hashSources(sources, readFileSync)}`;
  const environment = runtimeEnvironment({ NODE_ENV: "production" });
  const result = spawnSync(nodeBinary(), args, { cwd: ROOT, encoding: "utf8", env: environment });
  if (result.status !== 0) throw new Error(`The build of ${name} failed:\n${result.stdout}${result.stderr}`);
  writeFileSync(join(ROOT, stamp), state);
  return "built";
}
