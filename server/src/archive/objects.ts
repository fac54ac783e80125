/** Objects in a bucket: sent part by part and there only as a whole, read back piece by piece, listed and deleted. */
import type { Bucket, S3Answer } from "./s3.ts";
import { S3Refusal, refusalOf, textsIn } from "./s3.ts";

/** One part is in memory at a time. 10,000 of them are the most that S3 takes: 156 GiB. */
const PART_BYTES = 16 * 1024 * 1024;
const MOST_PARTS = 10_000;
const PIECE_BYTES = 8 * 1024 * 1024;
/** Pages of 1,000 names that a list is read of. */
const MOST_PAGES = 10;

export interface StoredObject {
  key: string;
  bytes: number;
  /** Unix seconds. */
  time: number;
}

const isMissing = (error: unknown): boolean =>
  error instanceof S3Refusal && ["NoSuchKey", "NotFound", "404"].includes(error.code);

/** Its size and version; undefined where there is none of this name. */
export async function objectInfo(bucket: Bucket, key: string): Promise<{ bytes: number; etag: string } | undefined> {
  try {
    const { headers } = await bucket.ask({ method: "HEAD", key });
    return { bytes: Number(headers.get("content-length")), etag: headers.get("etag") ?? "" };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Chunks of this size; the last one may be smaller. */
async function* partsOf(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    const whole = Buffer.concat(waiting);
    yield whole.subarray(0, partBytes);
    waiting = [whole.subarray(partBytes)];
    bytes = whole.length - partBytes;
  }
  yield Buffer.concat(waiting);
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function manifestOf(etags: readonly string[]): Buffer {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  );
  return Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
}

/** Joins the parts. An answer of 200 may be a failure, and one that was lost may have been a success. */
async function complete(bucket: Bucket, key: string, uploadId: string, etags: readonly string[], bytes: number) {
  const request = { method: "POST", key } as const;
  let answer: S3Answer;
  try {
    answer = await bucket.ask({ ...request, query: { uploadId }, body: manifestOf(etags) });
  } catch (error) {
    const isDone = error instanceof S3Refusal && error.code === "NoSuchUpload";
    if (isDone && (await objectInfo(bucket, key))?.bytes === bytes) return;
    throw error;
  }
  const text = answer.body.toString("utf8");
  if (text.includes("<Error>")) throw refusalOf(200, text, request);
}

/**
 * Stores an object. It is there when it is whole: what fails leaves nothing behind, but for the parts of a process that was killed
 * (`abortLeft`).
 * @throws S3Refusal, an Error of one line where the server is away, and what the chunks throw
 */
export async function putObject(
  bucket: Bucket,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  partBytes = PART_BYTES,
): Promise<void> {
  const begun = await bucket.ask({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textsIn(begun.body.toString("utf8"), "UploadId")[0];
  if (uploadId === undefined)
    throw new Error("The S3 server of BACKUP_S3_ENDPOINT named no upload: is it an S3 server?");
  try {
    const etags: string[] = [];
    let bytes = 0;
    for await (const body of partsOf(chunks, partBytes)) {
      if (etags.length >= MOST_PARTS) throw new Error(`A backup in a bucket has at most ${MOST_PARTS} parts of 16 MiB`);
      const query = { partNumber: String(etags.length + 1), uploadId };
      const { headers } = await bucket.ask({ method: "PUT", key, query, body });
      etags.push(headers.get("etag") ?? "");
      bytes += body.length;
    }
    await complete(bucket, key, uploadId, etags, bytes);
  } catch (error) {
    // What cannot be taken back now is taken back by the next run.
    await bucket.ask({ method: "DELETE", key, query: { uploadId } }).catch(() => undefined);
    throw error;
  }
}

/** The bytes of an object from this one on. It is refused where another one takes its place meanwhile. */
export async function* readObject(
  bucket: Bucket,
  key: string,
  from: number,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<Buffer> {
  const info = await objectInfo(bucket, key);
  if (info === undefined) throw new Error(`There is no object ${key} in the bucket ${bucket.name}`);
  for (let at = from; at < info.bytes; at += pieceBytes) {
    const last = Math.min(at + pieceBytes, info.bytes) - 1;
    const headers = { range: `bytes=${at}-${last}`, ...(info.etag === "" ? {} : { "if-match": info.etag }) };
    const { body } = await bucket.ask({ method: "GET", key, headers });
    if (body.length !== last - at + 1) throw new Error(`The S3 server sent ${body.length} bytes for ${headers.range}`);
    yield body;
  }
}

/** The objects whose names begin so; at most 10,000. */
export async function listObjects(bucket: Bucket, prefix: string): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  let query: Record<string, string> = { "list-type": "2", prefix };
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const xml = (await bucket.ask({ method: "GET", key: "", query })).body.toString("utf8");
    const [keys, sizes, times] = ["Key", "Size", "LastModified"].map((name) => textsIn(xml, name));
    for (const [index, key] of (keys ?? []).entries())
      found.push({ key, bytes: Number(sizes?.[index]), time: Math.floor(Date.parse(times?.[index] ?? "") / 1000) });
    const next = textsIn(xml, "NextContinuationToken")[0];
    if (next === undefined) break;
    query = { ...query, "continuation-token": next };
  }
  return found;
}

export const deleteObject = async (bucket: Bucket, key: string): Promise<void> =>
  void (await bucket.ask({ method: "DELETE", key }));

/** The list of unfinished uploads; "" from a server that has no such list. */
async function unfinished(bucket: Bucket, prefix: string): Promise<string> {
  try {
    return (await bucket.ask({ method: "GET", key: "", query: { uploads: "", prefix } })).body.toString("utf8");
  } catch (error) {
    if (error instanceof S3Refusal && error.code === "NotImplemented") return "";
    throw error;
  }
}

/** Ends the uploads that a killed process left, whose parts are paid for and seen in no list. @param isOwn by the name of the object */
export async function abortLeft(bucket: Bucket, prefix: string, isOwn: (key: string) => boolean): Promise<number> {
  const xml = await unfinished(bucket, prefix);
  const keys = textsIn(xml, "Key");
  const left = textsIn(xml, "UploadId").flatMap((uploadId, index) => {
    const key = keys[index] ?? "";
    return isOwn(key) ? [{ key, uploadId }] : [];
  });
  for (const { key, uploadId } of left) await bucket.ask({ method: "DELETE", key, query: { uploadId } });
  return left.length;
}

/** Writes a small object and deletes it again: what a backup needs to be allowed. */
export async function tryWriting(bucket: Bucket, key: string): Promise<void> {
  await bucket.ask({ method: "PUT", key, body: Buffer.from("Turnpike tries whether it may write here.\n") });
  await deleteObject(bucket, key);
}
