/** Tests of prices of other sites: differences name their sites, no site delays or misleads the others, and taken ones become own prices. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import type { SitesComparison } from "../../../../contract/src/pricing/site-prices.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import { fetchGuarded } from "../../composition/guarded-fetch.ts";
import { createUpstreamClient } from "../../upstream/client.ts";

const servers: Server[] = [];
const policy = { allowsPrivate: true };
const client = createUpstreamClient({ allowsPrivate: () => policy.allowsPrivate, connectTimeoutMs: 2_000 });

let site: TestConsole;
let root: Caller;

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A site that answers these paths with these texts and everything else with 404. */
const publish = (answers: Readonly<Record<string, string>>): Promise<string> =>
  listen((request, response) => {
    const body = answers[request.url ?? ""];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" }).end(body ?? "{}");
  });
const envelope = (data: unknown): string => JSON.stringify({ success: true, message: "", data });

beforeAll(async () => {
  const [engine] = await engines();
  if (engine === undefined) throw new Error("there is no database");
  site = await openTestConsole(engine, { fetchGuarded: (request) => fetchGuarded(client, request) });
  root = await site.person(100);
  await root.data("PUT", "/api/option", { key: "ModelRatio", value: '{"same": 1.1, "mine": 2}' });
  await root.data("PUT", "/api/option", { key: "CompletionRatio", value: '{"same": 3, "mine": 4}' });
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await client.close();
  await site.close();
});

/** Enough for three questions on a busy machine. */
const TIMEOUT_S = 4;

const compare = (sites: readonly object[], timeout = 5) =>
  root.data<SitesComparison>("POST", "/api/prices/sites/compare", { sites, timeout });

test("tables, lists and one-hub's prices are read; only what differs is named, with the sites that agree", async () => {
  const tables = await publish({
    "/api/ratio_config": envelope({
      model_ratio: { same: 1.1, mine: 0.1 + 0.2, picture: 9 },
      completion_ratio: { same: 3, mine: 4 },
      model_price: { picture: 0.04 },
    }),
  });
  const list = await publish({
    "/api/pricing": envelope([
      { model_name: "same", quota_type: 0, model_ratio: 1.1000000000001, completion_ratio: 3, model_price: 0 },
      { model_name: "mine", quota_type: 0, model_ratio: 0.3, completion_ratio: 4, model_price: 0 },
      { model_name: "free-of-price", quota_type: 0, model_ratio: 0, has_price: false },
    ]),
  });
  const hub = await publish({
    "/api/prices": envelope([
      { model: "mine", type: "tokens", input: 2, output: 8, extra_ratios: {} },
      { model: "picture", type: "times", input: 20, output: 20 },
    ]),
  });
  const { sites, lines } = await compare([
    { name: "one", base_url: `${tables}/` },
    { name: "two", base_url: list },
    { name: "three", base_url: hub },
  ]);
  expect(sites.map(({ failure, models }) => [failure, models])).toEqual([
    ["", 3],
    ["", 2],
    ["", 2],
  ]);
  const said = lines.map(({ model, offers, same }) => ({
    model,
    offers: offers.map(({ price, sites: by }) => ({ price, sites: by })),
    same,
  }));
  expect(said).toEqual([
    {
      model: "mine",
      offers: [
        { price: { model_ratio: "0.30000000000000004", completion_ratio: "4" }, sites: ["one"] },
        { price: { model_ratio: "0.3", completion_ratio: "4" }, sites: ["two"] },
      ],
      same: ["three"],
    },
    { model: "picture", offers: [{ price: { model_price: "0.04" }, sites: ["one", "three"] }], same: [] },
  ]);
});

test("a price that is taken is an own price by the way of all price changes, and is refused where it changed meanwhile", async () => {
  await root.data("PUT", "/api/option", { key: "ImageRatio", value: '{"mine": 2}' });
  const tier = { above: 9, ratio: 5, completion: 4, cache: 1, cache_creation: 1 };
  await root.data("PUT", "/api/option", { key: "ContextTiers", value: JSON.stringify({ mine: [tier] }) });
  const other = await publish({
    "/api/ratio_config": envelope({ model_ratio: { mine: 6 }, model_price: { taken: 0.5 } }),
  });
  const { lines } = await compare([{ base_url: other }]);
  const changes = lines.map(({ model, own, offers: [offer] }) => ({ model, from: own, to: offer?.to }));
  // What the site does not say stays, but for tiers of the price that goes.
  expect(changes.map(({ to }) => to)).toEqual([
    { ratios: { ModelRatio: "6", CompletionRatio: "4", ImageRatio: "2" }, tools: {} },
    { ratios: { ModelPrice: "0.5" }, tools: {} },
  ]);
  expect(await root.data("PUT", "/api/prices", { changes })).toEqual({ changed: 2 });
  const { snapshot } = site.context;
  expect(snapshot.priceOf("taken")).toEqual({ kind: "per_call", price: "0.5" });
  expect(lines.map(({ offers: [offer] }) => offer?.after)).toEqual(
    lines.map(({ model }) => {
      const price = snapshot.priceOf(model);
      return price === undefined ? null : toPriceFields(price);
    }),
  );
  expect((await root.call("PUT", "/api/prices", { changes })).body).toMatchObject({ code: "price_changed" });
  expect((await compare([{ base_url: other }])).lines).toEqual([]);
  await root.data("PUT", "/api/option", { key: "ContextTiers", value: "{}" });
  await root.data("PUT", "/api/option", { key: "ModelRatio", value: '{"same": 1.1, "mine": 2}' });
});

