/** The /metrics listener on a separate loopback port (METRICS_PORT): of this process, or of all workers together. */
import { createServer } from "node:http";
import { AggregatorRegistry } from "prom-client";
import type { Registry } from "prom-client";
import { listenFailure } from "./listen-failure.ts";

/** Whose numbers are shown. */
interface MetricsSource {
  metrics(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsListener {
  close(): Promise<void>;
}

/** In a worker: answers the primary when it collects the numbers of all workers. */
export function shareMetrics(registry: Registry): void {
  // Made for its side effect: prom-client listens to the primary's questions from the first one on.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries([registry]);
}

/** In the primary: the workers' numbers, added up. */
export function sharedMetrics(): MetricsSource {
  const all = new AggregatorRegistry();
  return { metrics: () => all.clusterMetrics(), contentType: all.contentType };
}

/** Undefined where no port is given. Throws an Error of one line where the port is taken. */
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
