/** Where a backup is written and read: a file of this machine, or an object in a bucket. */
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { S3Config } from "../util/backup-variables.ts";
import { abortLeft, objectInfo, putObject, readObject } from "./objects.ts";
import { type Bucket, openBucket, readS3Url } from "./s3.ts";

export interface ArchivePlace {
  /** As it was named. */
  name: string;
  /** Its size in bytes; undefined where there is nothing yet. */
  size(): Promise<number | undefined>;
  /** Appears under its name when it is whole and safe; what fails leaves nothing behind. */
  write(chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes from this one on. */
  read(from: number): AsyncIterable<Buffer>;
}

/** A file, readable by its owner alone. */
export function filePlace(path: string): ArchivePlace {
  const part = `${path}.part`;
  return {
    name: path,
    size: async () => (existsSync(path) ? (await stat(path)).size : undefined),
    async write(chunks) {
      try {
        await pipeline(chunks, createWriteStream(part, { mode: 0o600, flush: true }));
        await rename(part, path);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
    read: (start) => createReadStream(path, { start }),
  };
}

/** An object. What a killed process left of one of the same name is ended first. */
function objectPlace(bucket: Bucket, key: string): ArchivePlace {
  return {
    name: `s3://${bucket.name}/${key}`,
    size: async () => (await objectInfo(bucket, key))?.bytes,
    async write(chunks) {
      await abortLeft(bucket, key, (name) => name === key);
      await putObject(bucket, key, chunks);
    },
    read: (from) => readObject(bucket, key, from),
  };
}

/** A file by its path, or an object by `s3://bucket/name`. Throws an Error of one line. */
export function placeOf(text: string, s3: S3Config | undefined): ArchivePlace {
  if (!text.startsWith("s3://")) return filePlace(text);
  const address = readS3Url(text);
  if (address === undefined || address.key === "" || address.key.endsWith("/"))
    throw new Error(`${text} must be s3://<bucket>/<name>, of letters, digits and / . _ -`);
  if (s3 === undefined) throw new Error(`${text} needs BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY`);
  return objectPlace(openBucket(s3, address.bucket), address.key);
}
