/** The /metrics listener on an address of its own (METRICS_HOST, METRICS_PORT): of this process, or of all workers together. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { isLoopbackHost } from "../../../contract/src/address.ts";
import { listenFailure } from "./listen-failure.ts";

/** Whether the metrics are of one process or of all workers (worker-metrics.ts). */
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
