/**
 * For tests: an S3 server with one bucket on a free port. It checks every signature of version 4 by its own computation, and the hash of each
 * body; a part but the last has 5 MiB or more, and an object is there once its parts are joined
 * (docs.aws.amazon.com/AmazonS3/latest/API, docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html).
 */
import { createHash, createHmac } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer as readAll } from "node:stream/consumers";

const ACCESS_KEY = "AKTESTTESTTESTTEST00";
const SECRET_KEY = "a/secret+of/forty/characters/0123456789abc";
const REGION = "eu-test-1";
const BUCKET = "backups";
const LEAST_PART_BYTES = 5 * 1024 * 1024;

interface Asked {
  method: string;
  /** Name of the object; "" for the bucket. */
  key: string;
  query: URLSearchParams;
  body: Buffer;
}

/** What a request is answered in place of what it asked for: an S3 error, or nothing, with the connection closed. */
type Failure = { status: number; code: string } | "destroyed";

export interface S3Server {
  /** The variables that lead a server there. */
  env: Readonly<Record<string, string>>;
  /** Whole objects by name. */
  objects: Map<string, { body: Buffer; time: number }>;
  /** Uploads that were begun and neither joined nor ended, by their ids. */
  uploads: Map<string, { key: string; parts: Map<number, Buffer> }>;
  /** Asked before each request; undefined lets it through. */
  failing: (asked: Asked) => Failure | undefined;
  /** Requests that were answered, as "PUT name" with the names of their parameters. */
  log: string[];
  close(): Promise<void>;
}

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    [this.status, this.code] = [status, code];
  }
}

const sha256 = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");
const md5 = (data: Buffer | string): string => createHash("md5").update(data).digest("hex");
const hmac = (key: Buffer | string, data: string): Buffer => createHmac("sha256", key).update(data).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Throws Refused as S3 does: which part is wrong is in the code. */
function checkSignature(request: IncomingMessage, url: URL, body: Buffer): void {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;
  const [, accessKey, day = "", region = "", signed = "", signature] =
    form.exec(request.headers.authorization ?? "") ?? [];
  if (accessKey === undefined) throw new Refused(403, "AccessDenied");
  if (accessKey !== ACCESS_KEY) throw new Refused(403, "InvalidAccessKeyId");
  if (region !== REGION) throw new Refused(400, "AuthorizationHeaderMalformed");
  const names = signed.split(";");
  const isSigned = ["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name));
  const date = String(request.headers["x-amz-date"]);
  if (!isSigned || date.slice(0, 8) !== day) throw new Refused(403, "SignatureDoesNotMatch");
  const sent = String(request.headers["x-amz-content-sha256"]);
  if (sent !== sha256(body)) throw new Refused(400, "XAmzContentSHA256Mismatch");
  const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).toSorted();
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join("");
  const path = decodeURIComponent(url.pathname).split("/").map(encoded).join("/");
  const canonical = [request.method, path, query.join("&"), headers, signed, sent].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer | string>(hmac, `AWS4${SECRET_KEY}`);
  if (hmac(key, text).toString("hex") !== signature) throw new Refused(403, "SignatureDoesNotMatch");
}

const element = (name: string, text: string): string => `<${name}>${text}</${name}>`;

function listed({ objects }: S3Server, prefix: string): string {
  const found = [...objects]
    .filter(([key]) => key.startsWith(prefix))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const contents = found.map(([key, { body, time }]) => {
    const fields = [element("Key", key), element("LastModified", new Date(time).toISOString())];
    return element("Contents", `${fields.join("")}${element("Size", String(body.length))}`);
  });
  return element("ListBucketResult", `${element("IsTruncated", "false")}${contents.join("")}`);
}

