/** The whole server: health, pages under their policy, metrics, draining, and the program as an operator starts it. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestServer } from "../../tests/support/systems/server.ts";
import { startTestServer } from "../../tests/support/systems/server.ts";

let server: TestServer;
let web: string;

const PAGE = `<!doctype html><html><head><meta name="csp-nonce" content="__CSP_NONCE__"></head><body><div id="root"></div></body></html>`;
const METRICS_TOKEN = "tests-scrape-this-server";
const SCRIPT = `export const text = "${"abc ".repeat(1000)}";`;

beforeAll(async () => {
  web = await mkdtemp(join(tmpdir(), "turnpike-web-"));
  await mkdir(join(web, "assets"));
  await writeFile(join(web, "index.html"), PAGE);
  await writeFile(join(web, "assets", "main-1a2b.js"), SCRIPT);
  await writeFile(join(web, "logo.png"), "png");
  server = await startTestServer({ METRICS_TOKEN }, { webDirectory: web });
});
afterAll(async () => {
  await server.stop();
  await rm(web, { recursive: true });
});

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Without fetch, which would decompress and hide what was sent. */
function get(path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(server.app.url + path, { headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on("error", reject).end();
  });
}

describe("health", () => {
  test("/livez and /readyz answer ok", async () => {
    for (const path of ["/livez", "/readyz"]) expect(await get(path)).toMatchObject({ status: 200 });
  });

  test("/metrics is for whoever shows METRICS_TOKEN", async () => {
    const shown = await get("/metrics", { authorization: `Bearer ${METRICS_TOKEN}` });
    expect(shown.status).toBe(200);
    expect(shown.body.toString()).toContain("turnpike_open_calls");
    for (const authorization of ["", "Bearer ", `Bearer ${METRICS_TOKEN}x`, METRICS_TOKEN])
      expect(await get("/metrics", { authorization })).toMatchObject({ status: 404 });
  });
});

test("without METRICS_TOKEN the main listener has no /metrics, for this machine neither", async () => {
  const own = await startTestServer();
  const statuses = ["", "Bearer ", "Bearer undefined"].map(async (authorization) => {
    return (await fetch(`${own.app.url}/metrics`, { headers: { authorization } })).status;
  });
  expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  await own.stop();
});

describe("pages", () => {
  test.each(["/", "/setup", "/channel/edit/5", "/no/such/page"])(
    "%s is the page, with its nonce in policy and meta tag",
    async (path) => {
      const { status, headers, body } = await get(path);
      const policy = String(headers["content-security-policy"]);
      const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1] ?? "none";
      expect(status).toBe(200);
      expect(body.toString()).toContain(`content="${nonce}"`);
      expect(headers).toMatchObject({ "cache-control": "no-cache", "x-frame-options": "SAMEORIGIN" });
    },
  );

  test("Claude Code, which looks with HEAD / before its first call, gets 200 and no body", async () => {
    const looked = await fetch(server.app.url, { method: "HEAD" });
    expect([looked.status, await looked.text()]).toEqual([200, ""]);
    const withKey = { authorization: "Bearer sk-of-nobody", "user-agent": "claude-cli/2.1.332 (external, cli)" };
    expect((await fetch(`${server.app.url}/`, { method: "HEAD", headers: withKey })).status).toBe(200);
  });

  test("the policy has no unsafe-inline, lets scripts come from here alone, and forbids plug-ins and foreign frames", async () => {
    const policy = String((await get("/")).headers["content-security-policy"]);
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain("object-src 'none'");
  });

  test("every page has another nonce", async () => {
    const [first, second] = await Promise.all([get("/"), get("/")]);
    expect(first.headers["content-security-policy"]).not.toBe(second.headers["content-security-policy"]);
  });

  test("hashed files are kept for ever and sent compressed as the browser asks", async () => {
    const brotli = await get("/assets/main-1a2b.js", { "accept-encoding": "gzip, br" });
    expect(brotli.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "br",
    });
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
    const gzip = await get("/assets/main-1a2b.js", { "accept-encoding": "gzip" });
    expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT);
    expect((await get("/assets/main-1a2b.js")).body.toString()).toBe(SCRIPT);
  });

  test("other files are asked for again each time", async () => {
    expect((await get("/logo.png")).headers).toMatchObject({
      "cache-control": "no-cache",
      "content-type": "image/png",
    });
  });

  test.each(["/assets/gone.js", "/api/gone", "/assets/..%2findex.html"])(
    "%s is 404 with the envelope, not the page",
    async (path) => {
      const { status, body } = await get(path);
      expect(status).toBe(404);
      expect(JSON.parse(body.toString())).toMatchObject({ success: false, error: { type: "invalid_request_error" } });
    },
  );

  test("a path out of the folder is not read", async () => {
    const { body } = await get("/../../../../etc/passwd");
    expect(body.toString()).not.toContain("root:");
  });
});

