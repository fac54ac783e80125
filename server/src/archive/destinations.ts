/** Destinations of scheduled backups, a folder and a bucket: lists their backups, and deletes only those of the schedule. */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { abortLeft, deleteObject, listObjects, tryWriting } from "./objects.ts";
import { openBucket, readS3Url } from "./s3.ts";

/** Files of the schedule alone, and what a killed process left of them: nothing else is ever deleted. */
const NAME = /^turnpike-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tpk$/;
const PART = /^turnpike-\d{8}T\d{6}Z\.tpk\.part$/;
const DAY_SECONDS = 86_400;

export type DestinationName = "folder" | "bucket";

export interface StoredBackup {
  file: string;
  bytes: number;
  /** When it was begun, as its name says; Unix seconds. */
  time: number;
}

export interface Destination {
  name: DestinationName;
  /** As the operator named it; without secrets. */
  shown: string;
  /** Path or `s3://` address of one backup there. */
  placeOf(file: string): string;
  /** Makes it ready for the next one: what a killed process left is removed. */
  prepare(): Promise<void>;
  /** The backups of the schedule, the oldest first. */
  list(): Promise<StoredBackup[]>;
  remove(file: string): Promise<void>;
  /** Writes something small and removes it again. Throws an Error of one line that says what to correct. */
  tryWriting(): Promise<void>;
}

/** Its name at that time; Unix seconds. */
export const backupName = (now: number): string =>
  `turnpike-${new Date(now * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z.tpk`;

function timeIn(file: string): number {
  const [, year, month, day, hour, minute, second] = (NAME.exec(file) ?? []).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) / 1000;
}

const byName = (one: StoredBackup, other: StoredBackup): number => (one.file < other.file ? -1 : 1);

function folderAt(directory: string): Destination {
  const path = (file: string): string => join(directory, file);
  return {
    name: "folder",
    shown: directory,
    placeOf: path,
    async prepare() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const left = (await readdir(directory)).filter((name) => PART.test(name));
      for (const name of left) await rm(path(name), { force: true });
    },
    async list() {
      const files = (await readdir(directory)).filter((name) => NAME.test(name));
      const found = files.map(async (file) => ({ file, bytes: (await stat(path(file))).size, time: timeIn(file) }));
      return (await Promise.all(found)).toSorted(byName);
    },
    remove: (file) => rm(path(file), { force: true }),
    async tryWriting() {
      const trial = path(`.turnpike-trial-${process.pid}`);
      await mkdir(trial, { mode: 0o700 });
      await rm(trial, { recursive: true });
    },
  };
}

function bucketAt(url: string, s3: NonNullable<Config["s3"]>): Destination {
  const { bucket: name = "", key = "" } = readS3Url(url) ?? {};
  const prefix = key === "" || key.endsWith("/") ? key : `${key}/`;
  const bucket = openBucket(s3, name);
  const fileOf = (full: string): string => full.slice(prefix.length);
  return {
    name: "bucket",
    shown: `s3://${name}/${prefix}`,
    placeOf: (file) => `s3://${name}/${prefix}${file}`,
    prepare: async () => void (await abortLeft(bucket, prefix, (full) => NAME.test(fileOf(full)))),
    async list() {
      const objects = await listObjects(bucket, `${prefix}turnpike-`);
      const own = objects.map(({ key: full, bytes }) => ({ file: fileOf(full), bytes }));
      return own
        .filter(({ file }) => NAME.test(file))
        .map((each) => ({ ...each, time: timeIn(each.file) }))
        .toSorted(byName);
    },
    remove: (file) => deleteObject(bucket, `${prefix}${file}`),
    tryWriting: () => tryWriting(bucket, `${prefix}turnpike-trial`),
  };
}

/** The destinations of a configuration; none where nothing is backed up by the schedule. */
export function destinationsOf({ backups, s3 }: Pick<Config, "backups" | "s3">): Destination[] {
  const { directory, bucketUrl } = backups ?? {};
  return [
    ...(directory === undefined ? [] : [folderAt(directory)]),
    ...(bucketUrl === undefined || s3 === undefined ? [] : [bucketAt(bucketUrl, s3)]),
  ];
}

/**
 * Those that may go, when a new one is whole: never one of the newest.
 * @param count how many stay at least, 1 or more
 * @param days for which more of them stay
 * @param now Unix seconds
 */
export function outdated(
  stored: readonly StoredBackup[],
  { count, days }: { count: number; days: number },
  now: number,
): string[] {
  return stored
    .slice(0, Math.max(0, stored.length - count))
    .filter(({ time }) => time < now - days * DAY_SECONDS)
    .map(({ file }) => file);
}
