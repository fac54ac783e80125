/** Child processes of a benchmark run: started in one place, so that every one of them is ended at the end. */
import { fork, spawn } from "node:child_process";
import type { ChildProcess, ForkOptions, SpawnOptions } from "node:child_process";
import { createServer, connect } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

const GRACE_MS = 5_000;
/** Between two looks whether a server is there: short, since the time of a start is measured by it. */
const POLL_MS = 10;
const running = new Set<ChildProcess>();

/** Starts a program and remembers it until it ends. */
export function startProgram(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return remember(spawn(command, args, options));
}

/** Starts one of our own TypeScript files with a message channel and remembers it until it ends. */
export function startModule(file: URL, args: readonly string[], options: ForkOptions = {}): ChildProcess {
  return remember(fork(file, args, options));
}

function remember(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** The id of a started process. Throws when it could not be started. */
export function processIdOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error(`${child.spawnfile} could not be started`);
  return child.pid;
}

/** Asks a process to end, forces it after five seconds, and resolves when it has. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await ended;
  clearTimeout(force);
}

/** Ends everything that is still running. */
export async function stopEverything(): Promise<void> {
  await Promise.all([...running].map(stopProcess));
}

/** The last resort of a run that is interrupted: kills without waiting. */
export function killEverything(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Below those that the system gives to outgoing connections: one of these could sit on a port before its server does. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

/** A TCP port of 127.0.0.1 below 32768 that nothing listens on at this moment. Throws where there is none. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false; // taken: the caller tries another one
  }
  server.close();
  await once(server, "close");
  return true;
}

/** Waits until something accepts connections on the port of 127.0.0.1. Throws when the process ends first or time is up. */
export async function waitForPort(port: number, child: ChildProcess, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (!running.has(child)) throw new Error(`${child.spawnfile} ended before it listened on port ${port}`);
    if (await accepts(port)) return;
    await delay(POLL_MS);
  }
  throw new Error(`${child.spawnfile} did not listen on port ${port} within ${timeoutMs} ms`);
}

/** Waits until a Turnpike on the port serves: it listens before its database is there. Throws when the process ends first or time is up. */
export async function waitUntilReady(port: number, child: ChildProcess, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  await waitForPort(port, child, timeoutMs);
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) {
    if (performance.now() > deadline)
      throw new Error(`the server on port ${port} was not ready within ${timeoutMs} ms`);
    await delay(POLL_MS);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false; // refused: not listening yet, the caller asks again
  } finally {
    socket.destroy();
  }
}
