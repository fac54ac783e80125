/**
 * Installs the npm packages when node_modules is missing or is not what package-lock.json says: what running and building the console
 * need, or also the development packages of the root's package.json, which tests and most tools need.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runtimePackage } from "./runtime.mjs";

const readPackages = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

/**
 * True when npm's own record of what it installed (written at the end of an installation, so a broken one has none)
 * holds every package of the lockfile in its exact version. Optional packages for other machines may be absent, and development
 * packages where only running is asked for.
 */
export function isInstalled({ withDevelopment, root = ROOT, neededRuntime = runtimePackage() }) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = readPackages(record);
  return Object.entries(readPackages(join(root, "package-lock.json"))).every(([path, wanted]) => {
    if (path === "") return true;
    const found = installed[path];
    if (found === undefined && wanted.dev === true && !withDevelopment) return true;
    if (found === undefined) return wanted.optional === true && path !== `node_modules/${neededRuntime}`;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/** `npm ci` through the npm that started us, else the one on the path. */
function npmCommand(args) {
  const npm = process.env.npm_execpath;
  if (npm !== undefined && /npm-cli\.c?js$/.test(npm)) return [process.execPath, [npm, ...args]];
  return [process.platform === "win32" ? "npm.cmd" : "npm", args];
}

/** Node's own package has 67 MB of headers for compiling add-ons, which this project does not. */
function removeHeaders() {
  const runtime = runtimePackage();
  if (runtime !== undefined) rmSync(join(ROOT, "node_modules", runtime, "include"), { recursive: true, force: true });
}

/** Installs what is missing. Returns what was done, for the phase line; throws with npm's words when npm fails. */
export function installPackages({ withDevelopment }) {
  if (isInstalled({ withDevelopment })) return "up to date";
  // Nothing here needs install scripts; optional packages carry Node itself.
  const args = [
    "ci",
    "--ignore-scripts",
    withDevelopment ? "--include=dev" : "--omit=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
  ];
  const [command, commandArgs] = npmCommand(args);
  const result = spawnSync(command, commandArgs, {
    cwd: ROOT,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, npm_config_loglevel: "error" },
  });
  if (result.status !== 0) throw new Error(`npm ci failed:\n${result.stdout ?? ""}${result.stderr ?? result.error}`);
  removeHeaders();
  return "installed";
}
