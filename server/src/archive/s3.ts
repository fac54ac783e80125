/**
 * Asks an S3 server: signed, each request bounded in time and tried again where it may succeed later, with failures that name the variable
 * to correct (docs.aws.amazon.com/AmazonS3/latest/API).
 */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import type { S3Config } from "../util/backup-variables.ts";

/** A part of 16 MiB in that time needs 140 kB a second. */
const REQUEST_TIMEOUT_MS = 120_000;
const MOST_TRIES = 5;
const RETRY_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** An answer is a part of an object, or a page of a list with 1,000 names. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Name of the object; "" for the bucket itself. Letters, digits and `/ . _ -`. */
  key: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

export interface S3Answer {
  headers: Headers;
  body: Buffer;
  /** How often it was sent before: what a lost answer had done already is found done. */
  retries: number;
}

/** A refusal of an S3 server; the message is one line for the operator. */
export class S3Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** One bucket of one server. */
export interface Bucket {
  name: string;
  /** @throws S3Refusal, or an Error of one line where the server cannot be reached */
  ask(request: S3Request): Promise<S3Answer>;
}

const KEY = "the key of BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY";

/** What the operator corrects, by the server's error code. */
const REPAIRS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "BACKUP_S3_ACCESS_KEY is not known there",
  SignatureDoesNotMatch: "BACKUP_S3_SECRET_KEY is not the secret of BACKUP_S3_ACCESS_KEY",
  AccessDenied: `${KEY} may not do this in the bucket`,
  NoSuchBucket: "BACKUP_S3_URL names a bucket that does not exist",
  AuthorizationHeaderMalformed: "BACKUP_S3_REGION is not the region of the bucket",
  PermanentRedirect: "BACKUP_S3_REGION or BACKUP_S3_ENDPOINT is not that of the bucket",
  RequestTimeTooSkewed: "this machine's clock is wrong: let it follow a time server (NTP)",
  EntityTooLarge: "the server takes no object of this size",
};
/** Where the answer has no body to say more. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: "PermanentRedirect",
  307: "PermanentRedirect",
  403: "AccessDenied",
};

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The texts of all elements of this name, in their order: the answers of S3 have no attributes in those that are read. */
export function textsIn(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll(/&(?:#(\d{1,6})|(\w+));/g, (whole, code?: string, entity = "") =>
      code === undefined ? (ENTITIES[entity] ?? whole) : String.fromCodePoint(Number(code)),
    ),
  );
}

/** The refusal of the server, in one line. */
export function refusalOf(status: number, body: string, { method, key }: Pick<S3Request, "method" | "key">): S3Refusal {
  const code = textsIn(body, "Code")[0] ?? BY_STATUS[status] ?? String(status);
  const said = (textsIn(body, "Message")[0] ?? "").slice(0, 200);
  const meaning = REPAIRS[code] ?? (said === "" ? "see the log of the S3 server" : said);
  return new S3Refusal(
    code,
    `The S3 server refused ${method} ${key || "of the bucket"} with ${status} ${code}: ${meaning}`,
  );
}

/** 501 is what a server cannot do at all. */
const isPassing = (status: number): boolean => status === 429 || status === 408 || (status >= 500 && status !== 501);

async function bodyOf(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("The S3 server's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === "TimeoutError") return `no answer within ${REQUEST_TIMEOUT_MS / 1000} s`;
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
};

function addressOf({ endpoint, isPathStyle }: S3Config, bucket: string, { key, query = {} }: S3Request): URL {
  const url = new URL(endpoint);
  if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const parts = [...url.pathname.split("/"), ...(isPathStyle ? [bucket] : []), ...key.split("/")];
  url.pathname = `/${parts.filter((part) => part !== "").join("/")}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

async function send(access: S3Config, url: URL, request: S3Request, signal: AbortSignal): Promise<Response> {
  const { method, headers = {}, body } = request;
  const sha256 = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, "x-amz-content-sha256": sha256 },
    accessKeyId: access.accessKey,
    secretAccessKey: access.secretKey,
    service: "s3",
    region: access.region,
  });
  const signed = await signer.sign();
  const content = body === undefined ? {} : { body: new Uint8Array(body) };
  return fetch(signed.url, { method, headers: signed.headers, ...content, redirect: "manual", signal });
}

/**
 * A bucket of this server.
 * @param retryDelayMs before the second try; each further one waits twice as long
 */
export function openBucket(access: S3Config, name: string, retryDelayMs = RETRY_DELAY_MS): Bucket {
  /** An answer, or why there is none yet. */
  const tryOnce = async (request: S3Request, retries: number): Promise<S3Answer | Error> => {
    const within = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    try {
      const answer = await send(access, addressOf(access, name, request), request, within);
      const body = await bodyOf(answer);
      if (answer.ok) return { headers: answer.headers, body, retries };
      const refusal = refusalOf(answer.status, body.toString("utf8"), request);
      if (isPassing(answer.status)) return refusal;
      throw refusal;
    } catch (error) {
      if (error instanceof S3Refusal) throw error;
      const { host } = new URL(access.endpoint);
      return new Error(`The S3 server of BACKUP_S3_ENDPOINT (${host}) did not answer: ${reasonOf(error)}`);
    }
  };
  return {
    name,
    async ask(request) {
      for (let retries = 0; ; retries += 1) {
        const result = await tryOnce(request, retries);
        if (!(result instanceof Error)) return result;
        if (retries + 1 >= MOST_TRIES) throw result;
        const delayMs = Math.min(LONGEST_DELAY_MS, retryDelayMs * 2 ** retries) * (0.5 + Math.random() / 2);
        await wait(delayMs);
      }
    },
  };
}

/** The bucket and the name in `s3://bucket/name`; undefined for what is no such address. */
export function readS3Url(text: string): { bucket: string; key: string } | undefined {
  const [, bucket, key = ""] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([\w./-]{0,512}))?$/.exec(text) ?? [];
  return bucket === undefined ? undefined : { bucket, key };
}
