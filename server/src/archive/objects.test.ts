/** Tests of backups in a bucket: whole or not there, in parts of bounded size, tried again, and refused with the variable to correct. */
import { createHash } from "node:crypto";
import { symlink, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type S3Server, startS3Server } from "../../../tests/support/databases/s3-server.ts";
import { readConfig } from "../config.ts";
import { outdated } from "./destinations.ts";
import { abortLeft, listObjects, putObject, readObject, tryWriting } from "./objects.ts";
import { filePlace, placeOf } from "./places.ts";
import { openBucket, readS3Url } from "./s3.ts";

const MIB = 1024 * 1024;
/** The smallest that S3 takes. */
const PART = 5 * MIB;
const hashOf = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

/** Bytes that differ from part to part, and how many chunks of it were taken. */
async function* chunksOf(bytes: number, taken: { bytes: number } = { bytes: 0 }): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += MIB) {
    const chunk = Buffer.alloc(Math.min(MIB, bytes - at), at / MIB);
    taken.bytes += chunk.length;
    yield chunk;
  }
}

async function wholeOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

describe("a bucket", { timeout: 60_000 }, () => {
  let server: S3Server;
  const bucketWith = (env: Readonly<Record<string, string>> = {}, name = "backups") => {
    const { s3 } = readConfig({ ...server.env, ...env });
    if (s3 === undefined) throw new Error("There is no key");
    return openBucket(s3, name, 1);
  };

  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.objects.clear();
    server.uploads.clear();
    server.failing = () => undefined;
    server.log.length = 0;
  });

  test("takes an object in parts, and gives it back byte by byte from any place on", async () => {
    const whole = await wholeOf(chunksOf(10.5 * MIB));
    await putObject(bucketWith(), "site/a.tpk", chunksOf(10.5 * MIB), PART);
    expect(server.log.filter((line) => line.startsWith("PUT"))).toHaveLength(3);
    expect(hashOf(server.objects.get("site/a.tpk")?.body ?? Buffer.alloc(0))).toBe(hashOf(whole));
    expect(hashOf(await wholeOf(readObject(bucketWith(), "site/a.tpk", 0, 4 * MIB)))).toBe(hashOf(whole));
    const rest = await wholeOf(readObject(bucketWith(), "site/a.tpk", 3 * MIB + 5));
    expect(hashOf(rest)).toBe(hashOf(whole.subarray(3 * MIB + 5)));
    expect(await listObjects(bucketWith(), "site/")).toMatchObject([{ key: "site/a.tpk", bytes: whole.length }]);
    expect(await listObjects(bucketWith(), "other/")).toEqual([]);
  });

  test("has no more of it in memory than a part: nothing is read ahead while a part is sent", async () => {
    const taken = { bytes: 0 };
    const seen: number[] = [];
    server.failing = ({ query }) => {
      if (query.has("partNumber")) seen.push(taken.bytes / MIB);
      return undefined;
    };
    await putObject(bucketWith(), "site/a.tpk", chunksOf(12 * MIB, taken), PART);
    expect(seen).toEqual([5, 10, 12]);
  });

  test("is asked again where it is busy or loses the connection in the middle of a part", async () => {
    const failures = [{ status: 503, code: "SlowDown" }, "destroyed", { status: 500, code: "InternalError" }] as const;
    let count = 0;
    server.failing = ({ query }) => (query.has("partNumber") ? failures[count++] : undefined);
    await putObject(bucketWith(), "site/a.tpk", chunksOf(2 * MIB));
    expect(count).toBe(4);
    expect(server.objects.get("site/a.tpk")?.body.length).toBe(2 * MIB);
  });

  test("that stays busy fails after five tries, and keeps neither object nor parts", async () => {
    server.failing = ({ method, query }) =>
      method === "PUT" && query.get("partNumber") === "2" ? { status: 503, code: "SlowDown" } : undefined;
    const put = putObject(bucketWith(), "site/a.tpk", chunksOf(6 * MIB), PART);
    await expect(put).rejects.toThrow("The S3 server refused PUT site/a.tpk with 503 SlowDown");
    expect(server.log.filter((line) => line.startsWith("PUT"))).toHaveLength(6);
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });

  test("has no object where the bytes end with a failure", async () => {
    const broken = async function* () {
      yield* chunksOf(6 * MIB);
      throw new Error("the database is away");
    };
    await expect(putObject(bucketWith(), "site/a.tpk", broken(), PART)).rejects.toThrow("the database is away");
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });

  test("whose answer to the last step was lost is found to have done it", async () => {
    let count = 0;
    server.failing = ({ method, query, key }) => {
      if (method !== "POST" || !query.has("uploadId") || count > 0) return undefined;
      count += 1;
      const [[id = "", upload] = []] = server.uploads;
      server.objects.set(key, { body: Buffer.concat([...(upload?.parts.values() ?? [])]), time: 0 });
      server.uploads.delete(id);
      return "destroyed";
    };
    await putObject(bucketWith(), "site/a.tpk", chunksOf(MIB));
    expect(count).toBe(1);
    expect(server.objects.get("site/a.tpk")?.body.length).toBe(MIB);
  });

  test.each([
    ["another access key", { BACKUP_S3_ACCESS_KEY: "AKOTHER" }, "backups", "BACKUP_S3_ACCESS_KEY is not known there"],
    ["another secret", { BACKUP_S3_SECRET_KEY: "no" }, "backups", "BACKUP_S3_SECRET_KEY is not the secret of"],
    ["another region", { BACKUP_S3_REGION: "us-east-1" }, "backups", "BACKUP_S3_REGION is not the region"],
    ["another bucket", {}, "elsewhere", "BACKUP_S3_URL names a bucket that does not exist"],
  ])("refuses %s, and the failure names the variable", async (_what, env, name, message) => {
    await expect(putObject(bucketWith(env, name), "site/a.tpk", chunksOf(MIB))).rejects.toThrow(message);
    expect(server.log.length).toBe(1);
    expect(server.objects.size).toBe(0);
  });

  test("that is away is named by BACKUP_S3_ENDPOINT, and no secret is in the failure", async () => {
    const bucket = bucketWith({ BACKUP_S3_ENDPOINT: "http://127.0.0.1:1" });
    const failure = await tryWriting(bucket, "site/trial").catch((error: unknown) => error);
    expect(String(failure)).toMatch(/BACKUP_S3_ENDPOINT \(127\.0\.0\.1:1\) did not answer/);
    expect(String(failure)).not.toContain(server.env["BACKUP_S3_SECRET_KEY"]);
  });

  test("loses the parts that a killed process left, and those of no other name", async () => {
    server.uploads.set("old", { key: "site/turnpike-20240101T030000Z.tpk", parts: new Map() });
    server.uploads.set("foreign", { key: "site/film.mp4", parts: new Map() });
    expect(await abortLeft(bucketWith(), "site/", (key) => key.endsWith(".tpk"))).toBe(1);
    expect([...server.uploads.keys()]).toEqual(["foreign"]);
    server.failing = () => ({ status: 501, code: "NotImplemented" });
    expect(await abortLeft(bucketWith(), "site/", () => true)).toBe(0);
  });

  test("that may be written is tried without a trace", async () => {
    await tryWriting(bucketWith(), "site/trial");
    expect(server.objects.size).toBe(0);
    server.failing = ({ method }) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : undefined);
    await expect(tryWriting(bucketWith(), "site/trial")).rejects.toThrow("BACKUP_S3_ACCESS_KEY");
  });

  test("an object that is replaced while it is read is refused", async () => {
    await putObject(bucketWith(), "site/a.tpk", chunksOf(2 * MIB));
    const reading = readObject(bucketWith(), "site/a.tpk", 0, MIB);
    await reading.next();
    server.objects.set("site/a.tpk", { body: Buffer.alloc(2 * MIB, 9), time: 0 });
    await expect(reading.next()).rejects.toThrow("PreconditionFailed");
  });
});

