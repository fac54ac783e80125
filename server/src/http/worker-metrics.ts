/** The metrics of several workers as one answer: each reports its own to the primary, which sums them up for /metrics and for a collector. */
import cluster from "node:cluster";
import { AggregatorRegistry, type Registry } from "prom-client";
import type { Families } from "../observe/otlp/metric-points.ts";
import { endsWithin } from "../util/deadline.ts";

const QUESTION = "turnpike:metrics?";
/** The number of a worker's last words, which no question asks for; the primary sends it back once they are counted. */
const LAST_WORDS = 0;
/** How long a worker that ends waits for that. */
const LAST_WORDS_MS = 500;

/** A worker's answer to the primary. */
interface WorkerMetrics {
  metricsOf: number;
  families: Families;
}

const isQuestion = (message: unknown): message is { ask: string; id: number } =>
  typeof message === "object" && message !== null && "ask" in message && message.ask === QUESTION && "id" in message;
const isAnswer = (message: unknown): message is WorkerMetrics =>
  typeof message === "object" && message !== null && "metricsOf" in message;

/** In a worker: responds to the primary when it collects the metrics of all workers. */
export function shareMetrics(registry: Registry): void {
  process.on("message", (message: unknown) => {
    if (!isQuestion(message) || message.id === LAST_WORDS) return;
    // A primary that is gone reads nothing any more, and a worker ends with it.
    const send = (families: Families) => process.send?.({ metricsOf: message.id, families }, () => undefined);
    void registry.getMetricsAsJSON().then(send);
  });
}

/** In a worker that ends: the primary gets its last counts, which no question would reach any more. Resolves once they are there, or after half a second. */
export async function shareLastMetrics(registry: Registry): Promise<void> {
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  const listen = (message: unknown): void => {
    if (isQuestion(message) && message.id === LAST_WORDS) resolve();
  };
  process.on("message", listen);
  process.send?.({ metricsOf: LAST_WORDS, families: await registry.getMetricsAsJSON() }, () => undefined);
  await endsWithin(counted, LAST_WORDS_MS);
  process.off("message", listen);
}

/** A worker that answers later than this is shown as it was at the last answer. */
const ANSWER_TIMEOUT_MS = 2_000;

/** The counts of processes that ended: without them a sum would fall, which Prometheus reads as a new beginning. */
const countsOf = (families: Families): Families =>
  families.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

/** The metrics of all workers in the primary; counts of workers that ended stay in. */
export class WorkersMetrics {
  readonly contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;
  readonly #latest = new Map<number, Families>();
  #ended: Families = [];
  #retired: Promise<void> = Promise.resolve();
  #question = 0;
  readonly #heard = new Map<number, { id: number; resolve: () => void }>();
  #collecting: Promise<Registry> | undefined;

  constructor() {
    cluster.on("message", (worker, message: unknown) => {
      // What a worker sent before it ended may be read after its counts were added up.
      if (!isAnswer(message) || worker.isDead()) return;
      this.#latest.set(worker.id, message.families);
      if (message.metricsOf === LAST_WORDS) return void worker.send({ ask: QUESTION, id: LAST_WORDS }, () => undefined);
      const waiting = this.#heard.get(worker.id);
      if (waiting?.id === message.metricsOf) waiting.resolve();
    });
    cluster.on("exit", (worker) => {
      this.#heard.get(worker.id)?.resolve();
      this.#retired = this.#retired.then(() => this.#retire(worker.id));
    });
  }

  /** Adds the counts of a worker that ended to those of the others; one worker after another, and in one step, so that no sum falls meanwhile. */
  async #retire(workerId: number): Promise<void> {
    const families = this.#latest.get(workerId);
    if (families === undefined) return;
    const ended = await AggregatorRegistry.aggregate([this.#ended, countsOf(families)]).getMetricsAsJSON();
    this.#ended = ended;
    this.#latest.delete(workerId);
  }

  /** As the text that Prometheus reads. */
  async metrics(): Promise<string> {
    return (await this.#collected()).metrics();
  }

  /** As what is sent to a collector. */
  async families(): Promise<Families> {
    return (await this.#collected()).getMetricsAsJSON();
  }

  /** Those that ask at the same time share one collection. */
  #collected(): Promise<Registry> {
    return (this.#collecting ??= this.#collect().finally(() => (this.#collecting = undefined)));
  }

  async #collect(): Promise<Registry> {
    const id = (this.#question += 1);
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true);
    const answers = workers.map(
      (worker) =>
        new Promise<void>((resolve) => {
          if (worker === undefined) return resolve();
          const timer = setTimeout(resolve, ANSWER_TIMEOUT_MS);
          const done = () => {
            clearTimeout(timer);
            resolve();
          };
          this.#heard.set(worker.id, { id, resolve: done });
          worker.send({ ask: QUESTION, id }, (error) => void (error === null || done()));
        }),
    );
    await Promise.all(answers);
    this.#heard.clear();
    await this.#retired;
    return AggregatorRegistry.aggregate([this.#ended, ...this.#latest.values()]);
  }
}
