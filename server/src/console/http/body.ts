/** Reads the JSON body of a console request, with limits on size and nesting. */
import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../../../../contract/src/endpoint.ts";
import { AppError } from "../../../../contract/src/errors.ts";

/** Bytes of a form, with room; endpoints that take more say so. */
const BODY_BYTES = 256 * 1024;
/** The maximum body of an anonymous caller. */
const PUBLIC_BODY_BYTES = 16 * 1024;
const MAXIMUM_DEPTH = 64;

/** Longest body of an endpoint, in bytes. */
function limitOf({ access, bodyBytes }: Endpoint): number {
  return bodyBytes ?? (access === "public" ? PUBLIC_BODY_BYTES : BODY_BYTES);
}

/** The body up to the limit; bytes behind it are left for the code that ends the connection. */
function readBounded(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limitBytes) return Promise.reject(new AppError("payload_too_large"));
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const onData = (part: Buffer): void => {
      size += part.length;
      if (size <= limitBytes) return void parts.push(part);
      request.off("data", onData);
      request.pause();
      reject(new AppError("payload_too_large"));
    };
    request.on("data", onData);
    request.once("end", () => resolve(Buffer.concat(parts)));
    request.once("close", () => reject(new AppError("malformed")));
  });
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

/** The body as it came, as text. Throws AppError payload_too_large or malformed. */
export const readTextBody = async (request: IncomingMessage, endpoint: Endpoint): Promise<string> =>
  (await readBounded(request, limitOf(endpoint))).toString("utf8");

/**
 * The parsed body; an empty one is `{}`, so that every missing field is the schema's to refuse.
 * Throws AppError payload_too_large or malformed.
 */
export async function readJsonBody(request: IncomingMessage, endpoint: Endpoint): Promise<unknown> {
  const text = await readTextBody(request, endpoint);
  if (text.trim() === "") return {};
  if (depthOf(text) > MAXIMUM_DEPTH) throw new AppError("malformed", { message: "The body is nested too deeply" });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("malformed", { cause: error });
  }
}
