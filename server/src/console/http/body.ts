/** The JSON body of a console call, read with a limit on bytes and on nesting. */
import { AppError } from "../../../contract/src/errors.ts";

/** Options that hold a page of HTML are the largest thing the console sends. */
const CONSOLE_BODY_BYTES = 4 * 1024 * 1024;
const MAXIMUM_DEPTH = 64;

async function readBounded(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > CONSOLE_BODY_BYTES) throw new AppError("payload_too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Deepest nesting of brackets outside strings, counted before anything is parsed. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === 0x5c) index += 1;
      else if (character === 0x22) isInString = false;
    } else if (character === 0x22) isInString = true;
    else if (character === 0x7b || character === 0x5b) deepest = Math.max(deepest, (depth += 1));
    else if (character === 0x7d || character === 0x5d) depth -= 1;
  }
  return deepest;
}

/**
 * The parsed body; an empty one is `{}`, so that every missing field is the schema's to refuse.
 * Throws AppError payload_too_large or malformed.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  if (Number(request.headers.get("content-length") ?? 0) > CONSOLE_BODY_BYTES) throw new AppError("payload_too_large");
  const text = request.body === null ? "" : (await readBounded(request.body)).toString("utf8");
  if (text.trim() === "") return {};
  if (depthOf(text) > MAXIMUM_DEPTH) throw new AppError("malformed", { message: "The body is nested too deeply" });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("malformed", { cause: error });
  }
}
