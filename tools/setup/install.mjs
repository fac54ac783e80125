/**
 * Installs the npm packages when node_modules is missing or is not what package-lock.json says: what running and building the console
 * need, or also the development packages of the root's package.json, which tests and most tools need. Where both are built, those of
 * running alone.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runtimePackage } from "./runtime.mjs";

const readPackages = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

/** Path of the package that `name` means in the one at `path`: the next node_modules upwards that has it, as Node looks for it. */
function resolved(packages, path, name) {
  const found = `${path === "" ? "" : `${path}/`}node_modules/${name}`;
  if (Object.hasOwn(packages, found)) return found;
  return path === ""
    ? undefined
    : resolved(packages, path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name);
}

/** Paths of the packages that the root's own dependencies lead to: what running needs. */
function runningPackages(packages) {
  const seen = new Set([""]);
  for (const path of seen) {
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolved(packages, path, name);
      if (found !== undefined) seen.add(found);
    }
  }
  return seen;
}

/**
 * True when npm's own record of what it installed (written at the end of an installation, so a broken one has none)
 * holds every package of the lockfile in its exact version. Optional packages for other machines may be absent, and development
 * packages where only running is asked for; without `withBuilders` also those that only the builds need.
 */
export function isInstalled({ withDevelopment, withBuilders = true, root = ROOT, neededRuntime = runtimePackage() }) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = readPackages(record);
  const locked = readPackages(join(root, "package-lock.json"));
  const running = withBuilders ? undefined : runningPackages(locked);
  return Object.entries(locked).every(([path, wanted]) => {
    if (path === "" || running?.has(path) === false) return true;
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
export function installPackages({ withDevelopment, withBuilders }) {
  if (isInstalled({ withDevelopment, withBuilders })) return "up to date";
  install({ withDevelopment, withBuilders });
  return "installed";
}

/** Leaves the packages of running alone. Returns and throws as `installPackages`. */
export function removeBuilders() {
  install({ withDevelopment: false, withBuilders: false });
  return "removed";
}

function install({ withDevelopment, withBuilders }) {
  installIn(ROOT, [
    withDevelopment ? "--include=dev" : "--omit=dev",
    "--include=optional",
    ...(withBuilders ? [] : ["--workspaces=false"]),
  ]);
  removeHeaders();
}

/** Runs `npm ci` in a folder with a lockfile of its own. Throws with npm's words when npm fails, or is not done after `timeoutMs`. */
export function installIn(folder, words, timeoutMs) {
  // Nothing here needs install scripts; optional packages carry Node itself.
  const args = ["ci", "--ignore-scripts", ...words, "--no-audit", "--no-fund", "--prefer-offline"];
  const [command, commandArgs] = npmCommand(args);
  const result = spawnSync(command, commandArgs, {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, npm_config_loglevel: "error" },
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  if (result.status !== 0) throw new Error(`npm ci failed:\n${result.stdout ?? ""}${result.stderr ?? result.error}`);
}
