/** A tar archive of a few small text files, compressed: the POSIX ustar format, which every system can open. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const BLOCK_BYTES = 512;
const compress = promisify(gzip);

export interface TarFile {
  /** At most 100 ASCII characters. */
  name: string;
  text: string;
}

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;

function headerOf(name: string, bytes: number, timeSeconds: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const put = (text: string, at: number) => header.write(text, at, "latin1");
  put(name, 0);
  put(octal(0o600, 8), 100);
  for (const at of [108, 116]) put(octal(0, 8), at); // owner and group: the unpacking user
  put(octal(bytes, 12), 124);
  put(octal(timeSeconds, 12), 136);
  put("        ", 148); // the checksum counts as blanks
  put("0", 156); // an ordinary file
  put("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 7)} `, 148);
  return header;
}

/** The bytes of a `.tar.gz`. @param timeSeconds Unix time of all files */
export async function tarGz(files: readonly TarFile[], timeSeconds: number): Promise<Buffer> {
  const parts = files.flatMap(({ name, text }) => {
    const body = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK_BYTES - (body.length % BLOCK_BYTES)) % BLOCK_BYTES);
    return [headerOf(name, body.length, timeSeconds), body, padding];
  });
  return compress(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]));
}
