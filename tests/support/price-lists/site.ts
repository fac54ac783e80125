/** For tests: a site over https that publishes a price list, and a fetch of the console that trusts its certificate. */
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { fetchGuarded } from "../../../server/src/composition/guarded-fetch.ts";
import type { RelayTools } from "../../../server/src/console/relay-tools.ts";
import { createUpstreamClient } from "../../../server/src/upstream/client.ts";
import { makeCertificate } from "../systems/certificate.ts";

export interface PriceListSite {
  url: string;
  /** PEM, for a whole server that is to trust it. */
  certificate: string;
  /** What it answers from now on. */
  answer: { status: number; body: string };
  /** Whether the console may reach it, as it has a private address. */
  policy: { allowsPrivate: boolean };
  fetchGuarded: RelayTools["fetchGuarded"];
  close(): Promise<void>;
}

export async function startPriceListSite(): Promise<PriceListSite> {
  const certificate = makeCertificate();
  const answer = { status: 200, body: "[]" };
  const policy = { allowsPrivate: true };
  const server: Server = createServer(certificate, (_request, response) => {
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createUpstreamClient({
    allowsPrivate: () => policy.allowsPrivate,
    connectTimeoutMs: 2_000,
    certificates: certificate.cert,
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/data.json`,
    certificate: certificate.cert,
    answer,
    policy,
    fetchGuarded: (request) => fetchGuarded(client, request),
    close: async () => {
      await client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
