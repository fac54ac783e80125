/** Tests of the listener's own refusals over real sockets: oversized requests never reach a handler. */
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { type Listener, listen } from "./listener.ts";

let listener: Listener;
let handled = 0;

beforeAll(async () => {
  listener = await listen(readConfig({ PORT: "0" }), (_request, response) => {
    handled += 1;
    response.end("ok");
  });
});
afterAll(() => listener.drain(0));

function send(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(listener.url + path, { headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString("utf8") }),
      );
    });
    sent.on("error", reject).end();
  });
}

const refusal = (message: string) => ({
  success: false,
  message,
  code: "malformed",
  error: { message, type: "invalid_request_error", param: null, code: "malformed" },
});

test("a header over 16 KiB is 431, one just below is taken", async () => {
  expect(await send("/v1/models", { "x-long": "a".repeat(15 * 1024) })).toEqual({ status: 200, body: "ok" });
  const before = handled;
  const { status, body } = await send("/v1/models", { "x-long": "a".repeat(16 * 1024 + 1) });
  expect(status).toBe(431);
  expect(JSON.parse(body)).toEqual(refusal("The request header is too large"));
  expect(handled).toBe(before);
});

test("an address over 8 KiB is 414, one of 8 KiB is taken", async () => {
  const path = (bytes: number): string => `/v1/models?q=${"a".repeat(bytes - "/v1/models?q=".length)}`;
  expect((await send(path(8192))).status).toBe(200);
  const before = handled;
  const { status, body } = await send(path(8193));
  expect(status).toBe(414);
  expect(JSON.parse(body)).toEqual(refusal("The address is too long"));
  expect(handled).toBe(before);
});
