/** A reverse proxy with one fault, as operators have them: it holds streams back, takes small bodies only, drops a header, cuts paths or answers by itself. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type ProxyFault =
  | "none"
  | "buffers"
  | "small_bodies"
  | "drops_key"
  | "login_page"
  | "cuts_streams"
  | "redirects";

/** The limit of `small_bodies`. */
const SMALL_BYTES = 1024;
/** What `cuts_streams` lets through. */
const CUT_BYTES = 300;

const PAGES: Readonly<Partial<Record<ProxyFault, { status: number; headers: Record<string, string> }>>> = {
  login_page: { status: 200, headers: { "content-type": "text/html" } },
  redirects: { status: 301, headers: { location: "https://elsewhere.example/" } },
};

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Hands the answer on as it comes, or as the fault has it. */
async function answer(from: IncomingMessage, to: ServerResponse, fault: ProxyFault): Promise<void> {
  const isStream = String(from.headers["content-type"]).includes("event-stream");
  if (fault === "buffers" && isStream) {
    const body = await bodyOf(from);
    to.writeHead(from.statusCode ?? 502, from.headers).end(body);
    return;
  }
  to.writeHead(from.statusCode ?? 502, from.headers);
  if (fault !== "cuts_streams" || !isStream) {
    from.pipe(to);
    return;
  }
  let sent = 0;
  for await (const part of from as AsyncIterable<Buffer>) {
    await new Promise((resolve) => to.write(part, resolve));
    sent += part.length;
    if (sent >= CUT_BYTES) break;
  }
  to.destroy();
}

async function handle(incoming: IncomingMessage, outgoing: ServerResponse, target: string, fault: ProxyFault) {
  const body = await bodyOf(incoming);
  const page = PAGES[fault];
  if (page !== undefined) return void outgoing.writeHead(page.status, page.headers).end("<html>Sign in</html>");
  if (fault === "small_bodies" && body.length > SMALL_BYTES)
    return void outgoing
      .writeHead(413, { "content-type": "text/html" })
      .end("<html>413 Request Entity Too Large</html>");
  // A proxy takes off what belongs to one connection (RFC 9110, 7.6.1).
  const { connection: _, upgrade: __, ...headers } = incoming.headers;
  if (fault === "drops_key") for (const name of ["authorization", "x-goog-api-key"]) delete headers[name];
  const { method = "GET", url = "/" } = incoming;
  const sent = request(target + url, { method, headers }, (reply) => void answer(reply, outgoing, fault));
  sent.on("error", () => outgoing.destroy());
  sent.end(body);
}

/** Starts one before the server at `target`; its address and its end. */
export async function startFaultyProxy(target: string, fault: ProxyFault) {
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing, target, fault));
  // Handshakes of sockets are answered like any other request, as by a proxy that does not forward Upgrade.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
