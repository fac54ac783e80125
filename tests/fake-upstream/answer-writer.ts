/** Writes one answer of the fake upstream in the pieces, with the pause and up to the cut that its plan names. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Plan } from "./plan.ts";

/** Long enough that the other side reads what came before as a piece of its own. */
const SPLIT_PAUSE_MS = 4;

export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Answer {
  readonly #plan: Plan;
  readonly #response: ServerResponse;
  #sent = 0;

  constructor(plan: Plan, response: ServerResponse) {
    this.#plan = plan;
    this.#response = response;
  }

  head(status: number, contentType: string, length?: number): void {
    const headers: Record<string, string | number> = {
      "content-type": this.#plan.contentType ?? contentType,
      "x-request-id": "req_fake_0001",
      "openai-processing-ms": "7",
      "set-cookie": "vendor=secret; path=/",
      "openai-organization": "org-of-the-vendor",
      ...this.#plan.headers,
    };
    if (this.#plan.isGzipped === true) headers["content-encoding"] = "gzip";
    if (length !== undefined) headers["content-length"] = length;
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  #socket(): Socket | null {
    return this.#response.socket;
  }

  /** Writes, with the pause in its place; false once the connection was cut. */
  async write(bytes: Buffer): Promise<boolean> {
    const room = (this.#plan.splitAtByte ?? 0) - this.#sent;
    if (room <= 0 || room >= bytes.length) return this.#writeToCut(bytes);
    if (!(await this.#writeToCut(bytes.subarray(0, room)))) return false;
    await wait(SPLIT_PAUSE_MS);
    return this.#writeToCut(bytes.subarray(room));
  }

  /** Writes up to the cut; false once the connection was cut. */
  async #writeToCut(bytes: Buffer): Promise<boolean> {
    const cut = this.#plan.cutAtByte;
    const size = this.#plan.pieceBytes ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size) {
      let piece = bytes.subarray(start, start + size);
      const room = cut === undefined ? piece.length : cut - this.#sent;
      const isCut = room < piece.length;
      if (isCut) piece = piece.subarray(0, Math.max(0, room));
      if (piece.length > 0) await new Promise<void>((resolve) => this.#response.write(piece, () => resolve()));
      this.#sent += piece.length;
      if (isCut) return this.#cut();
      if (this.#plan.pieceBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
    }
    return true;
  }

  #cut(): false {
    const by = this.#plan.cutBy ?? "destroy";
    if (by === "destroy") this.#socket()?.destroy();
    if (by === "reset") this.#socket()?.resetAndDestroy();
    return false;
  }
}
