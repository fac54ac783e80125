/** The body of a streamed answer on its way to the client: every piece is one write, where node would hand its length, its bytes and its line end to the system one by one. */
import type { ServerResponse } from "node:http";

const LAST_CHUNK = "0\r\n\r\n";

const chunkOf = (text: string): string => (text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`);

/** Texts are bytes as Latin-1, one character a byte. */
export class StreamBody {
  readonly #response: ServerResponse;
  /** False for clients of HTTP/1.0, whose answer ends with the connection. */
  readonly #isChunked: boolean;

  /** Takes the framing over from node; call right after writeHead. */
  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  /** False where the client is behind: wait for `drain`. */
  write(text: string): boolean {
    return this.#response.write(this.#isChunked ? chunkOf(text) : text, "latin1");
  }

  end(text: string): void {
    this.#response.end(this.#isChunked ? chunkOf(text) + LAST_CHUNK : text, "latin1");
  }
}
