/** Tests of user webhooks through a real worker proxy: what the receiver gets, which targets are refused, and how failures are reported. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startWorker, type TestWorker } from "../../../tests/support/relay/worker.ts";
import { DeliveryFault } from "../notify/delivery-fault.ts";
import type { WebhookBody } from "../notify/render.ts";
import { sendByWay } from "../notify/ways/send.ts";
import type { PostToPublic } from "../notify/ways/way.ts";
import { createUpstreamClient, type UpstreamClient } from "../upstream/client.ts";
import { createPostToPublic } from "./post-to-public.ts";

const BODY: WebhookBody = { type: "test", title: "Acme", content: "{{value}}", values: ["额度"], timestamp: 1 };
const HOOK = { url: "https://93.184.215.14/hook", secret: "s3cret" };

let receiver: Server;
let received: { path: string; authorization: string | undefined; body: unknown }[];
let status: number;
let worker: TestWorker;
let client: UpstreamClient;

beforeEach(async () => {
  received = [];
  status = 200;
  receiver = createServer((request, response) => {
    void readAll(request).then((body) => {
      const { authorization } = request.headers;
      received.push({ path: request.url ?? "", authorization, body: JSON.parse(body) });
      response.writeHead(status).end("thanks");
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", () => resolve()));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  worker = await startWorker("k3y", (url) => url.replace(/^https:\/\/[^/]+/, origin));
  client = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 1_000 });
});

afterEach(async () => {
  await client.close();
  await worker.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const sendWebhook = (post: PostToPublic, { url, secret }: { url: string; secret: string }) =>
  sendByWay(
    post,
    { way: "webhook", values: { webhook_url: url, webhook_secret: secret }, nowMs: 0 },
    { title: "", text: "", webhook: BODY },
  );

const send = (target = HOOK, key = "k3y") =>
  sendWebhook(
    createPostToPublic(client, () => ({ url: worker.url, key, allowsHttp: true })),
    target,
  );

async function faultOf(sent: Promise<unknown>) {
  try {
    await sent;
  } catch (error) {
    if (error instanceof DeliveryFault) return { kind: error.kind, isFinal: error.isFinal, detail: error.detail };
    throw error;
  }
  throw new Error("the message was sent");
}

test("the receiver gets the message with its secret, and its answer comes back", async () => {
  expect(await send()).toEqual({ status: 200, text: "thanks" });
  expect(received).toEqual([{ path: "/hook", authorization: "Bearer s3cret", body: BODY }]);
  expect(worker.tasks[0]).toMatchObject({ url: HOOK.url, key: "k3y", method: "POST", body: BODY });
});

test.each([
  "https://127.0.0.1/",
  "https://[::1]/",
  "https://192.168.1.1/",
  "https://localhost/",
  "http://93.184.215.14/",
])("the worker is never sent to %s, though the switch for images is on", async (url) => {
  expect(await faultOf(send({ ...HOOK, url }))).toMatchObject({ kind: "address_refused", isFinal: true });
  expect(worker.tasks).toEqual([]);
});

test("errors of the receiver and of the worker say which way they came, and are tried again", async () => {
  status = 500;
  const refused = { kind: "webhook_status", isFinal: false };
  expect(await faultOf(send())).toEqual({ ...refused, detail: "500 (through the worker) thanks" });
  const wrongKey = await faultOf(send(HOOK, "wrong"));
  expect(wrongKey).toEqual({ ...refused, detail: '403 (through the worker) {"error":"Unauthorized key"}' });
  worker.answer = (_, response) => response.destroy();
  expect(await faultOf(send())).toMatchObject({ kind: "worker_unreachable", isFinal: false });
  await worker.close();
  expect(await faultOf(send())).toMatchObject({ kind: "worker_unreachable", isFinal: false });
});

test("a flood is read for 64 KB and no longer", async () => {
  worker.answer = (_, response) => {
    const more = () => response.destroyed || (response.write("x".repeat(16_384)), setImmediate(more));
    more();
  };
  expect((await send()).text).toHaveLength(64 * 1024);
});