describe("documents", () => {
  test("/api/openapi.json names every console path and the relay's", async () => {
    const document = JSON.parse((await get("/api/openapi.json")).body.toString()) as { openapi: string; paths: object };
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(["/api/setup", "/v1/chat/completions"]));
  });

  test("/api/docs lists them under the page policy without a script", async () => {
    const { headers, body } = await get("/api/docs");
    expect(headers["content-type"]).toContain("text/html");
    expect(body.toString()).toContain("/api/option");
    expect(body.toString()).not.toContain("<script");
    const nonce = /'nonce-([\w-]+)'/.exec(String(headers["content-security-policy"]))?.[1];
    expect(body.toString()).toContain(`<style nonce="${nonce}">`);
  });
});

describe("limits of the listener", () => {
  test("an address over 8 KiB is 414, a header over 16 KiB is 431, both with the envelope", async () => {
    const long = await get(`/${"a".repeat(9000)}`);
    expect(long.status).toBe(414);
    expect(JSON.parse(long.body.toString())).toMatchObject({ success: false });
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(server.app.port, "127.0.0.1");
      let text = "";
      socket.on("data", (part) => (text += part.toString())).on("close", () => resolve(text));
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"success":false');
  });
});

/** Sends a request in two halves; the second when `finish` is called. */
function halfRequest(port: number) {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (part) => (text += part.toString()));
  const answer = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  const head =
    "POST /api/user/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4";
  socket.write(`${head}\r\n\r\n{ `);
  return { answer, finish: () => socket.write(" }") };
}

describe("stopping", () => {
  test("a request that has begun is answered, its connection closed, and nothing listens afterwards", async () => {
    const own = await startTestServer();
    const half = halfRequest(own.app.port);
    await (await fetch(`${own.app.url}/livez`)).text();
    const closing = own.app.close();
    half.finish();
    const answer = await half.answer;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toContain("login_fields_missing");
    await closing;
    await expect(fetch(`${own.app.url}/livez`)).rejects.toThrow("fetch failed");
  });
});

test("a start that fails at its last port leaves nothing listening", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
  const listening = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;
  const before = listening();
  const { port } = taken.address() as AddressInfo;
  await expect(startTestServer({ METRICS_PORT: String(port) })).rejects.toThrow("METRICS_PORT");
  await expect.poll(listening).toBe(before); // the event loop's next turn gives a closed one back
  await new Promise((resolve) => taken.close(resolve));
});

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

interface Program {
  output(): string;
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  end(signal: NodeJS.Signals): Promise<number | null>;
  ended: Promise<number | null>;
}

function runProgram(environment: Record<string, string>): Program {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env["PATH"], LOG_LEVEL: "silent", ...environment },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    output: () => said,
    ended,
    async waitFor(pattern) {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const match = pattern.exec(said);
        if (match !== null) return match;
        if (Date.now() > deadline || child.exitCode !== null) throw new Error(`It did not say ${pattern}: ${said}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

describe("the program", () => {
  const withFolder = async (work: (folder: string) => Promise<void>) => {
    const folder = await mkdtemp(join(tmpdir(), "turnpike-run-"));
    await work(folder);
    await rm(folder, { recursive: true, force: true });
  };

  test("prints the time of each phase and the wizard's address, and ends with 0 on SIGTERM", async () => {
    await withFolder(async (folder) => {
      const program = runProgram({ DATA_DIR: folder, PORT: "0" });
      const [, url = ""] = await program.waitFor(/Open (http:\/\/127\.0\.0\.1:\d+\/setup)/);
      expect(program.output()).toMatch(/Started: database \d+ ms, .*listen \d+ ms/);
      expect((await fetch(new URL("/livez", url))).status).toBe(200);
      expect(await program.end("SIGTERM")).toBe(0);
    });
  });
});
