/** Fault: behind a real nginx and a real Caddy, a bare proxy gives anonymous clients no access, and each documented configuration serves everything. */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type Certificate, makeCertificate } from "../support/systems/certificate.ts";
import { type ReverseProxy, startCaddy, startNginx } from "../support/systems/reverse-proxies.ts";
import { canStart, freePort } from "../support/databases/own-engines.ts";
import { type TestServer, TestClient, setUp, setupForm, startTestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const hasNginx = canStart("nginx");
/** Another one than the proxy's. */
const CLIENT_ADDRESS = "127.0.0.2";

describe.runIf(hasNginx)("proxy_pass alone, which sends Host 127.0.0.1 and no forwarding header", () => {
  let server: TestServer;
  let proxy: ReverseProxy;
  let stranger: TestClient;
  let port: number;

  beforeAll(async () => {
    server = await startTestServer();
    port = await freePort();
    proxy = await startNginx(`server { listen 127.0.0.1:${port}; location / { proxy_pass ${server.app.url}; } }`, port);
    stranger = new TestClient(`http://127.0.0.1:${port}`);
  });

  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  test("an anonymous client cannot finish the set-up wizard", async () => {
    const answer = await stranger.post("/api/setup", await setupForm(server.app, { code: "" }));
    expect(answer.body).toMatchObject({ success: false, code: "setup_code_wrong" });
    expect((await server.client().get("/api/setup")).body.data).toMatchObject({ status: false, root_init: false });
  });

  test("an anonymous client cannot read /metrics", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([404, "not found"]);
  });

  test("the operator finishes the wizard with the printed code", async () => {
    expect((await stranger.post("/api/setup", await setupForm(server.app))).body.success).toBe(true);
  });
});

interface DocumentedProxy {
  name: "nginx" | "caddy";
  /** The language of its block in docs/reverse-proxy.md. */
  language: string;
  start(configuration: string, port: number): Promise<ReverseProxy>;
  /** What the test replaces in the block: the address, Turnpike's port and the certificate. */
  changes(port: number, serverPort: number, folder: string): readonly (readonly [from: string, to: string])[];
}

const PROXIES: readonly DocumentedProxy[] = [
  {
    name: "nginx",
    language: "nginx",
    start: startNginx,
    changes: (port, serverPort, folder) => [
      ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
      ["server 127.0.0.1:3000;", `server 127.0.0.1:${serverPort};`],
      ["/etc/ssl/gateway.example.crt", join(folder, "crt")],
      ["/etc/ssl/gateway.example.key", join(folder, "key")],
    ],
  },
  {
    name: "caddy",
    language: "caddyfile",
    start: startCaddy,
    changes: (port, serverPort, folder) => [
      [
        "gateway.example {",
        `https://localhost:${port} {\n  bind 127.0.0.1\n  tls ${join(folder, "crt")} ${join(folder, "key")}`,
      ],
      ["reverse_proxy 127.0.0.1:3000", `reverse_proxy 127.0.0.1:${serverPort}`],
    ],
  },
];

/** The proxy's block of docs/reverse-proxy.md, with the ports and the certificate of this test. */
function documented({ language, changes }: DocumentedProxy, ...scene: [number, number, string]): string {
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(
    readFileSync("docs/reverse-proxy.md", "utf8"),
  )?.[1];
  return changes(...scene).reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, block ?? "");
}

const installed = PROXIES.filter(({ name }) => (name === "nginx" ? hasNginx : canStart(name)));

