/** The handshake of a WebSocket as Codex makes it, for the doctor's command and its tests. */
import { WebSocket } from "ws";

const HANDSHAKE_TIMEOUT_MS = 15_000;

/**
 * Opens a socket and closes it at once.
 * @param key with sk-
 * @returns 101 where the handshake was taken, the answer's status where it was refused, 0 where there was no answer
 */
export function openSocket(url: string, key: string): Promise<{ status: number; ms: number }> {
  const startMs = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(url, { headers, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
  return new Promise((resolve) => {
    const end = (status: number): void => {
      resolve({ status, ms: performance.now() - startMs });
      socket.terminate();
    };
    socket.once("open", () => end(101));
    socket.once("unexpected-response", (_request, response) => end(response.statusCode ?? 0));
    // What failed is said by the finding; ending a handshake under way is an error of the socket too.
    socket.on("error", () => end(0));
  });
}
