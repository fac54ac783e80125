/** The primary of several identical processes (WORKERS): starts them, replaces one that dies, passes the end on. */
import cluster from "node:cluster";
import type { Worker } from "node:cluster";
import type { Config } from "./config.ts";
import { serveMetrics, sharedMetrics } from "./metrics-listener.ts";
import { complain, say } from "./terminal.ts";

/** What a worker tells once it listens. */
interface Listening {
  listening: string;
  wizard: string | undefined;
}

/** A worker that dies sooner than this would die again at once. */
const SHORTEST_LIFE_MS = 5_000;
const RESTART_DELAY_MS = 1_000;

function isListening(message: unknown): message is Listening {
  return typeof message === "object" && message !== null && "listening" in message;
}

function firstListening(worker: Worker): Promise<Listening> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: unknown) => {
      if (isListening(message)) resolve(message);
    });
    worker.once("exit", (code) => reject(new Error(`A worker ended with ${code} before it listened`)));
  });
}

/** Starts the workers one after the other: the first migrates, and a port or key that is wrong is told once. */
export async function runPrimary(config: Config): Promise<void> {
  let isEnding = false;
  const startedMs = new Map<number, number>();
  const fork = (): Worker => {
    const worker = cluster.fork();
    startedMs.set(worker.id, Date.now());
    return worker;
  };
  await serveMetrics(config.metricsPort, sharedMetrics());
  const first = await firstListening(fork());
  for (let count = 1; count < config.workers; count += 1) await firstListening(fork());
  cluster.on("exit", (worker, code) => {
    if (isEnding) return;
    const lifeMs = Date.now() - (startedMs.get(worker.id) ?? 0);
    complain(`Worker ${worker.process.pid} ended with ${code}; another one takes its place`);
    setTimeout(fork, lifeMs < SHORTEST_LIFE_MS ? RESTART_DELAY_MS : 0);
  });
  const end = () => {
    isEnding = true;
    endWorkers();
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  const { listening, wizard } = first;
  say(`${config.workers} processes listen`);
  say(wizard === undefined ? `Turnpike is at ${listening}` : `Turnpike is not set up yet. Open ${wizard}`);
}

/** Exit code 0 once every worker has drained. */
function endWorkers(): void {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  if (workers.length === 0) process.exit(0);
  let left = workers.length;
  for (const worker of workers) {
    worker.once("exit", () => {
      left -= 1;
      if (left === 0) process.exit(0);
    });
    worker.process.kill("SIGTERM");
  }
}
