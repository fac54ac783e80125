/** Downloads a streamed answer of the console API piece by piece, and hands the whole to the browser as a file. */
import type { Endpoint } from "../../../contract/src/endpoint.ts";
import type { z } from "zod";
import { type CallInput, openStream } from "./api.ts";

type StreamEndpoint = Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType, z.ZodType> & {
  readonly answerKind: "stream";
};

const LINE_FEED = 10;

const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((count, byte) => (byte === LINE_FEED ? count + 1 : count), 0);

/** The file name that the server suggests. */
const fileNameOf = (headers: Headers): string =>
  /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "download";

/** Hands something made here to the browser as a file of this name. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // By the next task the browser has taken the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * Downloads and saves; `onLines` is called with the number of lines so far. Throws ApiError where the server refuses, and what fetch throws where
 * `input.signal` aborts or the connection breaks: nothing is saved then.
 */
export async function download<E extends StreamEndpoint>(
  endpoint: E,
  input: CallInput<E>,
  onLines: (lines: number) => void,
): Promise<void> {
  const response = await openStream(endpoint, input);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let lines = 0;
  const reader = response.body?.getReader();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    pieces.push(piece.value);
    lines += countLines(piece.value);
    onLines(lines);
  }
  saveFile(new Blob(pieces, { type: response.headers.get("content-type") ?? "" }), fileNameOf(response.headers));
}
