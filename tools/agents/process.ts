/** One run of a coding agent as a process: its package from npm, a home and a folder of its own, signals to all that it started, and its end. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Agent, CACHE, configure, environmentOf, type Place } from "./programs.ts";

/** An agent starts in seconds; a busy machine takes longer. */
export const RUN_MS = 180_000;

/** Whether the cache has exactly this package, so that no registry is asked for it. */
function isInstalled(wanted: string): boolean {
  const at = wanted.lastIndexOf("@");
  const path = join(CACHE, "node_modules", wanted.slice(0, at), "package.json");
  if (!existsSync(path)) return false;
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version === wanted.slice(at + 1);
}

/** Installs what the cache lacks; throws where npm fails. */
export function install(agents: readonly Agent[]): void {
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(join(CACHE, "package.json"))) writeFileSync(join(CACHE, "package.json"), "{}");
  const missing = new Set(agents.flatMap(({ packages }) => packages).filter((name) => !isInstalled(name)));
  if (missing.size === 0) return;
  const flags = ["--no-audit", "--no-fund", "--save-exact", "--ignore-scripts"];
  execFileSync("npm", ["install", ...flags, ...missing], { cwd: CACHE, stdio: ["ignore", "ignore", "inherit"] });
}

/** A fresh home and folder for one agent. */
export function newPlace(agent: Agent, url: string): Place {
  const root = mkdtempSync(join(tmpdir(), "turnpike-agent-"));
  const place = { url, home: join(root, "home"), folder: join(root, "work") };
  mkdirSync(place.home);
  mkdirSync(place.folder);
  configure(agent, place);
  return place;
}

export interface Run {
  child: ChildProcess;
  /** Its exit code and all that it printed, once it is over. */
  ended: Promise<{ code: number; text: string }>;
}

/** Starts an agent in a group of its own, so that a signal reaches the programs that it starts, as from a terminal. */
export function start(agent: Agent, place: Place, prompt: string, isResumed = false): Run {
  const [name = "", ...args] = agent.command(prompt, isResumed, place);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: place.home, IS_SANDBOX: "1", NO_COLOR: "1", ...environmentOf(agent, place) };
  const path = name === "node" ? process.execPath : resolve(CACHE, "node_modules", ".bin", name);
  const child = spawn(path, args, { cwd: place.folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), RUN_MS);
  let text = "";
  const collect = (piece: Buffer): void => void (text += piece.toString());
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const ended = new Promise<{ code: number; text: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, text });
    });
  });
  return { child, ended };
}

/** Signals an agent and all that it started; those that have gone are no error. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    // All of it has gone.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Removes what newPlace made. */
export const removePlace = (place: Place): void => rmSync(join(place.home, ".."), { recursive: true, force: true });
