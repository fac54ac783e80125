/** The environment variables of scheduled backups: where they go, when, and what is kept. */
import { z } from "zod";
import { described, flag, optionalUrl, whole } from "./environment-kinds.ts";

/** Who may write into the buckets of one S3 server, and where it is. */
export interface S3Config {
  /** Address without the bucket. */
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
  /** The bucket is the first part of the path; else it stands before the host's name. */
  isPathStyle: boolean;
}

export interface BackupConfig {
  /** Folder that the backups are written to; absent: none. */
  directory: string | undefined;
  /** `s3://bucket/prefix` that they are written to; absent: none. */
  bucketUrl: string | undefined;
  /** Hour of the day by UTC, 0 to 23. */
  hour: number;
  /** How many of them are kept at least, at each place. */
  count: number;
  /** Days for which more than `count` are kept; 0 for none. */
  days: number;
  passphrase: string | undefined;
}

/** The variables by name; config.ts has them in its list. */
export const BACKUP_VARIABLES = {
  BACKUP_DIR: described(
    z.string().optional(),
    "",
    "Folder for a backup every day, of this installation alone ([backups](backup.md#every-day)). Without it and BACKUP_S3_URL there is none.",
  ),
  BACKUP_HOUR: whole(0, 23, "3", "Hour of the day by UTC at which it is made."),
  BACKUP_KEEP: whole(
    1,
    1000,
    "7",
    "How many of them stay at each place; after a new one the oldest beyond it are deleted.",
  ),
  BACKUP_KEEP_DAYS: whole(0, 3650, "0", "Those beyond BACKUP_KEEP stay for so many days; 0 for none."),
  BACKUP_PASSPHRASE: described(
    z.string().min(12, "must have 12 characters or more").optional(),
    "",
    "Encrypts them; `turnpike restore` asks for the same text in a file.",
  ),
  BACKUP_S3_URL: described(
    z
      .string()
      .regex(
        /^s3:\/\/[a-z\d][a-z\d.-]{1,61}[a-z\d](?:\/[\w.-]{1,64}){0,8}\/?$/,
        "must be s3://<bucket> or s3://<bucket>/<prefix>",
      )
      .optional(),
    "",
    "Bucket for a backup every day, beside that of BACKUP_DIR or alone, with a prefix of this installation alone: `s3://bucket/prefix` ([backups](backup.md#in-a-bucket)).",
  ),
  BACKUP_S3_ENDPOINT: optionalUrl(
    ["https", "http"],
    "Address of the S3 server, without the bucket; by default that of AWS in BACKUP_S3_REGION.",
  ),
  BACKUP_S3_REGION: described(
    z
      .string()
      .regex(/^[\w-]{1,64}$/, "must have 1 to 64 letters, digits and -")
      .prefault("us-east-1"),
    "us-east-1",
    "Region of the bucket; `auto` for Cloudflare R2, any for a server without regions.",
  ),
  BACKUP_S3_PATH_STYLE: flag("true", "false puts the bucket before the host's name, as Alibaba Cloud OSS wants it."),
  BACKUP_S3_ACCESS_KEY: described(
    z.string().max(256, "must have at most 256 characters").optional(),
    "",
    "Id of the key that may list, read, write and delete in the bucket.",
  ),
  BACKUP_S3_SECRET_KEY: described(
    z.string().max(256, "must have at most 256 characters").optional(),
    "",
    "Secret of that key.",
  ),
} as const;

/** Those that a file may hold, and whose value no complaint repeats. */
export const BACKUP_SECRETS = ["BACKUP_PASSPHRASE", "BACKUP_S3_ACCESS_KEY", "BACKUP_S3_SECRET_KEY"] as const;

const environmentSchema = z.object(BACKUP_VARIABLES);
type BackupEnvironment = z.output<typeof environmentSchema>;

/** The key and its server; undefined where no key is set. */
export function s3Of(environment: BackupEnvironment): S3Config | undefined {
  const { BACKUP_S3_ACCESS_KEY: accessKey, BACKUP_S3_SECRET_KEY: secretKey, BACKUP_S3_REGION: region } = environment;
  if (accessKey === undefined || secretKey === undefined) return undefined;
  const endpoint = environment.BACKUP_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`;
  return { endpoint, region, accessKey, secretKey, isPathStyle: environment.BACKUP_S3_PATH_STYLE };
}

/** Undefined where neither folder nor bucket is named. */
export function backupsOf(environment: BackupEnvironment): BackupConfig | undefined {
  const { BACKUP_DIR: directory, BACKUP_S3_URL: bucketUrl, BACKUP_HOUR: hour, BACKUP_KEEP: count } = environment;
  if (directory === undefined && bucketUrl === undefined) return undefined;
  const { BACKUP_KEEP_DAYS: days, BACKUP_PASSPHRASE: passphrase } = environment;
  return { directory, bucketUrl, hour, count, days, passphrase };
}

/** A key is whole, and there is one where a bucket is named. Throws an Error of one line. */
export function refuseHalfKey(environment: BackupEnvironment): void {
  const pair = ["BACKUP_S3_ACCESS_KEY", "BACKUP_S3_SECRET_KEY"] as const;
  const missing = pair.find((name) => environment[name] === undefined);
  if (missing === undefined) return;
  const other = pair.find((name) => environment[name] !== undefined);
  if (other !== undefined) throw new Error(`${other} is set and ${missing} is not: a key has both`);
  if (environment.BACKUP_S3_URL !== undefined) throw new Error(`BACKUP_S3_URL needs ${pair.join(" and ")}`);
}
