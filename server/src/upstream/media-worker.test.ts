/** Tests of media by URL through a real worker proxy: its requests, targets refused before it is asked, and how failures are reported. */
import type { LookupAddress } from "node:dns";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startWorker, type TestWorker } from "../../../tests/support/relay/worker.ts";
import { createUpstreamClient, type UpstreamClient } from "./client.ts";
import { UpstreamFault } from "./fault.ts";
import { fetchMedia, type MediaLimits } from "./media.ts";
import { workerOf } from "./worker.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const NAMES: Readonly<Record<string, string>> = {
  "pictures.example": "93.184.215.14",
  "intranet.example": "10.1.2.3",
  "both.example": "93.184.215.14,192.168.1.1",
  "metadata.example": "169.254.169.254",
};

let pictures: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: string[];
let worker: TestWorker;
let client: UpstreamClient;
let allowsPrivate: boolean;

const lookup = (name: string, _options: unknown, callback: (error: Error | null, found: LookupAddress[]) => void) => {
  const addresses = NAMES[name];
  if (addresses === undefined) callback(Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" }), []);
  else
    callback(
      null,
      addresses.split(",").map((address) => ({ address, family: 4 })),
    );
};

beforeEach(async () => {
  asked = [];
  allowsPrivate = true;
  answer = (_, response) => response.end(PNG);
  pictures = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => pictures.listen(0, "127.0.0.1", () => resolve()));
  const origin = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  worker = await startWorker("k3y", (url) => url.replace(/^https?:\/\/[^/]+/, origin));
  client = createUpstreamClient({
    allowsPrivate: () => allowsPrivate,
    connectTimeoutMs: 1_000,
    lookup: lookup as never,
  });
});

afterEach(async () => {
  await client.close();
  await worker.close();
  pictures.closeAllConnections();
  await new Promise((resolve) => pictures.close(resolve));
});

const options = (changes: object = {}) => ({
  WorkerUrl: worker.url,
  WorkerValidKey: "k3y",
  WorkerAllowHttpImageRequestEnabled: false,
  ...changes,
});
const fetched = (url: string, limits: Partial<MediaLimits> = {}, changes: object = {}) =>
  fetchMedia(client, url, limits, workerOf(options(changes)));

async function faultOf(work: Promise<unknown>): Promise<{ kind: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UpstreamFault) return { kind: error.kind, message: error.message };
    throw error;
  }
  throw new Error("the file was fetched");
}

test("the worker is asked with its key, and its answer is the file", async () => {
  const file = await fetched("https://pictures.example/a.png?b=c");
  expect(file).toEqual({ mimeType: "image/png", base64: PNG.toString("base64") });
  expect(asked).toEqual(["/a.png?b=c"]);
  const headers = { accept: "*/*", "accept-encoding": "identity", "user-agent": "Turnpike" };
  expect(worker.tasks).toEqual([{ url: "https://pictures.example/a.png?b=c", key: "k3y", method: "GET", headers }]);
});

test("without a worker nothing is fetched through one, and without a key none is sent", async () => {
  expect(workerOf(options({ WorkerUrl: "" }))).toBeUndefined();
  worker.answer = (_, response) => response.end(PNG);
  await fetched("https://pictures.example/", {}, { WorkerValidKey: "" });
  expect(worker.tasks[0]).not.toHaveProperty("key");
});

test("http addresses are refused unless the switch allows them", async () => {
  const refused = await faultOf(fetched("http://pictures.example/a.png"));
  expect([refused, worker.tasks.length]).toEqual([
    { kind: "insecure", message: "its URL does not begin with https://" },
    0,
  ]);
  const file = await fetched("http://pictures.example/a.png", {}, { WorkerAllowHttpImageRequestEnabled: true });
  expect(file.mimeType).toBe("image/png");
});

test.each([
  ["https://127.0.0.1/", "address"],
  ["https://2130706433/", "address"],
  ["https://[::1]/", "address"],
  ["https://[::ffff:10.0.0.1]/", "address"],
  ["https://169.254.169.254/latest/meta-data/", "address"],
  ["https://localhost/", "address"],
  ["https://a.LOCALHOST./", "address"],
  ["https://intranet.example/", "address"],
  ["https://both.example/", "address"],
  ["https://metadata.example/", "address"],
  ["https://nowhere.example/", "unreachable"],
  ["https://user:password@pictures.example/", "url"],
])("the worker is never asked for %s", async (url, kind) => {
  expect([(await faultOf(fetched(url))).kind, worker.tasks]).toEqual([kind, []]);
});

test("a redirect is followed by the same rules", async () => {
  answer = ({ url }, response) =>
    url === "/a" ? response.writeHead(302, { location: "https://intranet.example/b" }).end() : response.end(PNG);
  expect((await faultOf(fetched("https://pictures.example/a"))).kind).toBe("address");
  answer = ({ url }, response) =>
    url === "/a" ? response.writeHead(302, { location: "/b" }).end() : response.end(PNG);
  expect((await fetched("https://pictures.example/a")).mimeType).toBe("image/png");
  expect(worker.tasks.map(({ url }) => url)).toEqual([
    "https://pictures.example/a",
    "https://pictures.example/a",
    "https://pictures.example/b",
  ]);
});

test("a worker that refuses, stalls, floods or is gone is named as what failed", async () => {
  const url = "https://pictures.example/a.png";
  expect(await faultOf(fetched(url, {}, { WorkerValidKey: "wrong" }))).toEqual({
    kind: "status",
    message: "the worker that fetches for this site did not answer with the file: status 403",
  });
  worker.answer = (_, response) => response.writeHead(500).end("oops");
  expect((await faultOf(fetched(url))).message).toMatch(/status 500$/);
  worker.answer = () => undefined;
  const slow = { kind: "too_slow", message: "the worker that fetches for this site took too long" };
  expect(await faultOf(fetched(url, { timeoutMs: 150 }))).toEqual(slow);
  worker.answer = (_, response) => response.end(Buffer.alloc(200_000));
  expect((await faultOf(fetched(url, { maxBytes: 100_000 }))).kind).toBe("too_large");
  worker.answer = (_, response) => response.end("<html>no picture</html>");
  expect((await faultOf(fetched(url))).kind).toBe("type");
  await worker.close();
  const gone = { kind: "unreachable", message: "the worker that fetches for this site could not be reached" };
  expect(await faultOf(fetched(url))).toEqual(gone);
});

test("the worker's own address follows the policy for addresses that operators name", async () => {
  allowsPrivate = false;
  expect((await faultOf(fetched("https://pictures.example/"))).kind).toBe("unreachable");
  expect(worker.tasks).toEqual([]);
});
