/** One run of the program: a single process, or a primary with WORKERS identical ones behind one port. */
import cluster from "node:cluster";
import { startApp } from "../app.ts";
import type { RunningApp } from "../app.ts";
import { readConfig } from "../config.ts";
import type { Config } from "../config.ts";
import { settleDown } from "./memory.ts";
import { runPrimary } from "./workers.ts";
import { complain, say } from "./terminal.ts";

const phases: string[] = [];

/** One line for the operator, then the end. */
function giveUp(error: unknown): never {
  complain(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

function readOrGiveUp(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    return giveUp(error);
  }
}

/** Behind the grace time; whatever still waits then is not waited for. */
const END_LIMIT_MS = 5_000;

/** Ends once, on the first call, within `limitMs`; a second signal ends at once. */
function endOnce(close: () => Promise<void>, limitMs: number): (code: number) => void {
  let isEnding = false;
  return (code) => {
    if (isEnding) process.exit(code === 0 ? 130 : code);
    isEnding = true;
    setTimeout(giveUp, limitMs, new Error(`The end took longer than ${limitMs / 1000} s and was cut off`));
    close().then(
      () => process.exit(code),
      (error: unknown) => giveUp(error),
    );
  };
}

/** Signals drain and exit 0; an uncaught error is logged, drains and exits 1, for a supervisor to start afresh. */
function endOnSignals(end: (code: number) => void): void {
  process.on("SIGTERM", () => end(0));
  process.on("SIGINT", () => end(0));
  const fail = (error: unknown) => {
    complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
    end(1);
  };
  process.on("unhandledRejection", fail);
  process.on("uncaughtException", fail);
}

async function announce(app: RunningApp): Promise<void> {
  const wizard = await app.setupUrl();
  say(`Started: ${phases.join(", ")}`);
  say(wizard === undefined ? `Turnpike is at ${app.url}` : `Turnpike is not set up yet. Open ${wizard}`);
}

async function runServer(config: Config): Promise<void> {
  const running: { app?: RunningApp } = {};
  // A start that waits for its database ends like one that is done.
  const end = endOnce(async () => running.app?.close(), config.shutdownGraceSeconds * 1000 + END_LIMIT_MS);
  endOnSignals(end);
  const app = await startApp(config, {
    onPhase: (phase, durationMs) => phases.push(`${phase} ${Math.round(durationMs)} ms`),
    onWaiting: (url, { message }) => complain(`Turnpike listens at ${url} and waits for its database: ${message}`),
    onDeath: () => end(1),
  });
  running.app = app;
  if (cluster.isPrimary) await announce(app);
  else process.send?.({ listening: app.url, wizard: await app.setupUrl() });
  settleDown();
}

/** Starts the program. Whatever stops the start is one line on standard error and exit code 1. */
export async function run(): Promise<void> {
  // Databases, journals and keys are their owner's alone, whatever the shell that started us would give away.
  process.umask(0o077);
  const config = readOrGiveUp();
  try {
    if (config.workers > 1 && cluster.isPrimary) await runPrimary(config);
    else await runServer(config);
  } catch (error) {
    giveUp(error);
  }
}