test("a full disk leaves neither the file nor a part of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-full-"));
  // The device on which every write fails for lack of space.
  await symlink("/dev/full", join(folder, "a.tpk.part"));
  await expect(filePlace(join(folder, "a.tpk")).write(chunksOf(MIB))).rejects.toThrow("ENOSPC");
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test("an address is a file's path, or a bucket and a name that needs a key", () => {
  expect(readS3Url("s3://backups/a/b.tpk")).toEqual({ bucket: "backups", key: "a/b.tpk" });
  for (const wrong of ["s3://B/a", "s3://backups/a b", "s3://", "/s3://backups/a"])
    expect(readS3Url(wrong)).toBeUndefined();
  expect(placeOf("monday.tpk", undefined).name).toBe("monday.tpk");
  expect(() => placeOf("s3://backups/", undefined)).toThrow("must be s3://<bucket>/<name>");
  expect(() => placeOf("s3://backups/a.tpk", undefined)).toThrow("needs BACKUP_S3_ACCESS_KEY");
});

test("old backups go by number, or by number and days, and never the newest", () => {
  const day = 86_400;
  const stored = [1, 2, 3, 4].map((at) => ({ file: `${at}`, bytes: 1, time: at * day }));
  const now = 10 * day;
  expect(outdated(stored, { count: 2, days: 0 }, now)).toEqual(["1", "2"]);
  expect(outdated(stored, { count: 2, days: 8.5 }, now)).toEqual(["1"]);
  expect(outdated(stored, { count: 1, days: 30 }, now)).toEqual([]);
  expect(outdated(stored.slice(3), { count: 1, days: 0 }, now)).toEqual([]);
});
