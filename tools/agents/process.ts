/** One run of a coding agent as a process: a home and a folder of its own, signals to all that it started, and its end, by itself or by its limit. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, configure, environmentOf, type Place } from "./programs.ts";

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
  /** Its exit code and all that it printed, once it is over; what was ended by its limit says so in its last line. */
  ended: Promise<{ code: number; text: string }>;
}

/**
 * Starts an agent in a group of its own, so that a signal reaches the programs that it starts, as from a terminal.
 * @param limitMs after so long it is killed with all that it started
 */
export function start(agent: Agent, place: Place, prompt: string, limitMs: number, isResumed = false): Run {
  const [path = "", ...args] = agent.command(prompt, isResumed, place);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: place.home, IS_SANDBOX: "1", NO_COLOR: "1", ...environmentOf(agent, place) };
  const child = spawn(path, args, { cwd: place.folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let text = "";
  const collect = (piece: Buffer): void => void (text += piece.toString());
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const timer = setTimeout(() => {
    text += `\n${agent.name} was ended after ${Math.round(limitMs / 1000)} s\n`;
    signalGroup(child, "SIGKILL");
    // What has left the group may hold the pipes open for ever.
    child.stdout.destroy();
    child.stderr.destroy();
  }, limitMs);
  const ended = new Promise<{ code: number; text: string }>((resolve, reject) => {
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
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
