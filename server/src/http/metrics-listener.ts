/** The /metrics listener on a separate loopback port (METRICS_PORT): of this process, or of all workers together. */
import { createServer } from "node:http";
import { AggregatorRegistry } from "prom-client";
import type { Registry } from "prom-client";
import { listenFailure } from "./listen-failure.ts";

/** Whether the metrics are of one process or of all workers. */
interface MetricsSource {
  metrics(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsListener {
  close(): Promise<void>;
}

/** In a worker: responds to the primary when it collects the metrics of all workers. */
export function shareMetrics(registry: Registry): void {
  // Created for its side effect: prom-client listens to the primary's requests from then on.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries([registry]);
}

/** In the primary: the workers' metrics, aggregated. */
export function sharedMetrics(): MetricsSource {
  const all = new AggregatorRegistry();
  return { metrics: () => all.clusterMetrics(), contentType: all.contentType };
}

/** Undefined if no port is set. Throws an Error of one line if the port is taken. */
export async function serveMetrics(
  port: number | undefined,
  registry: MetricsSource,
): Promise<MetricsListener | undefined> {
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") return void response.writeHead(404).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { "Content-Type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    const address = { host: "127.0.0.1", port, portVariable: "METRICS_PORT" } as const;
    server.once("error", (error) => reject(listenFailure(error, address)));
    server.listen(port, address.host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