/** Joins the parts that the manifest names, in their order. */
function join(server: S3Server, uploadId: string, manifest: string): string {
  const upload = server.uploads.get(uploadId);
  if (upload === undefined) throw new Refused(404, "NoSuchUpload");
  const wanted = [...manifest.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  const bodies = wanted.map(([, number, etag = ""], index) => {
    const body = upload.parts.get(Number(number));
    if (body === undefined || etag.replaceAll("&quot;", "") !== md5(body)) throw new Refused(400, "InvalidPart");
    if (index + 1 < wanted.length && body.length < LEAST_PART_BYTES) throw new Refused(400, "EntityTooSmall");
    return body;
  });
  if (bodies.length === 0) throw new Refused(400, "MalformedXML");
  server.objects.set(upload.key, { body: Buffer.concat(bodies), time: Date.now() });
  server.uploads.delete(uploadId);
  return element("CompleteMultipartUploadResult", element("Key", upload.key));
}

function bucketCall(server: S3Server, { method, query }: Asked): string {
  if (method !== "GET") throw new Refused(405, "MethodNotAllowed");
  const prefix = query.get("prefix") ?? "";
  if (query.get("list-type") === "2") return listed(server, prefix);
  if (!query.has("uploads")) throw new Refused(400, "InvalidArgument");
  const found = [...server.uploads].filter(([, { key }]) => key.startsWith(prefix));
  const each = found.map(([id, { key }]) => element("Upload", `${element("Key", key)}${element("UploadId", id)}`));
  return element("ListMultipartUploadsResult", each.join(""));
}

let uploadNumber = 0;

function objectCall(server: S3Server, { method, key, query, body }: Asked, response: ServerResponse): string {
  const uploadId = query.get("uploadId");
  if (method === "POST" && query.has("uploads")) {
    uploadNumber += 1;
    server.uploads.set(`upload-${uploadNumber}`, { key, parts: new Map() });
    return element("InitiateMultipartUploadResult", element("UploadId", `upload-${uploadNumber}`));
  }
  if (uploadId !== null && method === "POST") return join(server, uploadId, body.toString("utf8"));
  if (uploadId !== null) {
    const upload = server.uploads.get(uploadId);
    if (upload === undefined) throw new Refused(404, "NoSuchUpload");
    if (method === "DELETE") server.uploads.delete(uploadId);
    else upload.parts.set(Number(query.get("partNumber")), body);
    response.setHeader("etag", `"${md5(body)}"`);
    return "";
  }
  if (method === "PUT") server.objects.set(key, { body, time: Date.now() });
  if (method === "DELETE") server.objects.delete(key);
  return "";
}

/** GET and HEAD of an object, whole or a range of it. */
function give(server: S3Server, { method, key }: Asked, request: IncomingMessage, response: ServerResponse): void {
  const object = server.objects.get(key);
  if (object === undefined) throw new Refused(404, "NoSuchKey");
  const etag = `"${md5(object.body)}"`;
  const wanted = request.headers["if-match"];
  if (wanted !== undefined && wanted !== etag) throw new Refused(412, "PreconditionFailed");
  const [, from = "0", to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const part = object.body.subarray(Number(from), to === undefined ? undefined : Number(to) + 1);
  response.writeHead(to === undefined ? 200 : 206, { etag, "content-length": part.length });
  response.end(method === "HEAD" ? undefined : part);
}

async function answer(server: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
  const [, bucket = "", ...rest] = url.pathname.split("/");
  const body = await readAll(request);
  const asked: Asked = { method: request.method ?? "", key: rest.join("/"), query: url.searchParams, body };
  const failure = server.failing(asked);
  if (failure === "destroyed") return void request.socket.destroy();
  server.log.push(`${asked.method} ${asked.key}${[...asked.query.keys()].map((name) => ` ${name}`).join("")}`);
  try {
    checkSignature(request, url, body);
    if (bucket !== BUCKET) throw new Refused(404, "NoSuchBucket");
    if (failure !== undefined) throw new Refused(failure.status, failure.code);
    const isReading = asked.key !== "" && (asked.method === "GET" || asked.method === "HEAD");
    if (isReading) return give(server, asked, request, response);
    response.end(asked.key === "" ? bucketCall(server, asked) : objectCall(server, asked, response));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const text = element("Error", `${element("Code", error.code)}${element("Message", `It is ${error.code}.`)}`);
    response.writeHead(error.status, { "content-type": "application/xml" }).end(asked.method === "HEAD" ? "" : text);
  }
}

/** Starts one with an empty bucket. */
export async function startS3Server(): Promise<S3Server> {
  const listener = createServer((request, response) => {
    answer(server, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", () => resolve()));
  const server: S3Server = {
    env: {
      BACKUP_S3_URL: `s3://${BUCKET}/site`,
      BACKUP_S3_ENDPOINT: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
      BACKUP_S3_REGION: REGION,
      BACKUP_S3_ACCESS_KEY: ACCESS_KEY,
      BACKUP_S3_SECRET_KEY: SECRET_KEY,
    },
    objects: new Map(),
    uploads: new Map(),
    failing: () => undefined,
    log: [],
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
  return server;
}
