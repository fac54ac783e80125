/** A proxy to a database server that can freeze: connections stay open, new ones are accepted, and nothing passes. */
import { type AddressInfo, type Socket, connect, createServer } from "node:net";

export interface FreezingProxy {
  /** The address it was made for, through this proxy. */
  readonly url: string;
  /** Connections that were made to it. */
  readonly connectionCount: number;
  freeze(): void;
  /** What was sent meanwhile arrives now. */
  thaw(): void;
  end(): void;
}

/** Stands in front of the server that `target` names. */
export async function startFreezingProxy(target: string, usualPort: number): Promise<FreezingProxy> {
  const url = new URL(target);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let connectionCount = 0;
  const proxy = createServer((client) => {
    connectionCount += 1;
    const server = connect(url.port === "" ? usualPort : Number(url.port), url.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on("data", (data) => other.write(data));
      socket.on("end", () => other.end());
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (isFrozen) socket.pause();
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const through = new URL(target);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as AddressInfo).port); // it listens on TCP
  return {
    url: through.href,
    get connectionCount() {
      return connectionCount;
    },
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    end: () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
