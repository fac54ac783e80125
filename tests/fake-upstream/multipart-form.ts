/** A multipart/form-data body as the fake upstream's vendors read it (RFC 7578); undefined where it does not keep to the format. */

export interface FormField {
  name: string;
  /** Text of a field; empty for a file. */
  text: string;
  /** Undefined where the part is no file. */
  fileName: string | undefined;
  /** As the part names it; empty where it names none. */
  mimeType: string;
  bytes: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");

function fieldOf(part: Buffer): FormField | undefined {
  const end = part.indexOf(HEAD_END);
  const head = part.toString("utf8", 0, end);
  const name = /^content-disposition:\s*form-data;[^\r\n]*?\bname="([^"]*)"/im.exec(head)?.[1];
  if (end < 0 || name === undefined) return undefined;
  const fileName = /\bfilename="([^"]*)"/i.exec(head)?.[1];
  const bytes = part.subarray(end + HEAD_END.length);
  return {
    name,
    text: fileName === undefined ? bytes.toString("utf8") : "",
    fileName,
    mimeType: /^content-type:\s*([^\r\n;]+)/im.exec(head)?.[1] ?? "",
    bytes,
  };
}

/** The fields of a body with its Content-Type, in order. */
export function readForm(contentType: string, body: Buffer): FormField[] | undefined {
  const boundary = /^multipart\/form-data;.*\bboundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) return undefined;
  const delimiter = Buffer.from(`--${boundary}`);
  const fields: FormField[] = [];
  let start = body.indexOf(delimiter) + delimiter.length;
  while (body[start] !== 45) {
    const end = body.indexOf(`\r\n--${boundary}`, start);
    const field = end < 0 ? undefined : fieldOf(body.subarray(start + 2, end));
    if (field === undefined) return undefined;
    fields.push(field);
    start = end + 2 + delimiter.length;
  }
  return fields;
}
