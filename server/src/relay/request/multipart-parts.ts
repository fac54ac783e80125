/** The parts of a multipart body in its own bytes (RFC 7578, RFC 2046 section 5.1), so that one can be replaced and all others stay. */

/** Positions in the body. */
export interface PartRange {
  valueStart: number;
  valueEnd: number;
}

const LINE_END = Buffer.from("\r\n");
const HEADERS_END = Buffer.from("\r\n\r\n");
const DASH = 45;

/** More parts than any request of this API has. */
export const MAX_PARTS = 256;

/** The boundary a Content-Type names; empty where it names none. */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  return quoted ?? plain ?? "";
}

function firstPart(body: Buffer, delimiter: Buffer): number {
  const bare = delimiter.subarray(LINE_END.length);
  if (body.subarray(0, bare.length).equals(bare)) return bare.length;
  return body.subarray(0, delimiter.length).equals(delimiter) ? delimiter.length : -1;
}

/** True where the delimiter that ends before `at` is the last one. */
const isClosing = (body: Buffer, at: number): boolean => body[at] === DASH && body[at + 1] === DASH;

/** The value of every part in order; undefined where the body does not keep to the format. */
export function partRanges(body: Buffer, boundary: string): PartRange[] | undefined {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: PartRange[] = [];
  let at = firstPart(body, delimiter);
  if (at < 0) return undefined;
  while (!isClosing(body, at)) {
    if (parts.length >= MAX_PARTS || body.indexOf(LINE_END, at) !== at) return undefined;
    const headersEnd = body.indexOf(HEADERS_END, at);
    const valueStart = headersEnd + HEADERS_END.length;
    const valueEnd = headersEnd < 0 ? -1 : body.indexOf(delimiter, valueStart);
    if (valueEnd < 0) return undefined;
    parts.push({ valueStart, valueEnd });
    at = valueEnd + delimiter.length;
  }
  return parts;
}

/** The body with one value exchanged; every other byte stays. */
export const withValue = (body: Buffer, { valueStart, valueEnd }: PartRange, value: string): Buffer =>
  Buffer.concat([body.subarray(0, valueStart), Buffer.from(value), body.subarray(valueEnd)]);

/** The body with one more field in front of the others. `name` and `value` have no quotes and no line ends. */
export const withPart = (body: Buffer, boundary: string, name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`),
    body.indexOf(LINE_END) === 0 ? Buffer.alloc(0) : LINE_END,
    body,
  ]);
