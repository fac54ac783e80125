/** Tests of static files over the whole server: unchanged files are not sent again, pages are, and neither counts against a rate limit. */
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestServer, startTestServer } from "../../../../tests/support/systems/server.ts";

const PAGE = '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__" />';
const FILES = ["/mark.svg", "/theme.js", "/robots.txt", "/site.webmanifest", "/assets/app-1a2b3c.js"];

let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-site-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), PAGE);
  for (const name of FILES) await writeFile(join(folder, name), `${name} `.repeat(500));
  const limits = { GLOBAL_API_RATE_LIMIT_ENABLE: "true", GLOBAL_API_RATE_LIMIT: "5" };
  server = await startTestServer(limits, { webDirectory: folder });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.app.url + path, { headers });

describe("a file", () => {
  test.each(FILES)("%s has a strong ETag, and who has it gets 304 without a body", async (path) => {
    const first = await get(path);
    const etag = String(first.headers.get("etag"));
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const named of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await get(path, { "if-none-match": named });
      expect({ named, status: again.status, text: await again.text() }).toEqual({ named, status: 304, text: "" });
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"));
      expect(again.headers.get("vary")).toBe("Accept-Encoding");
      expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    }
  });

  test("is sent where the client has another one", async () => {
    const answer = await get("/robots.txt", { "if-none-match": '"other"' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("/robots.txt");
  });

  test("has another ETag for each compression, whose bytes differ", async () => {
    const encodings = ["br", "gzip", "identity"];
    const tags = await Promise.all(
      encodings.map(async (encoding) => (await get("/theme.js", { "accept-encoding": encoding })).headers.get("etag")),
    );
    expect(new Set(tags).size).toBe(encodings.length);
  });
});

test("a page is always sent, with a nonce of its own: no ETag and no 304", async () => {
  for (const path of ["/", "/index.html", "/console/token"]) {
    const [first, second] = [await get(path), await get(path, { "if-none-match": "*" })];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers.get("etag")).toBeNull();
    expect(await first.text()).not.toBe(await second.text());
  }
});

test("pages and files count against no limit", async () => {
  const statuses = [];
  for (let call = 0; call < 100; call += 1) statuses.push((await get(call % 2 === 0 ? "/log" : "/mark.svg")).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await get("/api/status")).status).toBe(200);
});
