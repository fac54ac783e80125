/** /metrics on a loopback port of its own, where METRICS_PORT asks for one. */
import { createServer } from "node:http";
import type { Registry } from "prom-client";

export interface MetricsListener {
  close(): Promise<void>;
}

/** Undefined where no port is given. Throws an Error of one line where the port is taken. */
export async function serveMetrics(
  port: number | undefined,
  registry: Pick<Registry, "metrics" | "contentType">,
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
    server.once("error", (error) => reject(new Error(`Cannot listen on METRICS_PORT ${port}: ${error.message}`)));
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