test("a site that is slow, huge, broken or lies holds up no other, and what is no price is never offered", async () => {
  const good = await publish({ "/api/ratio_config": envelope({ model_ratio: { mine: 7 } }) });
  const slow = await listen(() => undefined);
  const trickling = await listen((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  });
  const huge = await listen((_, response) => {
    response.writeHead(200);
    const piece = "[".repeat(1024 * 1024);
    const write = (): void => void (response.destroyed || response.write(piece, () => setImmediate(write)));
    write();
  });
  const broken = await publish({ "/api/ratio_config": '{"data": {"model_ratio": {"mine": NaN}}}' });
  const lying = await publish({
    "/api/ratio_config":
      '{"success":true,"data":{"model_ratio":{"a":-1,"b":1e300,"c":1e999,"d":"2","e":1e-30,"__proto__":3,"constructor":4,' +
      `"${"x".repeat(129)}":1,"\u202egpt":1,"fine":5},"completion_ratio":"none","model_price":{"__proto__":{"polluted":1}}}}`,
  });
  const startedAt = performance.now();
  const { sites, lines } = await compare(
    [slow, trickling, huge, broken, lying, good].map((base_url, index) => ({ name: String(index), base_url })),
    TIMEOUT_S,
  );
  // Four are asked at a time, and two of these six take all of their time.
  expect(performance.now() - startedAt).toBeLessThan(3 * TIMEOUT_S * 1000);
  expect(sites.map(({ failure, models }) => [failure, models])).toEqual([
    ["not_answered", 0],
    ["not_answered", 0],
    ["not_answered", 0],
    // Its other two addresses were tried after the broken one.
    ["status", 0],
    ["", 2],
    ["", 1],
  ]);
  expect(sites[4]?.refused).toBe(8);
  expect(lines.map(({ model, offers }) => [model, offers[0]?.price.model_ratio])).toEqual([
    ["constructor", "4"],
    ["fine", "5"],
    ["mine", "7"],
  ]);
  expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted");
});

test("private addresses are refused where the site does not allow them, and addresses that are none by name", async () => {
  const other = await publish({ "/api/ratio_config": envelope({ model_ratio: { mine: 7 } }) });
  policy.allowsPrivate = false;
  const { sites } = await compare([{ base_url: other }]);
  policy.allowsPrivate = true;
  expect(sites[0]?.failure).toBe("address_refused");
  for (const base_url of ["ftp://a.example", "https://user:pw@a.example", "nothing"]) {
    const answer = await root.call("POST", "/api/prices/sites/compare", { sites: [{ base_url }] });
    expect(answer.body).toMatchObject({ success: false, field: expect.stringContaining("base_url") as string });
  }
  expect((await root.call("POST", "/api/prices/sites/compare", {})).body).toMatchObject({
    success: false,
    field: "sites",
  });
});

test("new-api's calls answer in its form", async () => {
  const other = await publish({
    "/api/pricing": envelope([{ model_name: "mine", quota_type: 0, model_ratio: 5, completion_ratio: 4 }]),
  });
  const upstreams = [
    { name: "x", base_url: other, endpoint: "/api/pricing" },
    { name: "y", base_url: other, endpoint: "/nothing" },
  ];
  expect(await root.data("POST", "/api/ratio_sync/fetch", { upstreams, timeout: 5 })).toEqual({
    differences: { mine: { model_ratio: { current: 2, upstreams: { x: 5 }, confidence: { x: true } } } },
    test_results: [
      { name: "x", status: "success" },
      { name: "y", status: "error", error: "status" },
    ],
  });
  expect(await root.data("GET", "/api/ratio_sync/channels")).toEqual([]);
});

test("own ratios and the price list are published to other sites' pages only where the operator says so", async () => {
  const readers = async (path: string) =>
    (
      await fetch(`${site.url}${path}`, {
        headers: { origin: "https://prices.example", "sec-fetch-site": "cross-site" },
      })
    ).headers.get("access-control-allow-origin");
  expect([await readers("/api/pricing"), await readers("/api/status")]).toEqual([null, null]);
  expect(await root.call("GET", "/api/ratio_config")).toMatchObject({
    status: 403,
    body: { code: "ratio_config_off" },
  });
  await root.data("PUT", "/api/option", { key: "ExposeRatioEnabled", value: "true" });
  expect(Object.keys(await root.data<object>("GET", "/api/ratio_config"))).toEqual([
    "model_ratio",
    "completion_ratio",
    "cache_ratio",
    "create_cache_ratio",
    "model_price",
  ]);
  expect([await readers("/api/pricing"), await readers("/api/ratio_config"), await readers("/api/status")]).toEqual([
    "*",
    "*",
    null,
  ]);
});