describe.each(installed)("the documented configuration of $name", (kind) => {
  const model = "gpt-4o-mini";
  let upstream: FakeUpstream;
  let server: TestServer;
  let proxy: ReverseProxy;
  let folder: string;
  let certificate: Certificate;
  let port: number;
  let key: string;
  /** Lets the frames of a stream out, all but its first. */
  const gate = Promise.withResolvers<undefined>();

  beforeAll(async () => {
    let frames = 0;
    const beforeFrame = async (): Promise<void> => {
      frames += 1;
      if (frames > 2) await gate.promise;
    };
    upstream = await startFakeUpstream({ plan: ({ json }) => (json?.["stream"] === true ? { beforeFrame } : {}) });
    server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1", ALLOW_PRIVATE_UPSTREAMS: "1" });
    const root = await setUp(server, { SelfUseModeEnabled: true });
    const channel = { type: 1, name: "main", key: "sk-upstream", models: `${model},gpt-realtime`, groups: ["default"] };
    await dataOf(root.post("/api/channel", { ...channel, base_url: upstream.url }));
    const token = await dataOf<{ key: string }>(
      root.post("/api/token", { name: "t", unlimited_quota: true, expired_time: -1 }),
    );
    key = token.key;
    folder = await mkdtemp(join(tmpdir(), "turnpike-test-"));
    certificate = makeCertificate();
    writeFileSync(join(folder, "crt"), certificate.cert);
    writeFileSync(join(folder, "key"), certificate.key);
    port = await freePort();
    proxy = await kind.start(documented(kind, port, server.app.port, folder), port);
  });

  afterAll(async () => {
    await proxy.stop();
    await server.stop();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  const bearer = (): Record<string, string> => ({
    authorization: `Bearer sk-${key}`,
    "content-type": "application/json",
  });

  /** A call through the proxy; the answer's head. */
  function ask(path: string, options: RequestOptions, body?: string | Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = requestTls({
        host: "localhost",
        port,
        path,
        ca: certificate.cert,
        agent: false,
        localAddress: CLIENT_ADDRESS,
        ...options,
      });
      call.on("error", reject);
      call.on("response", resolve);
      call.on("upgrade", (answer, socket) => {
        socket.destroy();
        resolve(answer);
      });
      call.end(body);
    });
  }

  async function textOf(answer: IncomingMessage): Promise<string> {
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    return Buffer.concat(parts).toString("utf8");
  }

  test("a browser's log-in is taken from its own origin, its cookie is Secure, and the log has the client's address", async () => {
    const headers = {
      "content-type": "application/json",
      origin: `https://localhost:${port}`,
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": "203.0.113.77",
    };
    const account = JSON.stringify({ username: "root", password: "correct horse 1" });
    const answer = await ask("/api/user/login", { method: "POST", headers }, account);
    expect(JSON.parse(await textOf(answer))).toMatchObject({ success: true });
    expect(answer.headers["set-cookie"]?.join()).toContain("Secure");
    const { kysely } = server.app.foundation.database;
    const rows = await kysely.selectFrom("sessions").select("ip").execute();
    // The first is of the set-up, beside the proxy. What the client itself wrote into the header is not believed.
    expect(rows.map(({ ip }) => ip).toSorted()).toEqual(["127.0.0.1", CLIENT_ADDRESS]);
  });

  test("a stream's first tokens arrive before the rest", async () => {
    const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hello" }] });
    const answer = await ask("/v1/chat/completions", { method: "POST", headers: bearer() }, body);
    expect(answer.statusCode).toBe(200);
    const first = await new Promise<string>((resolve) => answer.once("data", (part: Buffer) => resolve(String(part))));
    expect(first).toContain("data: ");
    expect(first).not.toContain("[DONE]");
    gate.resolve(undefined);
    expect(await textOf(answer)).toContain("[DONE]");
  });

  test("a WebSocket is opened", async () => {
    const headers = {
      ...bearer(),
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    expect((await ask("/v1/realtime?model=gpt-realtime", { headers })).statusCode).toBe(101);
  });

  test("a prompt of 20 MiB passes", async () => {
    const messages = [{ role: "user", content: "a".repeat(20 * 1024 * 1024) }];
    const answer = await ask(
      "/v1/chat/completions",
      { method: "POST", headers: bearer() },
      JSON.stringify({ model, messages }),
    );
    expect([answer.statusCode, (await textOf(answer)).includes("choices")]).toEqual([200, true]);
  });
});
