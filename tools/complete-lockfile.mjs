/**
 * Adds to package-lock.json, and to that of the programs in tools/agents/packages, the optional packages for other machines that the registry could not show when it was written.
 * Without them `npm ci` calls the lockfile out of step. Their versions are pinned by the packages that ask for them; the machine they
 * are for is read from their names. Run it after adding a dependency: `node tools/complete-lockfile.mjs`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const OS = { windows: "win32" };
const LIBC = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };
const NAME = /(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|windows)-(\w+?)(?:-(\w+))?$/;

/** The lockfile's entry for a package that only its name and exact version are known of. */
export function entryFor(name, version) {
  const [, os, cpu, abi] = NAME.exec(name) ?? [];
  if (os === undefined || !/^\d/.test(version)) throw new Error(`Cannot tell which machine ${name}@${version} is for`);
  const libc = LIBC[abi];
  return { version, cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }), optional: true, os: [OS[os] ?? os] };
}

/** Optional packages that a locked package names and the lockfile has no entry for, as `path -> { version, dev }`; `dev` as the package that names them. */
export function missingOptional(packages) {
  const missing = new Map();
  for (const [path, { optionalDependencies = {}, peer, dev = false }] of Object.entries(packages)) {
    if (peer === true) continue;
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
      if (!places.some((place) => place in packages)) missing.set(`node_modules/${name}`, { version, dev });
    }
  }
  return missing;
}

function complete(file) {
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = missingOptional(lock.packages);
  for (const [path, { version, dev }] of missing) {
    lock.packages[path] = { ...(dev ? { dev } : {}), ...entryFor(path.slice("node_modules/".length), version) };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`${missing.size} added\n`);
}

const LOCKFILES = ["../package-lock.json", "agents/packages/package-lock.json"];
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  for (const path of LOCKFILES) complete(new URL(path, import.meta.url));
