/** The /metrics listener on an address of its own (METRICS_HOST, METRICS_PORT): of this process, or of all workers together. */
import cluster from "node:cluster";
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { AggregatorRegistry, type Registry } from "prom-client";
import { isLoopbackHost } from "../../../contract/src/address.ts";
import { listenFailure } from "./listen-failure.ts";

/** Whether the metrics are of one process or of all workers. */
interface MetricsSource {
  metrics(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsListener {
  close(): Promise<void>;
}

/** Where the listener is, and who may read it. */
interface MetricsPlace {
  metricsPort: number | undefined;
  metricsHost: string;
  metricsToken: string | undefined;
}

type Families = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

const QUESTION = "turnpike:metrics?";

/** A worker's answer to the primary. */
interface WorkerMetrics {
  metricsOf: number;
  families: Families;
}

const isQuestion = (message: unknown): message is { ask: string; id: number } =>
  typeof message === "object" && message !== null && "ask" in message && message.ask === QUESTION;
const isAnswer = (message: unknown): message is WorkerMetrics =>
  typeof message === "object" && message !== null && "metricsOf" in message;

/** In a worker: responds to the primary when it collects the metrics of all workers. */
export function shareMetrics(registry: Registry): void {
  process.on("message", (message: unknown) => {
    if (!isQuestion(message)) return;
    // A primary that is gone reads nothing any more, and a worker ends with it.
    const send = (families: Families) => process.send?.({ metricsOf: message.id, families }, () => undefined);
    void registry.getMetricsAsJSON().then(send);
  });
}

/** A worker that answers later than this is shown as it was at the last answer. */
const ANSWER_TIMEOUT_MS = 2_000;

/** The counts of processes that ended: without them a sum would fall, which Prometheus reads as a new beginning. */
const countsOf = (families: Families): Families =>
  families.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

class WorkersMetrics implements MetricsSource {
  readonly contentType = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;
  readonly #latest = new Map<number, Families>();
  #ended: Families = [];
  #retired: Promise<void> = Promise.resolve();
  #question = 0;
  readonly #heard = new Map<number, { id: number; resolve: () => void }>();
  #collecting: Promise<string> | undefined;

  constructor() {
    cluster.on("message", (worker, message: unknown) => {
      // What a worker sent before it ended may be read after its counts were added up.
      if (!isAnswer(message) || worker.isDead()) return;
      this.#latest.set(worker.id, message.families);
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

  /** Scrapes at the same time share one collection. */
  metrics(): Promise<string> {
    return (this.#collecting ??= this.#collect().finally(() => (this.#collecting = undefined)));
  }

  async #collect(): Promise<string> {
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
    return AggregatorRegistry.aggregate([this.#ended, ...this.#latest.values()]).metrics();
  }
}

/** In the primary: the workers' metrics, aggregated; counts of workers that ended stay in. */
export const sharedMetrics = (): MetricsSource => new WorkersMetrics();

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** On a loopback address every process of this machine may read; elsewhere a caller with the token. */
function mayRead({ metricsHost, metricsToken = "" }: MetricsPlace, authorization = ""): boolean {
  if (isLoopbackHost(metricsHost)) return true;
  const [, given = ""] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  return metricsToken !== "" && timingSafeEqual(digest(given), digest(metricsToken));
}

/** Undefined if no port is set. Throws an Error of one line if the port is taken. */
export async function serveMetrics(place: MetricsPlace, source: MetricsSource): Promise<MetricsListener | undefined> {
  const { metricsPort: port, metricsHost: host } = place;
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") return void response.writeHead(404).end();
    if (!mayRead(place, request.headers.authorization))
      return void response.writeHead(401, { "WWW-Authenticate": "Bearer" }).end();
    source.metrics().then(
      (text) => response.writeHead(200, { "Content-Type": source.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    const address = { host, port, portVariable: "METRICS_PORT" } as const;
    server.once("error", (error) => reject(listenFailure(error, address)));
    server.listen(port, host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
