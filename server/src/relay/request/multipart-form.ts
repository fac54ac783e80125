/** Requests that come as multipart/form-data (RFC 7578, RFC 2046 section 5.1): read once and sent on in their own bytes, so that one part can be replaced and all others stay. */
import busboy from "busboy";
import { EMPTY_TOP } from "../../dialects/json/bytes.ts";
import type { RequestInfo } from "../../dialects/neutral/info.ts";
import { estimateText } from "../../dialects/neutral/token-estimate.ts";
import { RelayError } from "../call/relay-error.ts";

/** Positions in the body. */
export interface PartRange {
  valueStart: number;
  valueEnd: number;
}

const LINE_END = Buffer.from("\r\n");
const HEADERS_END = Buffer.from("\r\n\r\n");
const DASH = 45;

/** More parts than any request of this API has. */
const MAX_PARTS = 256;

/** The boundary a Content-Type names; empty where it names none. */
function boundaryOf(contentType: string): string {
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
function partRanges(body: Buffer, boundary: string): PartRange[] | undefined {
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
const withValue = (body: Buffer, { valueStart, valueEnd }: PartRange, value: string): Buffer =>
  Buffer.concat([body.subarray(0, valueStart), Buffer.from(value), body.subarray(valueEnd)]);

/** The body with one more field in front of the others. `name` and `value` have no quotes and no line ends. */
const withPart = (body: Buffer, boundary: string, name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`),
    body.indexOf(LINE_END) === 0 ? Buffer.alloc(0) : LINE_END,
    body,
  ]);

export interface FormPart extends PartRange {
  /** Without the `[]` of lists. */
  name: string;
  isFile: boolean;
  /** Of a field; empty for a file. */
  text: string;
  mimeType: string;
  fileName: string;
}

export interface RequestForm {
  boundary: string;
  parts: readonly FormPart[];
}

/** A field longer than this is no prompt. */
const MAX_FIELD_BYTES = 1_048_576;

type PartHead = Omit<FormPart, keyof PartRange>;

const malformed = (message: string, param?: string): RelayError =>
  new RelayError("form_invalid", { message, ...(param === undefined ? {} : { param }) });

const plainName = (name: string): string => (name.endsWith("[]") ? name.slice(0, -2) : name);

/** Names and texts of the parts in order, as a receiver reads them. */
function readParts(body: Buffer, contentType: string): Promise<PartHead[]> {
  return new Promise((resolve, reject) => {
    const parts: PartHead[] = [];
    const parser = busboy({
      headers: { "content-type": contentType },
      limits: { parts: MAX_PARTS, fieldSize: MAX_FIELD_BYTES },
      defParamCharset: "utf8",
    });
    parser.on("field", (name, text, { mimeType, valueTruncated }) => {
      if (valueTruncated) reject(malformed(`The field '${name}' is longer than 1 MiB.`, name));
      parts.push({ name: plainName(name), isFile: false, text, mimeType, fileName: "" });
    });
    parser.on("file", (name, stream, { filename, mimeType }) => {
      parts.push({ name: plainName(name), isFile: true, text: "", mimeType, fileName: filename ?? "" });
      stream.on("error", reject);
      stream.resume();
    });
    parser.on("error", reject);
    parser.on("close", () => resolve(parts));
    parser.end(body);
  });
}

/** Reads a form whose body is there. Throws RelayError 400 where it is none, and where a receiver could find other parts in it. */
export async function readForm(body: Buffer, contentType: string): Promise<RequestForm> {
  const boundary = boundaryOf(contentType);
  if (!/^multipart\/form-data\s*;/i.test(contentType) || boundary === "") throw new RelayError("form_expected");
  const ranges = partRanges(body, boundary);
  if (ranges === undefined) throw new RelayError("form_invalid");
  const heads = await readParts(body, contentType).catch((error: unknown) => {
    throw error instanceof RelayError ? error : new RelayError("form_invalid");
  });
  if (heads.length !== ranges.length) throw new RelayError("form_invalid");
  return { boundary, parts: heads.map((head, index) => ({ ...head, ...(ranges[index] as PartRange) })) };
}

/** Text of a field; undefined where the form has none of that name, or a file. */
export const formText = ({ parts }: RequestForm, name: string): string | undefined =>
  parts.find((part) => part.name === name && !part.isFile)?.text;

/** Bytes of the first part of that name. */
export function formBytes({ parts }: RequestForm, body: Buffer, name: string): Buffer | undefined {
  const part = parts.find((each) => each.name === name);
  return part === undefined ? undefined : body.subarray(part.valueStart, part.valueEnd);
}

/** What the line needs to know of a form. */
export function formInfo(form: RequestForm): RequestInfo {
  const texts = form.parts.filter(({ name, isFile }) => !isFile && name !== "model").map(({ text }) => text);
  const fields = form.parts.map(({ name, valueStart, valueEnd }) => ({
    name,
    keyStart: valueStart,
    valueStart,
    valueEnd,
  }));
  const files = form.parts.filter(({ isFile, mimeType }) => isFile && mimeType.startsWith("image/"));
  return {
    top: { ...EMPTY_TOP, fields, mediaParts: files.length },
    model: formText(form, "model") ?? "",
    isStream: formText(form, "stream") === "true",
    asksUsage: true,
    maxTokens: undefined,
    choices: 1,
    mediaParts: files.length,
    words: estimateText(texts.join("\n")),
  };
}

/** The words of a form that are language. */
export const formTexts = (form: RequestForm): string[] =>
  form.parts.filter(({ name, isFile }) => !isFile && name === "prompt").map(({ text }) => text);

/** The body with another model; the body itself where it has that model already. */
export function withModel(body: Buffer, form: RequestForm, model: string): Buffer {
  const part = form.parts.find(({ name }) => name === "model");
  if (part === undefined) return withPart(body, form.boundary, "model", model);
  return part.text === model ? body : withValue(body, part, model);
}
