/** Address of a call's client behind the proxies that are trusted, and no others. */
import type { IncomingMessage } from "node:http";
import { createAddressReader } from "../../observe/client-address.ts";

/** The peer's address; behind a trusted proxy what it says. What an untrusted peer claims is ignored. */
export function createClientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const addresses = createAddressReader(trustedProxies);
  return ({ socket, headers }) => {
    const forwarded = headers["x-forwarded-for"];
    return addresses.client(socket.remoteAddress ?? "", forwarded === undefined ? undefined : String(forwarded));
  };
}
