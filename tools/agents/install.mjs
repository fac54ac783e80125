/**
 * Installs the programs that run against the relay, in the versions of packages/package-lock.json, into a cache outside the clone: it is used again for as
 * long as it is whole, so that a second run asks no registry. `node tools/agents/install.mjs` fills it ahead; must load on Node 20.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installIn } from "../setup/install.mjs";

const PACKAGES = fileURLToPath(new URL("packages", import.meta.url));
const PARTS = ["package.json", "package-lock.json"];
/** Written last: how many files and bytes a whole installation has. */
const RECORD = "whole.json";
/** It took one minute; a slow network is given five. */
const INSTALL_MS = 300_000;
/** What no run has used for so long, or an installation that was killed left behind, is removed. */
const UNUSED_MS = 14 * 24 * 3_600_000;

const MACHINE = `${process.platform}-${process.arch}`;
/** Packages with a binary for one machine: npm ends well without them, where it could not fetch one. */
const BINARIES = ["@anthropic-ai/claude-code", "@openai/codex", "opencode"].map((name) => `${name}-${MACHINE}`);

/** The place of caches of every lockfile: one for all clones of this machine. */
const CACHES = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "turnpike-agents");

/** The folder whose node_modules has the programs of a lockfile, installed or not. @param {string} [packages] the folder of the lockfile */
export function programsFolder(packages = PACKAGES, caches = CACHES) {
  const hash = createHash("sha256");
  for (const part of PARTS) hash.update(readFileSync(join(packages, part)));
  return join(caches, `${MACHINE}-${hash.digest("hex").slice(0, 16)}`);
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));

/** Files and bytes of the packages, which no program changes. */
function sizeOf(folder) {
  const sizes = filesBelow(join(folder, "node_modules")).map((path) => statSync(path).size);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Whether an installation is there with every file that it had when it was made. @param {string} folder */
export function isWhole(folder) {
  const record = join(folder, RECORD);
  if (!existsSync(record) || !existsSync(join(folder, "node_modules"))) return false;
  const [made, now] = [JSON.parse(readFileSync(record, "utf8")), sizeOf(folder)];
  return made.files === now.files && made.bytes === now.bytes;
}

/** Removes what npm brings and no program reads. */
function removeMaps(folder) {
  for (const path of filesBelow(join(folder, "node_modules"))) if (path.endsWith(".map")) rmSync(path);
}

function fill(folder, packages, binaries) {
  for (const part of PARTS) copyFileSync(join(packages, part), join(folder, part));
  // A registry that does not answer is asked once more, not for minutes.
  installIn(folder, ["--omit=dev", "--fetch-retries=1", "--fetch-retry-mintimeout=2000"], INSTALL_MS);
  const missing = binaries.filter((name) => !existsSync(join(folder, "node_modules", name)));
  if (missing.length > 0) throw new Error(`npm left out ${missing.join(", ")}`);
  removeMaps(folder);
  writeFileSync(join(folder, RECORD), JSON.stringify(sizeOf(folder)));
}

function removeUnused(caches, used) {
  for (const name of readdirSync(caches)) {
    const path = join(caches, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (path !== used && age > UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Puts a new installation into its place; where another process was faster, its own is used. */
function moveInto(folder, made) {
  if (isWhole(folder)) return;
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}

/**
 * Installs the programs where the cache lacks them or is not whole.
 * @param {{packages?: string, caches?: string, binaries?: readonly string[]}} [options] another lockfile's folder, another cache, and what else has to be there
 * @returns {"installed" | "up to date"} Throws an Error that says what to do where there is no whole cache and npm cannot fill one.
 */
export function installPrograms({ packages = PACKAGES, caches = CACHES, binaries = BINARIES } = {}) {
  const folder = programsFolder(packages, caches);
  mkdirSync(caches, { recursive: true });
  const isThere = isWhole(folder);
  if (!isThere) {
    const made = mkdtempSync(join(caches, "installing-"));
    try {
      fill(made, packages, binaries);
      moveInto(folder, made);
    } catch (error) {
      throw new Error(
        `The programs that run against the relay are not in ${folder}, and npm could not fetch them: see that its registry answers, ` +
          `then run node tools/agents/install.mjs.\n${error.message}`,
        { cause: error },
      );
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  utimesSync(folder, new Date(), new Date());
  removeUnused(caches, folder);
  return isThere ? "up to date" : "installed";
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const startedMs = performance.now();
  try {
    const outcome = installPrograms();
    process.stdout.write(`programs   ${outcome.padEnd(12)} ${((performance.now() - startedMs) / 1000).toFixed(2)} s\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
