/** Bounds of one user's tokens: how many there are, how long their lists, and how large all lists together; what is above one may only become less. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOKEN_LISTS_BYTES, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { createTokens, type TokenContext } from "./service.ts";

const names = (count: number, length = 10): string =>
  Array.from({ length: count }, (_, index) => `m${index}`.padEnd(length, "x")).join(",");

describe.each(await engines())("tokens on %s", (engine) => {
  let site: TestConsole;
  beforeAll(async () => void (site = await openTestConsole(engine)));
  afterAll(() => site.close());

  const person = (): Promise<Caller> => site.person();
  /** The context with other bounds, as an administrator sets them. */
  const bounded = (tokens: number, entries = 500): TokenContext => {
    const snapshot = Object.create(site.context.snapshot) as TokenContext["snapshot"];
    const options = {
      ...site.context.snapshot.options,
      "token_setting.max_user_tokens": tokens,
      TokenListEntryLimit: entries,
    };
    Object.defineProperty(snapshot, "options", { value: options });
    return { ...site.context, snapshot };
  };
  const ownerOf = ({ userId }: Caller) => ({ id: userId, groupName: "default" });
  const countOf = async (owner: Caller): Promise<number> => {
    return (await owner.data<{ total: number }>("GET", "/api/token?size=1")).total;
  };

  test("many calls at once make no more than the option allows, and a deleted one makes room", async () => {
    const owner = await person();
    const make = (count: number) => createTokens(bounded(25), ownerOf(owner), { name: "n", count });
    const ends = await Promise.allSettled(Array.from({ length: 12 }, () => make(5)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    for (const end of ends)
      if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "token_limit_reached", field: "count" });
    expect(await countOf(owner)).toBe(25);
    const { items } = await owner.data<{ items: TokenRow[] }>("GET", "/api/token");
    await owner.data("DELETE", `/api/token/${items[0]?.id}`);
    await expect(make(2)).rejects.toMatchObject({ code: "token_limit_reached" });
    expect(await make(1)).toHaveLength(1);
  });

  test("by default one user has 1,000, and a refused call makes none", async () => {
    const owner = await person();
    for (let made = 0; made < 1_000; made += 100) await owner.data("POST", "/api/token", { name: "n", count: 100 });
    const { body } = await owner.call("POST", "/api/token", { name: "one more" });
    expect(body).toMatchObject({ success: false, code: "token_limit_reached", values: { max: 1_000 } });
    expect(await countOf(owner)).toBe(1_000);
    // Other people are not concerned.
    await (await person()).data("POST", "/api/token", { name: "n" });
  });

  test("a list has at most 500 entries; a longer one from before stays, can be sent again and become shorter", async () => {
    const owner = await person();
    const addresses = (count: number) =>
      Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`).join("\n");
    for (const [field, list] of [
      ["model_limits", names(501)],
      ["allow_ips", addresses(501)],
    ] as const) {
      const { body } = await owner.call("POST", "/api/token", { name: "n", [field]: list });
      expect(body).toMatchObject({ success: false, code: "token_list_long", field, values: { max: 500 } });
    }
    expect(await countOf(owner)).toBe(0);
    const long = { model_limits: names(700), allow_ips: addresses(700) };
    const [token] = await createTokens(bounded(10, 700), ownerOf(owner), { name: "n", ...long });
    const id = token?.id ?? 0;
    const put = (fields: object) => owner.call("PUT", "/api/token", { id, ...fields });
    expect((await put({ ...long, name: "renamed" })).body.success).toBe(true);
    expect((await put({ model_limits: names(701) })).body).toMatchObject({ code: "token_list_long" });
    expect((await put({ model_limits: names(600), allow_ips: addresses(600) })).body.success).toBe(true);
    expect((await put({ allow_ips: addresses(601) })).body).toMatchObject({
      code: "token_list_long",
      field: "allow_ips",
    });
    const row = await owner.data<TokenRow>("GET", `/api/token/${id}`);
    expect([row.name, row.model_limits, row.allow_ips]).toEqual(["renamed", names(600), addresses(600)]);
  });

  test("all lists of a user together have a bound in bytes, which deleted tokens give back", async () => {
    const owner = await person();
    // 3 bytes a letter: 500 x 100 letters are 150 KB.
    const list = names(500, 100).replaceAll("x", "名");
    const size = Buffer.byteLength(list);
    const fitting = Math.floor(TOKEN_LISTS_BYTES / size);
    await owner.data("POST", "/api/token", { name: "n", model_limits: list, count: fitting });
    const refused = await owner.call("POST", "/api/token", { name: "n", model_limits: list });
    expect(refused.body).toMatchObject({ success: false, code: "token_lists_large", field: "model_limits" });
    expect(await countOf(owner)).toBe(fitting);
    const plain = await owner.data<TokenRow>("POST", "/api/token", { name: "plain" });
    const put = (fields: object) => owner.call("PUT", "/api/token", { id: plain.id, ...fields });
    expect((await put({ model_limits: list })).body).toMatchObject({ code: "token_lists_large" });
    expect((await put({ name: "renamed" })).body.success).toBe(true);
    const { items } = await owner.data<{ items: TokenRow[] }>("GET", "/api/token");
    await owner.data("POST", "/api/token/batch", { ids: [items[1]?.id], action: "delete" });
    expect((await put({ model_limits: list })).body.success).toBe(true);
    const left = site.foundation.database.kysely.selectFrom("tokens").select("model_limits");
    expect(await left.where("id", "=", items[1]?.id ?? 0).executeTakeFirst()).toEqual({ model_limits: "" });
  });
});
