/**
 * `npm run site`: builds the documentation site into site/dist, `-- --serve` serves it while one writes. Its packages are site/package.json's own and
 * are installed where they are missing or not those of its lockfile; further words go to VitePress (`-- --base /docs/`).
 */
import { copyFileSync, existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { installIn, isInstalled } from "./setup/install.mjs";
import { nodeBinary, ROOT, runToEnd } from "./setup/runtime.mjs";

const SITE = join(ROOT, "site");
const LOCK = join(SITE, ".installing");
const LOCK_MS = 120_000;
/** What pages show or hand out; site/.vitepress/links.ts has their addresses. */
const FILES = ["docs/openapi.json", "docs/config-schema.json", "docs/screenshot.png", "web/public/mark.svg"];

/** Installs for one process at a time: two of them in one folder break each other's packages. */
async function install() {
  while (!isOurs()) await setTimeout(200);
  try {
    const isThere = isInstalled({ withDevelopment: true, root: SITE, neededRuntime: "" });
    if (!isThere) installIn(SITE, ["--include=dev"]);
  } finally {
    rmdirSync(LOCK);
  }
}

/** Takes the lock. One that is older than an installation can be was left by a process that was killed. */
function isOurs() {
  try {
    mkdirSync(LOCK);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const { mtimeMs } = statSync(LOCK, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > LOCK_MS) rmdirSync(LOCK);
    return false;
  }
}

function copyFiles() {
  const folder = join(SITE, "public");
  if (!existsSync(folder)) mkdirSync(folder);
  for (const path of FILES) copyFileSync(join(ROOT, path), join(folder, basename(path)));
}

const words = process.argv.slice(2);
const isServing = words.includes("--serve");
try {
  await install();
  copyFiles();
  const args = [isServing ? "dev" : "build", SITE, ...words.filter((word) => word !== "--serve")];
  process.exitCode = await runToEnd(nodeBinary(), [join(SITE, "node_modules/vitepress/bin/vitepress.js"), ...args]);
} catch (error) {
  process.stderr.write(`The site was not built: ${error.message}\n`);
  process.exitCode = 1;
}
