/** Tests of bulk price changes on each engine: atomic, exact, in force in other processes, and one of several concurrent ones wins. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { PriceChange, PriceRow } from "../../../../contract/src/features/prices.ts";
import { NO_OWN_PRICE, type OwnPrice } from "../../../../contract/src/pricing/own-prices.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";

/** Names that objects have already, and names that JSON and SQL quote. */
const HOSTILE = ["constructor", "toString", "hasOwnProperty", 'a"b\\c', "模型/名:v1 {}", "it's; --", "m".repeat(128)];
const MANY = 2_000;

describe.each(await engines())("prices of many models on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    admin = await site.person(ROLE.admin);
  });
  afterAll(() => site?.close());

  const list = () => admin.data<PriceRow[]>("GET", "/api/prices");
  const put = (changes: PriceChange[]) => admin.call("PUT", "/api/prices", { changes });
  const ratio = (ModelRatio: string): OwnPrice => ({ ratios: { ModelRatio }, tools: {} });

  test("two thousand changes are made as one, to the digit, and taken back as one", async () => {
    const full = (index: number): OwnPrice => ({
      ratios: { ModelRatio: `0.${String(index + 1).padStart(12, "0")}1`, CompletionRatio: "3", CacheRatio: "0.1" },
      tiers: [{ above: "200000", ratio: "4", completion: "2", cache: "0.5", cache_creation: "1.25" }],
      tools: { web_search: String(index + 1) },
    });
    const changes = Array.from({ length: MANY }, (_, index): PriceChange => {
      const model = HOSTILE[index] ?? `vendor/model-with-a-long-name-${index}`;
      return { model, from: NO_OWN_PRICE, to: full(index) };
    });
    expect((await put(changes)).body).toMatchObject({ data: { changed: MANY } });
    const rows = new Map((await list()).map((row) => [row.model, row]));
    expect(changes.filter(({ model, to }) => JSON.stringify(rows.get(model)?.own) !== JSON.stringify(to))).toEqual([]);
    expect(rows.get("constructor")).toMatchObject({ price: { ratio: "0.0000000000011" }, tools: { web_search: "1" } });
    await put(changes.map(({ model, to }) => ({ model, from: to, to: NO_OWN_PRICE })));
    expect((await list()).filter(({ own }) => Object.keys(own.ratios).length > 0)).toEqual([]);
  });

  // The embedded database belongs to one process.
  if (engine !== "sqlite")
    test("another process charges by them within a second", async () => {
      const other = await site.second();
      await put([{ model: "shared", from: NO_OWN_PRICE, to: ratio("7") }]);
      await expect.poll(() => other.snapshot.priceOf("shared"), { timeout: 2_000 }).toMatchObject({ ratio: "7" });
      await other.close();
    });

  test("of twelve concurrent saves one succeeds, the others get a conflict, and other models lose nothing", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        put([
          { model: "race", from: NO_OWN_PRICE, to: ratio(String(index + 1)) },
          { model: `own-of-${index}`, from: NO_OWN_PRICE, to: ratio("5") },
        ]),
      ),
    );
    const codes = answers.map(({ status, body }) => (status === 200 ? "saved" : body.code));
    expect(codes.filter((code) => code === "saved")).toHaveLength(1);
    expect(codes.filter((code) => code === "price_changed")).toHaveLength(11);
    const winner = codes.indexOf("saved");
    const rows = await list();
    expect(rows.find(({ model }) => model === "race")?.own).toEqual(ratio(String(winner + 1)));
    expect(rows.filter(({ model }) => model.startsWith("own-of-")).map(({ model }) => model)).toEqual([
      `own-of-${winner}`,
    ]);
  });

  test("changes of different models at the same moment are all kept", async () => {
    const models = Array.from({ length: 12 }, (_, index) => `beside-${index}`);
    const answers = await Promise.all(models.map((model) => put([{ model, from: NO_OWN_PRICE, to: ratio("2") }])));
    expect(answers.map(({ status }) => status)).toEqual(models.map(() => 200));
    const kept = (await list()).filter(({ model }) => model.startsWith("beside-"));
    expect(kept.map(({ model }) => model)).toEqual(models.toSorted());
  });
});
