/** Tests of the price list: fetching changes nothing, an accepted line is in force in every process within a second, and can be undone. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FetchedLine } from "../../../../contract/src/pricing/list-lines.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import {
  type ConsoleAnswer,
  type Caller,
  openTestConsole,
  type TestConsole,
} from "../../../../tests/support/systems/console.ts";
import { type PriceListSite, startPriceListSite } from "../../../../tests/support/price-lists/site.ts";
import { createPrices } from "../../prices/lookup.ts";
import { readListFile } from "../../prices/shipped-list.ts";
import { storeShippedList } from "../../prices/stored-lists.ts";
import { openSnapshot } from "../../snapshot/open-snapshot.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";

const model = (id: string, usd: number, change: object = {}) => ({
  id,
  match: { equals: id },
  prices: { input_mtok: usd, output_mtok: usd * 4 },
  ...change,
});

/** As of github.com/pydantic/genai-prices, prices/new_data/v2/data.schema.json: an array of providers. */
const publish = (site: PriceListSite, ...models: readonly object[]): void => {
  const openai = { id: "openai", name: "OpenAI", api_pattern: "https://api\\.openai\\.com", models };
  const other = { id: "somebody-else", name: "Else", api_pattern: "x", models: [model("x", 1)] };
  Object.assign(site.answer, { status: 200, body: JSON.stringify([openai, other]) });
};

interface Fetched {
  source: string;
  base: string;
  unused_providers: string[];
  lines: FetchedLine[];
}

const WITHIN_MS = 1_000;

