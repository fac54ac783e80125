/** Encodes a file with its data as the multipart form in which vendors take uploads (RFC 7578). */
import type { BinaryBody } from "./neutral/neutral.ts";

/** Types whose files end otherwise than their type says. */
const ENDINGS: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "text/plain": "txt", "audio/mpeg": "mp3" };

const endingOf = (mimeType: string): string => ENDINGS[mimeType] ?? mimeType.replace(/^.*\//, "").replace(/\W.*$/, "");

/**
 * The form of a file in the field `file`, with more fields before it. `name` is the file's own, one after its type where blank;
 * `boundary` may be in none of the bytes.
 */
export function uploadForm(
  { bytes, mimeType, name }: BinaryBody & { name: string },
  fields: Readonly<Record<string, string>>,
  boundary: string,
): BinaryBody {
  const fileName = (name || `file.${endingOf(mimeType)}`).replaceAll(/["\r\n\\]/g, "_");
  const head = (disposition: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const texts = Object.entries(fields).map(([field, value]) => `${head(`name="${field}"`)}\r\n${value}\r\n`);
  const body = Buffer.concat([
    Buffer.from(texts.join("")),
    Buffer.from(`${head(`name="file"; filename="${fileName}"`)}content-type: ${mimeType}\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { bytes: body, mimeType: `multipart/form-data; boundary=${boundary}` };
}
