/**
 * The file of a backup: a line of JSON that says what it is, then every row as a line of JSON, compressed, and encrypted where a passphrase is
 * given. The same for every engine.
 */
import { createHash, type Hash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import type { ArchivePlace } from "./places.ts";
import type { Table, TableRows, Value } from "./snapshot.ts";
import { keyOf, SALT_BYTES, sealing, unsealing, WRONG_PASSPHRASE } from "./sealed-stream.ts";

const headSchema = z.object({
  turnpike: z.literal("backup"),
  format: z.literal(1),
  /** Version of the program that wrote it. */
  program: z.string(),
  /** Of the schema: the last migration, all of whose steps are done. */
  migration: z.int().min(1),
  engine: z.enum(["sqlite", "postgres", "mysql"]),
  /** ISO 8601, in UTC. */
  created: z.string(),
  /** Opens under the SECRET_KEY of the installation alone. */
  key_check: z.string(),
  /** Of the passphrase, base64; "" for a file without one. */
  salt: z.string(),
});
export type ArchiveHead = z.output<typeof headSchema>;

const tableLine = z.object({ table: z.string(), columns: z.array(z.string()), key: z.array(z.string()) });
const endLine = z.object({ rows: z.int().min(0), sha256: z.string() });

/** Characters that are passed on at once. */
const PIECE_CHARACTERS = 65_536;
/** A head is some hundred bytes. */
const MAX_HEAD_BYTES = 4_096;
const ROWS_AT_ONCE = 500;

/** Hashes each line and counts the rows, alike on both sides. */
class Checksum {
  readonly #hash: Hash = createHash("sha256");
  rows = 0;

  add(line: string): void {
    this.#hash.update(line).update("\n");
  }
  end(): z.output<typeof endLine> {
    return { rows: this.rows, sha256: this.#hash.digest("hex") };
  }
}

async function* linesOf(pages: AsyncIterable<TableRows>): AsyncGenerator<string> {
  const sum = new Checksum();
  let last: Table | undefined;
  for await (const { table, rows } of pages) {
    const lines = rows.map((row) => JSON.stringify(row));
    if (table !== last) lines.unshift(JSON.stringify({ table: table.name, columns: table.columns, key: table.key }));
    last = table;
    sum.rows += rows.length;
    for (const line of lines) sum.add(line);
    yield lines.join("\n");
  }
  yield JSON.stringify(sum.end());
}

/** Larger pieces of the same text. */
async function* piecesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const text of texts) {
    piece += `${text}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

async function* withHead(first: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${first}\n`);
  yield* body;
}

/**
 * Writes a backup. It appears at its place when it is whole and safe there.
 * @param head what it says of itself, without the salt
 * @param passphrase undefined for a backup that is not encrypted
 */
export async function writeArchive(
  place: ArchivePlace,
  head: Omit<ArchiveHead, "salt">,
  pages: AsyncIterable<TableRows>,
  passphrase?: string,
): Promise<void> {
  const salt = passphrase === undefined ? Buffer.alloc(0) : randomBytes(SALT_BYTES);
  const first = JSON.stringify({ ...head, salt: salt.toString("base64") });
  const texts = Readable.from(piecesOf(linesOf(pages)));
  const into = (body: AsyncIterable<Uint8Array>) => place.write(withHead(first, body));
  if (passphrase === undefined) await pipeline(texts, createGzip(), into);
  else await pipeline(texts, createGzip(), sealing(keyOf(passphrase, salt), first), into);
}

async function firstBytes(place: ArchivePlace): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of place.read(0)) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= MAX_HEAD_BYTES || bytes.includes("\n")) break;
  }
  return bytes.subarray(0, MAX_HEAD_BYTES);
}

/** Reads the first line. Throws an Error of one line for what is no backup, and what the place throws. */
export async function readHead(place: ArchivePlace): Promise<{ head: ArchiveHead; line: string }> {
  const bytes = await firstBytes(place);
  const line = bytes.subarray(0, Math.max(bytes.indexOf("\n"), 0)).toString("utf8");
  try {
    return { head: headSchema.parse(JSON.parse(line)), line };
  } catch (error) {
    throw new Error(`${place.name} is no backup of this program, or of a newer version`, { cause: error });
  }
}

const DAMAGED = "The backup is incomplete or damaged";

async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") throw new Error(DAMAGED);
}

/** The rows of the lines; the last line has to vouch for all before it. */
async function* rowsOf(lines: AsyncIterable<string>): AsyncGenerator<TableRows> {
  const sum = new Checksum();
  let table: Table | undefined;
  let rows: Value[][] = [];
  let isWhole = false;
  for await (const line of lines) {
    if (isWhole) throw new Error(DAMAGED);
    const parsed: unknown = JSON.parse(line);
    if (Array.isArray(parsed)) {
      rows.push(parsed as Value[]);
      sum.rows += 1;
    }
    const isFull = rows.length >= ROWS_AT_ONCE || !Array.isArray(parsed);
    if (isFull && table !== undefined && rows.length > 0) yield { table, rows };
    if (isFull) rows = [];
    const end = endLine.safeParse(parsed);
    if (end.success) {
      const { rows: count, sha256 } = sum.end();
      if (end.data.rows !== count || end.data.sha256 !== sha256) throw new Error(DAMAGED);
      isWhole = true;
      continue;
    }
    sum.add(line);
    if (Array.isArray(parsed)) continue;
    const { table: name, columns, key } = tableLine.parse(parsed);
    table = { name, columns, key };
    yield { table, rows: [] };
  }
  if (!isWhole) throw new Error(DAMAGED);
}

/**
 * Reads a backup; the reader has to take all rows, since only the end proves that the file is whole.
 * @throws an Error of one line where the file is damaged or the passphrase is missing or wrong
 */
export async function* readArchive(place: ArchivePlace, passphrase?: string): AsyncGenerator<TableRows> {
  const { head, line } = await readHead(place);
  if (head.salt !== "" && passphrase === undefined)
    throw new Error("This backup is encrypted: name the file of its passphrase with --passphrase-file");
  const source = Readable.from(place.read(Buffer.byteLength(line) + 1), { objectMode: false });
  const gunzip = createGunzip();
  const failure: { error?: unknown } = {};
  const opened =
    head.salt === "" || passphrase === undefined
      ? pipeline(source, gunzip)
      : pipeline(source, unsealing(keyOf(passphrase, Buffer.from(head.salt, "base64")), line), gunzip);
  const ended = opened.catch((error: unknown) => {
    failure.error = error;
  });
  try {
    yield* rowsOf(textLines(gunzip));
    await ended;
  } catch (error) {
    source.destroy();
    await ended;
    throw [failure.error, error].find(isForReader) ?? new Error(DAMAGED, { cause: error });
  }
}

/**
 * A wrong passphrase, and what the system or the S3 server says of what it cannot read. All others are a damaged file, whatever noticed it
 * first.
 */
const isForReader = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === WRONG_PASSPHRASE || "syscall" in error || error.message.startsWith("The S3 server"));
