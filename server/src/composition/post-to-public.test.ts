/** Tests of user webhooks: sent over https with their secret, never to a private address in any spelling, and only the beginning of the response is read. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../tests/support/systems/certificate.ts";
import type { DeliveryFault } from "../notify/delivery-fault.ts";
import { sendByWay } from "../notify/ways/send.ts";
import type { PostToPublic } from "../notify/ways/way.ts";
import type { WebhookBody } from "../notify/render.ts";
import { createUpstreamClient } from "../upstream/client.ts";
import { createPostToPublic } from "./post-to-public.ts";

const certificate = makeCertificate();
const noWorker = () => undefined;
const BODY: WebhookBody = { type: "test", title: "Acme", content: "{{value}}", values: ["额度"], timestamp: 1 };

/** Ways to write this machine, its networks and clouds' metadata. */
const PRIVATE_HOSTS = `
  127.0.0.1 127.1 127.0.1 127.255.255.254 0177.0.0.1 0x7f.0.0.1 0x7f000001
  2130706433 017700000001 localhost LOCALHOST 0x7f.1 0.0.0.0 0
  0x0 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [2002:7f00:1::] [2002:a00:1::] 10.0.0.1 10.255.255.255 0xa.0.0.1
  012.0.0.1 167772161 172.16.0.1 172.31.255.255 0xac100001 192.168.0.1 192.168.1.1
  0xc0a80001 3232235521 100.64.0.1 100.127.255.255 169.254.169.254 169.254.0.1 0xa9fea9fe
  2852039166 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] 100.100.100.200 192.0.0.192 168.63.129.16 [fd00:ec2::254]
  [fd20:ce::254] [fc00::1] [fd00::1] [fe80::1] [fec0::1] [ff02::1] 198.18.0.1
  192.0.2.1 224.0.0.1 255.255.255.255 127.0.0.1. [::ffff:10.0.0.1] １２７.0.0.1
`
  .trim()
  .split(/\s+/);

const sendWebhook = (post: PostToPublic, { url, secret }: { url: string; secret: string }) =>
  sendByWay(
    post,
    { way: "webhook", values: { webhook_url: url, webhook_secret: secret }, nowMs: 0 },
    { title: "", text: "", webhook: BODY },
  );

describe("a webhook", () => {
  const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    "/ok": (_, response) => response.end("thanks"),
    "/error": (_, response) => response.writeHead(500).end("oops"),
    "/redirect": (_, response) => response.writeHead(302, { location: `https://127.0.0.1:${port}/ok` }).end(),
    "/endless": (_, response) => {
      const more = () => response.destroyed || (response.write("x".repeat(16_384)), setImmediate(more));
      more();
    },
  };
  const received: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(certificate, (request, response) => {
    void readAll(request).then((body) => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      answers[request.url ?? ""]?.(request, response);
    });
  });
  let port = 0;
  const options = { allowsPrivate: () => true, connectTimeoutMs: 2_000, certificates: certificate.cert };
  /** As the running server is, with channels allowed to reach private addresses. */
  const guarded = createUpstreamClient(options);
  const open = createUpstreamClient({ ...options, allowsPrivateForUsers: () => true });

  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    await Promise.all([guarded.close(), open.close()]);
    server.closeAllConnections();
    server.close();
  });

  const send = (path: string, secret = "") =>
    sendWebhook(createPostToPublic(open, noWorker), { url: `https://127.0.0.1:${port}${path}`, secret });
  const faultOf = (sent: Promise<unknown>) =>
    sent.then(
      () => ({ kind: "sent", isFinal: false, detail: "" }),
      ({ kind, isFinal, detail }: DeliveryFault) => ({ kind, isFinal, detail }),
    );

  it("gets the message as JSON, with its secret where there is one", async () => {
    expect(await send("/ok", "s3cret")).toEqual({ status: 200, text: "thanks" });
    expect(received.at(-1)?.headers).toMatchObject({
      authorization: "Bearer s3cret",
      "content-type": "application/json",
    });
    expect(JSON.parse(received.at(-1)?.body ?? "")).toEqual(BODY);
    await send("/ok");
    expect(received.at(-1)?.headers).not.toHaveProperty("authorization");
  });

  it("that answers with an error is tried again, and says what it said", async () => {
    expect(await faultOf(send("/error"))).toEqual({ kind: "webhook_status", isFinal: false, detail: "500 oops" });
  });

  it("is not followed elsewhere", async () => {
    const before = received.length;
    expect(await faultOf(send("/redirect"))).toMatchObject({ kind: "webhook_status" });
    expect(received.slice(before).map(({ path }) => path)).toEqual(["/redirect"]);
  });

  it("is read for 64 KB and no longer", async () => {
    expect((await send("/endless")).text).toHaveLength(64 * 1024);
  });

  it("has to be https", async () => {
    const sent = sendWebhook(createPostToPublic(open, noWorker), { url: `http://127.0.0.1:${port}/ok`, secret: "" });
    expect(await faultOf(sent)).toMatchObject({ kind: "address_refused", isFinal: true });
  });

  it("never reaches a private address, however it is written", async () => {
    expect(PRIVATE_HOSTS.length).toBeGreaterThanOrEqual(60);
    const before = received.length;
    const post = createPostToPublic(guarded, noWorker);
    const results = await Promise.all(
      PRIVATE_HOSTS.map(async (host) => {
        const url = `https://${host}:${port}/ok`;
        const { kind } = URL.canParse(url) ? await faultOf(sendWebhook(post, { url, secret: "" })) : { kind: "no url" };
        return [host, kind];
      }),
    );
    expect(results.filter(([, kind]) => kind !== "address_refused")).toEqual([]);
    expect(received).toHaveLength(before);
  });
});
