/** Misbehaving clients: they send half of what they announced, read nothing, or disconnect at the worst moment. */
import { connect, type Socket } from "node:net";

/** A socket that is not read until resumed; its own errors are ignored. */
function rawSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
    socket.on("error", () => undefined); // let go of by the server, or reset by ourselves
  });
}

interface RawCall {
  url: string;
  key: string;
  path: string;
  body: Buffer;
  headers?: readonly string[];
}

const headOf = ({ key, path, body, headers = [] }: RawCall): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    ...headers,
    "\r\n",
  ].join("\r\n");

/** Asks, and reads nothing of the answer. */
export async function askDeafly(call: RawCall): Promise<Socket> {
  const socket = await rawSocket(call.url);
  socket.write(headOf(call));
  socket.write(call.body);
  return socket;
}

/** Sends so many bytes of the body, and then closes or resets the connection. */
export async function sendPart(call: RawCall, bytes: number, how: "close" | "reset"): Promise<void> {
  const socket = await rawSocket(call.url);
  await new Promise<void>((resolve) => socket.write(headOf(call), () => resolve()));
  await new Promise<void>((resolve) => socket.write(call.body.subarray(0, bytes), () => resolve()));
  if (how === "reset") socket.resetAndDestroy();
  else socket.destroy();
}
