/** What another gateway publishes is read from a real server, within bounds, and refused with the field where it is none. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { GatewayInfo } from "../../../../contract/src/channels/gateway.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";

const PRICING = {
  success: true,
  data: [
    {
      model_name: "a",
      quota_type: 0,
      model_ratio: 1.5,
      completion_ratio: 4,
      model_price: 0,
      enable_groups: ["default"],
    },
    { model_name: "b", quota_type: 1, model_ratio: 0, completion_ratio: 0, model_price: 0.02, enable_groups: ["all"] },
  ],
  group_ratio: { default: 1, vip: 0.8 },
  usable_group: { default: "Everyone", vip: "x".repeat(5000) },
  vendors: [],
};

let gateway: Server;
let server: TestServer;
let root: TestClient;
let base: string;
let pricing: string;

beforeAll(async () => {
  gateway = createServer((request, response) => {
    const body = request.url === "/api/status" ? '{"success":true,"data":{"system_name":"Other"}}' : pricing;
    response.writeHead(request.url?.startsWith("/api/") === true ? 200 : 404).end(body);
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" });
  root = await setUp(server);
});
afterAll(async () => {
  await server?.stop();
  await new Promise((resolve) => gateway.close(resolve));
});

const read = (base_url: string) => root.post("/api/channel/gateway", { base_url });

test("groups with their ratios and prices are read, also where the address ends in a version", async () => {
  pricing = JSON.stringify(PRICING);
  const info = (await read(`${base}/v1`)).body.data as GatewayInfo;
  expect(info).toMatchObject({
    system_name: "Other",
    groups: [
      { name: "default", description: "Everyone", ratio: 1, models: 2 },
      { name: "vip", ratio: 0.8, models: 1 },
    ],
    models: [
      { model_name: "a", model_ratio: 1.5 },
      { model_name: "b", model_price: 0.02 },
    ],
    model_count: 2,
  });
  expect(info.groups[1]?.description).toHaveLength(200);
});

test.each([
  ["no JSON", "<html>"],
  ["another list", '{"success":true,"data":{"model_group":{}}}'],
  ["too much", `[${" ".repeat(5_000_000)}]`],
])("an address with %s is refused", async (_, answer) => {
  pricing = answer;
  expect((await read(base)).body).toMatchObject({ success: false, code: "upstream_failed" });
});

test("an address that is none names its field", async () => {
  for (const address of ["", "nowhere", "ftp://x.example"])
    expect((await read(address)).body).toMatchObject({ success: false, field: "base_url" });
});
