/** Pictures that a client names by address reach an Ollama server as bytes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PIXEL } from "../sdk/matrix.ts";
import { fieldsOf } from "../support/clients/client-formats.ts";
import type { RunningVendor } from "../support/providers/own-vendor.ts";
import { vendor } from "../support/providers/own/ollama.ts";
import { TEST_KEY, type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

let relay: TestRelay;
let running: RunningVendor;
const pictures = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from(PIXEL, "base64"));
});

beforeAll(async () => {
  [relay, running] = await Promise.all([startTestRelay(), vendor.start()]);
  await new Promise<void>((resolve) => pictures.listen(0, "127.0.0.1", () => resolve()));
  relay.world.channels = [
    newChannel({ type: vendor.type, key: vendor.key, baseUrl: running.url, models: new Set(["gpt-4o"]) }),
  ];
});
afterAll(async () => {
  await Promise.all([relay.close(), running.close()]);
  pictures.close();
});

test("also for clients of OpenAI, whose own bytes would name the address", async () => {
  const url = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/cat.png`;
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url } },
  ];
  const answer = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content }] });
  expect([answer.status, running.complaints]).toEqual([200, []]);
  const sent = fieldsOf(JSON.parse(running.seen[0]?.body.toString() ?? ""));
  expect(JSON.stringify(sent["messages"])).toContain(`data:image/png;base64,${PIXEL}`);
});

test("a model whose name has a colon is asked about and called by Google's paths", async () => {
  const name = "gpt-oss:20b";
  relay.world.channels = [
    newChannel({ type: vendor.type, key: vendor.key, baseUrl: running.url, models: new Set([name]) }),
  ];
  const headers = { authorization: `Bearer sk-${TEST_KEY}` };
  const found = await fetch(`${relay.url}/v1/models/${name}`, { headers });
  expect([found.status, fieldsOf(await found.json())["id"]]).toEqual([200, name]);
  const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
  const answer = await relay.post(`/v1beta/models/${name}:generateContent`, body);
  expect(answer.status).not.toBe(501);
});
