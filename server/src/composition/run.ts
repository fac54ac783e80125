/** Runs the program: as a single process, or as a primary with WORKERS identical ones that share one port. */
import cluster from "node:cluster";
import type { Worker } from "node:cluster";
import { Fault } from "../../../contract/src/fault.ts";
import { type RunningApp, type StartOptions, startApp } from "../app.ts";
import { type Config, readConfig } from "../config.ts";
import { serveMetrics } from "../http/metrics-listener.ts";
import { WorkersMetrics } from "../http/worker-metrics.ts";
import { newProcessId } from "./foundation.ts";
import { releaseStartupMemory } from "./memory.ts";
import { LAST_METRICS_MS, openMetricExport } from "./metric-export.ts";

/** One line on standard output. */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One line on standard error. */
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** The message of a worker that listens. */
interface Listening {
  listening: string;
  wizard: string | undefined;
}

/** A worker that dies sooner than this is not restarted: it would die again. */
const SHORTEST_LIFE_MS = 5_000;
const RESTART_DELAY_MS = 1_000;
/** How often a worker that is killed during its startup is restarted. */
const MAX_STARTS = 3;
/** Exit code of a process that could not start. */
const GAVE_UP = 1;

function isListening(message: unknown): message is Listening {
  return typeof message === "object" && message !== null && "listening" in message;
}

/** A worker was killed before it listened, for example for lack of memory. */
const killed = (signal: string) => new Fault("killed", `A worker was ended by ${signal} before it listened`);

function firstListening(worker: Worker): Promise<Listening> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: unknown) => {
      if (isListening(message)) resolve(message);
    });
    worker.once("exit", (code, signal: string | null) => {
      if (code === GAVE_UP) process.exit(GAVE_UP); // it has printed the reason
      if (signal !== null) reject(killed(signal));
      else reject(new Error(`A worker ended with ${code} before it listened`));
    });
  });
}

/** The running workers, and the replacement of one that ends. */
class Crew {
  readonly #startedMs = new Map<number, number>();
  #starting: Worker | undefined;
  #isEnding = false;

  constructor() {
    cluster.on("exit", (worker, code, signal) => this.#replace(worker, signal ?? String(code)));
  }

  #fork(): Worker {
    const worker = cluster.fork();
    this.#startedMs.set(worker.id, Date.now());
    return worker;
  }

  /** Starts a worker. A killed one is retried; any other end before it listens is thrown. */
  async start(): Promise<Listening> {
    for (let triesLeft = MAX_STARTS - 1; ; triesLeft -= 1) {
      this.#starting = this.#fork();
      try {
        return await firstListening(this.#starting);
      } catch (error) {
        if (!(error instanceof Fault) || triesLeft === 0) throw error;
        complain(`${error.message}; another one takes its place`);
      } finally {
        this.#starting = undefined;
      }
    }
  }

  #replace(worker: Worker, reason: string): void {
    const lifeMs = Date.now() - (this.#startedMs.get(worker.id) ?? 0);
    this.#startedMs.delete(worker.id);
    if (this.#isEnding || worker === this.#starting) return;
    complain(`Worker ${worker.process.pid} ended with ${reason}; another one takes its place`);
    setTimeout(() => this.#isEnding || this.#fork(), lifeMs < SHORTEST_LIFE_MS ? RESTART_DELAY_MS : 0);
  }

  /** Exit code 0 once every worker has drained and `endMetrics` has sent what they counted; a second call does not wait for that. */
  end(endMetrics: () => Promise<void>): void {
    this.#isEnding = true;
    endWorkers(endMetrics);
  }
}

/** Starts the workers one after the other: the first migrates, and a wrong port or key is reported once. */
async function runPrimary(config: Config): Promise<void> {
  // Each worker accepts its own connections: one that the primary passed to a worker that then died would stay open forever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const crew = new Crew();
  const metrics = new WorkersMetrics();
  const sending = await openMetricExport(config, {
    processId: newProcessId(),
    read: () => metrics.families(),
    say: (line) => complain(line),
  });
  const endMetrics = async (): Promise<void> => sending?.close(LAST_METRICS_MS);
  process.on("SIGTERM", () => crew.end(endMetrics));
  process.on("SIGINT", () => crew.end(endMetrics));
  await serveMetrics(config, metrics);
  const { listening, wizard } = await crew.start();
  for (let count = 1; count < config.workers; count += 1) await crew.start();
  say(`${config.workers} processes listen`);
  say(wizard === undefined ? `Turnpike is at ${listening}` : `Turnpike is not set up yet. Open ${wizard}`);
}

/** Exit code 0 once every worker has drained, and the last metrics are sent. */
function endWorkers(endMetrics: () => Promise<void>): void {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  if (workers.length === 0) process.exit(0);
  let left = workers.length;
  for (const worker of workers) {
    worker.once("exit", () => {
      left -= 1;
      if (left === 0) void endMetrics().finally(() => process.exit(0));
    });
    worker.process.kill("SIGTERM");
  }
}

const phases: string[] = [];

/** Prints one line for the operator, then exits. */
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

/** After the delay and the grace time the process ends with everything that is still open. */
const END_LIMIT_MS = 5_000;

/** Shuts down once, on the first call, within `limitMs`; a second signal exits at once. */
function endOnce(close: (code: number) => Promise<void>, limitMs: number): (code: number) => void {
  let isEnding = false;
  return (code) => {
    if (isEnding) process.exit(code === 0 ? 130 : code);
    isEnding = true;
    setTimeout(giveUp, limitMs, new Error(`The end took longer than ${limitMs / 1000} s and was cut off`));
    close(code).then(
      () => process.exit(code),
      (error: unknown) => giveUp(error),
    );
  };
}

/** Signals drain and exit 0; an uncaught error is logged, drains and exits 1, so that a supervisor restarts the process. */
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

async function runServer(config: Config, options: RunOptions): Promise<void> {
  const running: { app?: RunningApp } = {};
  // A startup that waits for its database ends like a completed one.
  const limitMs = (config.shutdownDelaySeconds + config.shutdownGraceSeconds) * 1000 + END_LIMIT_MS;
  const end = endOnce(async (code) => running.app?.close({ isFailing: code !== 0 }), limitMs);
  endOnSignals(end);
  const app = await startApp(config, {
    ...options,
    onPhase: (phase, durationMs) => phases.push(`${phase} ${Math.round(durationMs)} ms`),
    onWaiting: (url, { message }) => complain(`Turnpike listens at ${url} and waits for its database: ${message}`),
    onDeath: () => end(1),
  });
  running.app = app;
  if (cluster.isPrimary) await announce(app);
  else process.send?.({ listening: app.url, wizard: await app.setupUrl() });
  releaseStartupMemory();
}

/** The migrations of another version, for tests of upgrades. */
type RunOptions = Pick<StartOptions, "migrations">;

/** Starts the program. A failed startup is one line on standard error and exit code 1. */
export async function run(options: RunOptions = {}): Promise<void> {
  // Databases, journals and keys are readable by their owner alone, with any umask of the shell.
  process.umask(0o077);
  const config = readOrGiveUp();
  try {
    if (config.workers > 1 && cluster.isPrimary) await runPrimary(config);
    else await runServer(config, options);
  } catch (error) {
    giveUp(error);
  }
}
