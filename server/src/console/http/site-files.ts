/** Serves the built console (web/dist): its files by path, compressed once each, and index.html with a nonce. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

const COMPRESSIBLE = /^(text\/|application\/(json|manifest)|image\/svg)/;
const SMALLEST_WORTH_COMPRESSING = 1024;
/** Vite gives these names that change with their content. */
const HASHED_FOLDER = "/assets/";
const NONCE_MARK = "__CSP_NONCE__";
const BROTLI_QUALITY = 9;

type Encoding = "br" | "gzip" | "identity";

export interface SiteFile {
  body: Buffer<ArrayBuffer>;
  headers: Record<string, string> & { ETag: string };
}

export interface Site {
  /** The file at a URL path; undefined where the build has none of this name. */
  file(path: string, acceptEncoding: string): Promise<SiteFile | undefined>;
  /** index.html whose style elements may carry `nonce`. */
  page(nonce: string): string;
}

/** Opens a build. Undefined where there is none (tests run the API alone). Names are listed now, so no path leads outside. */
export async function openSite(directory: string): Promise<Site | undefined> {
  const names = await listFiles(directory);
  const index = names.get("/index.html");
  if (index === undefined) return undefined;
  const template = await readFile(index, "utf8");
  const cache = new Map<string, Promise<SiteFile>>();
  return {
    page: (nonce) => template.replaceAll(NONCE_MARK, nonce),
    async file(path, acceptEncoding) {
      const source = names.get(path);
      if (source === undefined) return undefined;
      const encoding = chooseEncoding(path, acceptEncoding);
      const key = `${encoding} ${path}`;
      const loaded = cache.get(key) ?? load(path, source, encoding);
      cache.set(key, loaded);
      return loaded;
    },
  };
}

/** True where an If-None-Match names this ETag. Weakness counts for nothing in it, and proxies that compress mark ours as weak. */
export const isUnchanged = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(",").some((named) => ["*", etag].includes(named.trim().replace(/^W\//, ""))) ?? false;

async function listFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
    return new Map(
      files.map((entry) => [
        urlPath(directory, join(entry.parentPath, entry.name)),
        join(entry.parentPath, entry.name),
      ]),
    );
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
}

const urlPath = (directory: string, file: string): string => `/${relative(directory, file).split(sep).join("/")}`;

const contentType = (path: string): string => CONTENT_TYPES[extname(path)] ?? "application/octet-stream";

function chooseEncoding(path: string, acceptEncoding: string): Encoding {
  if (!COMPRESSIBLE.test(contentType(path))) return "identity";
  if (/\bbr\b/.test(acceptEncoding)) return "br";
  return /\bgzip\b/.test(acceptEncoding) ? "gzip" : "identity";
}

async function load(path: string, source: string, encoding: Encoding): Promise<SiteFile> {
  const plain = await readFile(source);
  const used = plain.byteLength < SMALLEST_WORTH_COMPRESSING ? "identity" : encoding;
  const isHashed = path.startsWith(HASHED_FOLDER);
  const body = await compress(plain, used);
  return {
    body,
    headers: {
      ETag: strongTag(body),
      "Content-Type": contentType(path),
      "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      Vary: "Accept-Encoding",
      ...(used === "identity" ? {} : { "Content-Encoding": used }),
    },
  };
}

/** Of the bytes as they are sent: a strong ETag differs by compression too. */
const strongTag = (body: Buffer): string => `"${createHash("sha256").update(body).digest("base64url")}"`;

async function compress(plain: Buffer<ArrayBuffer>, encoding: Encoding): Promise<Buffer<ArrayBuffer>> {
  if (encoding === "gzip") return toGzip(plain);
  if (encoding === "identity") return plain;
  return toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}