async function within(look: () => boolean): Promise<boolean> {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end;) {
    if (look()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return look();
}

describe.each(await engines())("price list on %s", (engine) => {
  let list: PriceListSite;
  let site: TestConsole;
  let root: Caller;
  let other: Snapshot;
  let isOpen = false;

  beforeAll(async () => {
    list = await startPriceListSite();
    site = await openTestConsole(engine, { fetchGuarded: list.fetchGuarded });
    root = await site.person(100);
    await root.data("PUT", "/api/option", { key: "PriceListUrl", value: list.url });
    const { database, secrets } = site.foundation;
    const { logger } = site.context;
    other = await openSnapshot({ database, secrets, logger, pricesOf: createPrices("test", logger) });
    isOpen = true;
  });
  afterAll(async () => {
    if (isOpen) await other.close();
    await site.close();
    await list.close();
  });
  afterEach(async () => {
    const { accepted } = await root.data<{ accepted: { id: number; undone_time: number }[] }>(
      "GET",
      "/api/prices/list",
    );
    for (const { id, undone_time } of accepted)
      if (undone_time === 0) await root.data("DELETE", `/api/prices/list/accepted/${id}`);
  });

  const fetched = () => root.data<Fetched>("POST", "/api/prices/list/fetch");
  const accept = ({ source, base }: Fetched, lines: readonly FetchedLine[]): Promise<ConsoleAnswer> =>
    root.call("POST", "/api/prices/list/accept", {
      source,
      base,
      lines: lines.map(({ provider, id, before_id, rule }) => ({ provider, id, before_id, rule })),
    });
  const ratioOf = (snapshot: Snapshot, name: string): string | undefined => {
    const price = snapshot.priceOf(name);
    return price?.kind === "per_token" ? price.ratio : undefined;
  };

  test("accepted lines are in force here at once and there within a second; undoing brings everything back", async () => {
    const { snapshot, database } = site.foundation;
    const before = { version: snapshot.priceVersion, ratio: ratioOf(snapshot, "gpt-4o") };
    publish(list, model("gpt-4o", 100), model("gpt-100", 7));
    const found = await fetched();
    expect(found.unused_providers).toEqual(["somebody-else"]);
    const changed = found.lines.find(({ id }) => id === "gpt-4o");
    const added = found.lines.find(({ id }) => id === "gpt-100");
    expect(changed).toMatchObject({ change: "changed", before: { ratio: "1.25" }, after: { ratio: "50" } });
    expect(added).toMatchObject({ change: "added", before: null, after: { ratio: "3.5", completion_ratio: "4" } });
    expect(found.lines.find(({ id }) => id === "gpt-4o-mini")).toMatchObject({ change: "removed", rule: null });
    // Nothing yet: a fetch only looks.
    expect([ratioOf(snapshot, "gpt-4o"), ratioOf(snapshot, "gpt-100")]).toEqual([before.ratio, undefined]);

    const answer = await accept(
      found,
      [changed, added].filter((line) => line !== undefined),
    );
    const { id } = answer.body.data as { id: number };
    expect([ratioOf(snapshot, "gpt-4o"), ratioOf(snapshot, "gpt-100"), ratioOf(snapshot, "gpt-4o-mini")]).toEqual([
      "50",
      "3.5",
      "0.075",
    ]);
    expect(await within(() => ratioOf(other, "gpt-4o") === "50" && ratioOf(other, "gpt-100") === "3.5")).toBe(true);
    expect(snapshot.priceVersion).not.toBe(before.version);
    const version = await database.kysely
      .selectFrom("price_versions")
      .select("tables")
      .where("id", "=", snapshot.priceVersion)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(version.tables)).toMatchObject({
      dataSet: expect.stringMatching(new RegExp(`, accepted ${id}$`)),
    });

    const shown = await root.data<{ accepted: object[] }>("GET", "/api/prices/list");
    expect(shown.accepted[0]).toMatchObject({
      id,
      source: list.url,
      created_by: root.username,
      undone_time: 0,
      count: 2,
      lines: [
        { provider: "openai", id: "gpt-4o", is_removed: false },
        { provider: "openai", id: "gpt-100", is_removed: false },
      ],
      is_older: false,
    });

    await root.data("DELETE", `/api/prices/list/accepted/${id}`);
    expect([ratioOf(snapshot, "gpt-4o"), ratioOf(snapshot, "gpt-100")]).toEqual([before.ratio, undefined]);
    expect(await within(() => ratioOf(other, "gpt-4o") === before.ratio)).toBe(true);
    expect(snapshot.priceVersion).toBe(before.version);
    const { accepted } = await root.data<{ accepted: object[] }>("GET", "/api/prices/list");
    expect(accepted[0]).toMatchObject({ id, undone_by: root.username, undone_time: expect.any(Number) });
    expect((await root.call("DELETE", `/api/prices/list/accepted/${id}`)).body).toMatchObject({
      success: false,
      code: "not_found",
    });
    const log = await database.kysely.selectFrom("logs").select(["username", "other"]).where("type", "=", 3).execute();
    const events = log.map((row) => (JSON.parse(row.other) as { event: object }).event);
    expect(events).toContainEqual({ code: "price_list_accepted", values: { count: 2, source: list.url } });
    expect(events).toContainEqual({ code: "price_list_undone", values: { id } });
  });

  test("a line shows whether its model is enabled, and whether an own price overrides it, which then stays in force", async () => {
    const { snapshot } = site.foundation;
    const channel = { type: 1, name: "c", key: "k", models: "gpt-4o,gpt-4o-mini,dall-e-3", groups: ["default"] };
    await root.data("POST", "/api/channel", channel);
    await root.data("PUT", "/api/option", { key: "ModelRatio", value: '{"gpt-4o-mini": 9}' });
    publish(list, model("gpt-4o", 3), model("gpt-4o-mini", 4), model("dall-e-3", 5));
    const found = await fetched();
    const lineOf = (id: string) => found.lines.find((line) => line.id === id);
    expect(lineOf("gpt-4o")).toMatchObject({ models: ["gpt-4o"], own: [] });
    expect(lineOf("gpt-4o-mini")).toMatchObject({ models: ["gpt-4o-mini"], own: ["gpt-4o-mini"] });
    // The product's own price of a picture stands over any list.
    expect(lineOf("dall-e-3")).toMatchObject({ models: [] });
    await accept(
      found,
      found.lines.filter(({ change }) => change !== "removed"),
    );
    expect([ratioOf(snapshot, "gpt-4o"), ratioOf(snapshot, "gpt-4o-mini")]).toEqual(["1.5", "9"]);
    expect(await root.data("GET", "/api/prices/list")).toMatchObject({ differing: 1, source: list.url });
    await root.data("PUT", "/api/option", { key: "ModelRatio", value: "{}" });
    expect(ratioOf(snapshot, "gpt-4o-mini")).toBe("2");
  });

  test("lines that were compared with an older list are refused, and nothing is accepted", async () => {
    publish(list, model("gpt-4o", 5), model("o3", 9));
    const found = await fetched();
    const [first, second] = ["gpt-4o", "o3"].map((id) => found.lines.filter((line) => line.id === id));
    expect((await accept(found, first ?? [])).body).toMatchObject({ success: true });
    expect(await accept(found, second ?? [])).toMatchObject({ status: 409, body: { code: "price_list_changed" } });
    expect((await fetched()).lines.map(({ id }) => id)).not.toContain("gpt-4o");
  });

  test.each([
    ["a price below nothing", [model("gpt-4o", -1)], "[0].models[0].prices.input_mtok", "price"],
    [
      "a pattern that never ends",
      [model("a", 1), model("b", 1, { match: { regex: "(a+)+$" } })],
      "[0].models[1].match.regex",
      "pattern",
    ],
  ])("a list with %s is refused with its place", async (_what, models, place, problem) => {
    publish(list, ...models);
    expect((await root.call("POST", "/api/prices/list/fetch")).body).toMatchObject({
      success: false,
      code: "price_list_invalid",
      values: { place, problem },
    });
  });

  test("what is sent to be accepted is checked like a list", async () => {
    publish(list, model("gpt-4o", 5));
    const found = await fetched();
    const line = { provider: "openai", id: "gpt-4o", before_id: null };
    const bad = { source: list.url, base: found.base, lines: [{ ...line, rule: model("gpt-4o", -5) }] };
    expect((await root.call("POST", "/api/prices/list/accept", bad)).body).toMatchObject({
      code: "price_list_invalid",
      values: { place: "lines[0].rule.prices.input_mtok", problem: "price" },
    });
    const foreign = { ...bad, lines: [{ ...line, rule: model("another", 5) }] };
    expect((await root.call("POST", "/api/prices/list/accept", foreign)).body).toMatchObject({
      code: "price_list_invalid",
    });
  });

  test("no list: an error of the site, nothing of ours in it, too much, a private address, and an address without https", async () => {
    const codeNow = async () => (await root.call("POST", "/api/prices/list/fetch")).body;
    Object.assign(list.answer, { status: 404, body: "gone" });
    expect(await codeNow()).toMatchObject({ code: "price_list_status", values: { status: 404 } });
    Object.assign(list.answer, { status: 200, body: JSON.stringify([{ id: "else", models: [model("x", 1)] }]) });
    expect(await codeNow()).toMatchObject({ code: "price_list_empty" });
    Object.assign(list.answer, { body: `["${"x".repeat(9 * 1024 * 1024)}"]` });
    expect(await codeNow()).toMatchObject({ code: "upstream_failed" });
    list.policy.allowsPrivate = false;
    expect(await codeNow()).toMatchObject({ code: "address_refused" });
    list.policy.allowsPrivate = true;
    await root.data("PUT", "/api/option", { key: "PriceListUrl", value: "http://prices.invalid/" });
    expect(await codeNow()).toMatchObject({ code: "price_list_address", field: "PriceListUrl" });
    await root.data("PUT", "/api/option", { key: "PriceListUrl", value: list.url });
  });

  test("each shipped list is stored once over all processes, and the next version says what it changed", async () => {
    const { database } = site.foundation;
    await Promise.all(Array.from({ length: 4 }, () => storeShippedList(database)));
    const stored = await database.kysely.selectFrom("price_lists").select(["id", "version", "created_time"]).execute();
    const { version, date, text } = readListFile();
    expect(stored).toMatchObject([{ version }]);
    expect(await root.data("GET", "/api/prices/list")).toMatchObject({
      shipped: { version, date },
      previous: null,
      changes: [],
    });
    // As if an older version of the product had run here before.
    const lines = text
      .replace(/^.*\n/, `${JSON.stringify({ version: "0.1.7", date: "2026-09-16" })}\n`)
      .replace(/(\{"id":"gpt-4o","match".*?"input_mtok":)2\.5/, "$13");
    await database.kysely.deleteFrom("price_lists").execute();
    await database.kysely
      .insertInto("price_lists")
      .values({ hash: "0".repeat(64), version: "0.1.7", lines, created_time: 1_780_000_000 })
      .execute();
    await storeShippedList(database);
    expect(await root.data("GET", "/api/prices/list")).toMatchObject({
      shipped: { version },
      previous: { version: "0.1.7", date: "2026-09-16", since: 1_780_000_000 },
      changes: [
        {
          provider: "openai",
          id: "gpt-4o",
          change: "changed",
          alters: ["price"],
          before: { ratio: "1.5" },
          after: { ratio: "1.25" },
        },
      ],
    });
  });
});
