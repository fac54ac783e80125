/** Real processes for tests: the server and the fake upstream, started on free ports, killed by id, none left running. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { UpstreamInfo } from "./directed-upstream.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const START_LIMIT_MS = 60_000;

/** What runs now; killed at the end of the test file (shared-worker.ts) and of its worker, for any result of the tests. */
const running = new Set<ChildProcess>();

/** Kills every process that this worker started and that still runs. */
export function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}
process.on("exit", killAll);

/** Counts a child in, so that it never outlives this process. */
export function watched<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Ids of the processes that this one started and that live, from the kernel's table. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
}

/** The fields behind the name, which may hold anything: state, parent, ... */
function parentOf(name: string): number {
  try {
    const status = readFileSync(`/proc/${name}/stat`, "latin1");
    const [state = "", parent = ""] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? 0 : Number(parent);
  } catch {
    return 0; // it ended meanwhile
  }
}

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));

export interface ServerProcess {
  /** Where it listens, without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** Everything it wrote, both streams. */
  output(): string;
  readonly exited: Promise<Exit>;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Exit>;
}

type Environment = Readonly<Record<string, string>>;

/** As `npm start` has it: compiled code is cached from one start to the next. */
const COMPILE_CACHE: Environment = { NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/compiled` };

/** What `npm start` runs. */
const MAIN = "server/dist/main.mjs";

function launch(
  env: Environment,
  program = MAIN,
): { child: ChildProcess; output: () => string; exited: Promise<Exit> } {
  const child = watched(
    spawn(process.execPath, [program], {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", ...COMPILE_CACHE, PORT: "0", LOG_LEVEL: "warn", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const parts: string[] = [];
  child.stdout?.on("data", (part: Buffer) => parts.push(part.toString()));
  child.stderr?.on("data", (part: Buffer) => parts.push(part.toString()));
  return { child, output: () => parts.join(""), exited: exitOf(child) };
}

const ADDRESS = /(?:Turnpike is at|Turnpike listens at|Open) (http:\/\/[^\s/]+)/;

/**
 * Starts a server, that of `npm start` where no other program is named, and waits until it listens, be it that it waits for its database.
 * Throws with its output where it ends before that.
 */
export async function startServer(env: Environment, program?: string): Promise<ServerProcess> {
  const { child, output, exited } = launch(env, program);
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server does not start: ${output()}`)), START_LIMIT_MS);
    const look = (): void => {
      const found = ADDRESS.exec(output())?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code ?? signal}: ${output()}`));
    });
  });
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> => {
    child.kill(signal);
    return exited;
  };
  return { url, pid: child.pid ?? 0, output, exited, end };
}

/** Starts what `npm start` runs where it is expected to give up, and waits for that. Kills it after a minute. */
export async function runServerToItsEnd(env: Environment): Promise<Exit & { output: string }> {
  const { child, output, exited } = launch(env);
  const timer = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
  const exit = await exited;
  clearTimeout(timer);
  return { ...exit, output: output() };
}

export interface UpstreamProcess {
  readonly url: string;
  facts(): Promise<UpstreamInfo>;
  /** Forgets what it saw, but not the count. */
  reset(): Promise<UpstreamInfo>;
  end(): Promise<Exit>;
}

type Told = { url: string } | { id: number; facts: UpstreamInfo };

/** Starts the fake upstream that answers as each request's last message says. */
export async function startUpstream(): Promise<UpstreamProcess> {
  const child = watched(
    spawn(process.execPath, ["tests/support/systems/directed-upstream.ts"], {
      cwd: ROOT,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    }),
  );
  const exited = exitOf(child);
  const waiting = new Map<number, (facts: UpstreamInfo) => void>();
  let lastId = 0;
  const url = await new Promise<string>((resolve, reject) => {
    child.on("message", (told: Told) => {
      if ("url" in told) return resolve(told.url);
      waiting.get(told.id)?.(told.facts);
      waiting.delete(told.id);
    });
    void exited.then(() => reject(new Error("the upstream ended")));
  });
  const ask = (isReset: boolean): Promise<UpstreamInfo> =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      child.send({ id, isReset });
    });
  const end = async (): Promise<Exit> => {
    child.kill("SIGKILL");
    return exited;
  };
  return { url, facts: () => ask(false), reset: () => ask(true), end };
}

/** Waits until the condition holds, looking every 20 ms. Throws with `what` after the limit. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  what: string,
  limitMs = 30_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited too long for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
