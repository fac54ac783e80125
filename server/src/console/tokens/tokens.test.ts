/** Tests of tokens: only the owner, every field checked, quota through the ledger, and a revoked key is dead before the answer. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { nowSeconds } from "../../util/clock.ts";
import { statusOf } from "./rules.ts";

const HOUR = 3600;
interface TokenPage {
  items: TokenRow[];
  total: number;
}

describe.each(await engines())("tokens on %s", (engine) => {
  let site: TestConsole;
  let owner: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    owner = await site.person();
  });
  afterAll(() => site.close());

  const make = (caller: Caller, fields: object = {}) =>
    caller.data<TokenRow>("POST", "/api/token/", { name: "laptop", remain_quota: 1000, ...fields });

  const refusal = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await owner.call(method, path, body);
    return { status, success: answer.success, code: answer.code, field: answer.field, message: answer.message };
  };

  const stored = (id: number) =>
    site.foundation.database.kysely.selectFrom("tokens").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  it("answers a new token with its whole key, which is nowhere in the database", async () => {
    const token = await make(owner);
    expect(token.key).toMatch(/^[A-Za-z0-9]{48}$/);
    expect(token).toMatchObject({
      status: 1,
      remain_quota: 1000,
      used_quota: 0,
      expired_time: -1,
      group: "",
      name: "laptop",
    });
    const row = await stored(token.id);
    expect(JSON.stringify(row)).not.toContain(token.key);
    expect(row.key_first + row.key_last).toBe(token.key.slice(0, 6) + token.key.slice(-4));
    expect(site.foundation.snapshot.tokenByKey(token.key)?.id).toBe(token.id);
  });

  it("keeps a list of groups in its order, of those that its owner may use, each once and 16 at most", async () => {
    const groups = ["vip", "default"];
    const token = await make(owner, { group: "auto", auto_groups: groups, cross_group_retry: true });
    expect(token).toMatchObject({ group: "auto", auto_groups: groups, cross_group_retry: true });
    const known = () => site.foundation.snapshot.tokenByKey(token.key);
    expect(known()).toMatchObject({ autoGroups: groups, retriesAcrossGroups: true });
    const save = async (auto_groups: readonly string[]) =>
      (await owner.call("PUT", "/api/token", { id: token.id, auto_groups })).body;
    for (const [bad, code] of [
      [["svip-of-others"], "group_unusable"],
      [["auto"], "group_unusable"],
      [["vip", " vip "], "group_twice"],
    ] as const)
      expect(await save(bad)).toMatchObject({ success: false, code, field: "auto_groups" });
    const many = await save(Array.from({ length: 17 }, () => "vip"));
    expect([many.success, String(many.field)]).toEqual([false, expect.stringContaining("auto_groups")]);
    expect(known()?.autoGroups).toEqual(groups);
    expect(await save(["default"])).toMatchObject({ success: true, data: { auto_groups: ["default"] } });
    expect(known()?.autoGroups).toEqual(["default"]);
    expect(await make(owner)).toMatchObject({ auto_groups: [], cross_group_retry: false });
  });

  it("books the first quota, so that the balance is the sum of the ledger", async () => {
    const token = await make(owner, { remain_quota: 777 });
    const entries = await site.foundation.database.kysely
      .selectFrom("ledger")
      .select("token_quota_delta")
      .where("token_id", "=", token.id)
      .execute();
    expect(entries).toEqual([{ token_quota_delta: 777 }]);
  });

  it("makes a batch in one call, names after the first with a random suffix", async () => {
    const person = await site.person();
    const { body } = await person.call("POST", "/api/token", { name: "batch", remain_quota: 5, count: 30 });
    const tokens = body["tokens"] as TokenRow[];
    expect(tokens).toHaveLength(30);
    expect(tokens[0]?.name).toBe("batch");
    expect(tokens.slice(1).every(({ name }) => /^batch-[a-z0-9]{6}$/.test(name))).toBe(true);
    expect(new Set(tokens.map(({ key }) => key)).size).toBe(30);
    expect(tokens.every(({ remain_quota }) => remain_quota === 5)).toBe(true);
  });

  it("refuses each bad field by its name and changes nothing", async () => {
    const total = async () => (await owner.data<TokenPage>("GET", "/api/token/?size=1")).total;
    const before = await total();
    const cases: [object, string, string][] = [
      [{ name: "" }, "token_name_missing", "name"],
      [{ name: "名".repeat(31) }, "token_name_long", "name"],
      [{ expired_time: nowSeconds() - 5 }, "token_expiry_invalid", "expired_time"],
      [{ expired_time: 1.5 }, "token_expiry_invalid", "expired_time"],
      [{ remain_quota: -1 }, "token_quota_invalid", "remain_quota"],
      [{ remain_quota: 0.5 }, "token_quota_invalid", "remain_quota"],
      [{ remain_quota: 1e300 }, "token_quota_invalid", "remain_quota"],
      [{ group: "nobodys" }, "group_unusable", "group"],
      [{ count: 101 }, "token_count_invalid", "count"],
      [{ count: 0 }, "token_count_invalid", "count"],
    ];
    for (const [fields, code, field] of cases) {
      const answer = await refusal("POST", "/api/token/", { name: "x", ...fields });
      expect({ fields, ...answer }).toMatchObject({ fields, status: 200, success: false, code, field });
    }
    expect(await total()).toBe(before);
  });

  it("counts characters and not bytes in a name", async () => {
    expect((await make(owner, { name: "令".repeat(30) })).name).toHaveLength(30);
  });

  it("names the bad line of an IP list and keeps good ones", async () => {
    const bad = await refusal("POST", "/api/token/", { name: "x", allow_ips: "10.0.0.0/8\nlocalhost\n::1" });
    expect(bad).toMatchObject({ code: "token_address_invalid", field: "allow_ips" });
    expect(bad.message).toContain("Line 2");
    expect(bad.message).toContain("localhost");
    const good = await make(owner, { allow_ips: " 10.0.0.0/8 \n\n2001:db8::/32\n127.0.0.1" });
    expect(good.allow_ips).toBe("10.0.0.0/8\n2001:db8::/32\n127.0.0.1");
    const isAllowed = site.foundation.snapshot.tokenByKey(good.key)?.isAddressAllowed;
    expect([isAllowed?.("10.9.9.9"), isAllowed?.("8.8.8.8")]).toEqual([true, false]);
  });

  it("tidies model limits", async () => {
    const token = await make(owner, { model_limits_enabled: true, model_limits: " a , b,,a\nc " });
    expect(token.model_limits).toBe("a,b,c");
  });

  it("shows nobody else's tokens and changes none of them", async () => {
    const token = await make(owner);
    const stranger = await site.person(100);
    for (const [method, path, body] of [
      ["GET", `/api/token/${token.id}`, undefined],
      ["PUT", "/api/token/", { id: token.id, name: "mine" }],
      ["PUT", "/api/token/?status_only=true", { id: token.id, status: 2 }],
      ["DELETE", `/api/token/${token.id}/`, undefined],
    ] as const) {
      const answer = await stranger.call(method, path, body);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ success: false, code: "not_found" });
      expect(answer.text).not.toContain(token.key);
    }
    expect((await stored(token.id)).name).toBe("laptop");
    expect(await stranger.data<TokenPage>("GET", "/api/token/")).toMatchObject({ items: [], total: 0 });
    const found = await stranger.data<TokenPage>("GET", `/api/token/search?token=${token.key}`);
    expect(found).toMatchObject({ items: [], total: 0 });
  });

  it("kills a deleted or disabled key before it answers", async () => {
    const token = await make(owner);
    await owner.data("PUT", "/api/token/?status_only=true", { id: token.id, status: 2 });
    expect(site.foundation.snapshot.tokenByKey(token.key)?.status).toBe(2);
    await owner.data("DELETE", `/api/token/${token.id}/`);
    expect(site.foundation.snapshot.tokenByKey(token.key)).toBeUndefined();
    expect(await refusal("GET", `/api/token/${token.id}`)).toMatchObject({ success: false, code: "not_found" });
  });

  it("refuses to enable an expired or exhausted token and says why", async () => {
    const spent = await make(owner, { remain_quota: 0 });
    expect(spent.status).toBe(4);
    expect(await refusal("PUT", "/api/token/?status_only=1", { id: spent.id, status: 1 })).toMatchObject({
      code: "token_exhausted",
    });
    const old = await make(owner);
    await site.foundation.database.kysely
      .updateTable("tokens")
      .set({ expired_time: 5 })
      .where("id", "=", old.id)
      .execute();
    expect((await owner.data<TokenRow>("GET", `/api/token/${old.id}`)).status).toBe(3);
    expect(await refusal("PUT", "/api/token/?status_only=1", { id: old.id, status: 1 })).toMatchObject({
      code: "token_expired",
    });
    expect(await refusal("PUT", "/api/token/?status_only=1", { id: old.id, status: 3 })).toMatchObject({ status: 400 });
  });

  it("brings a swept token back once its reason is gone, and lets an expired one be renamed", async () => {
    const token = await make(owner);
    const sweep = { status: 3, expired_time: 5 };
    await site.foundation.database.kysely.updateTable("tokens").set(sweep).where("id", "=", token.id).execute();
    const renamed = await owner.data<TokenRow>("PUT", "/api/token/", { ...token, ...sweep, name: "old" });
    expect(renamed).toMatchObject({ name: "old", status: 3 });
    const extended = await owner.data<TokenRow>("PUT", "/api/token/", {
      ...renamed,
      expired_time: nowSeconds() + HOUR,
    });
    expect(extended.status).toBe(1);
    expect((await stored(token.id)).status).toBe(1);
    expect(site.foundation.snapshot.tokenByKey(token.key)?.status).toBe(1);
  });

  it("brings an exhausted token back when quota is added", async () => {
    const token = await make(owner, { remain_quota: 0 });
    await site.foundation.database.kysely.updateTable("tokens").set({ status: 4 }).where("id", "=", token.id).execute();
    const filled = await owner.data<TokenRow>("PUT", "/api/token/", {
      id: token.id,
      remain_quota: 50,
      remain_quota_seen: 0,
    });
    expect(filled).toMatchObject({ status: 1, remain_quota: 50 });
  });

  it("changes only what is sent", async () => {
    const token = await make(owner, { allow_ips: "1.2.3.4", model_limits_enabled: true, model_limits: "a" });
    const changed = await owner.data<TokenRow>("PUT", "/api/token/", { id: token.id, name: "renamed" });
    expect(changed).toEqual({ ...token, name: "renamed" });
  });

  it("loses nothing when edits and bookings run at the same time", async () => {
    const token = await make(owner, { remain_quota: 10_000 });
    const spend = Array.from({ length: 40 }, () =>
      site.foundation.billing.move({
        entryId: randomUUID(),
        kind: "token_quota",
        userId: owner.userId,
        tokenId: token.id,
        tokenQuotaDelta: -7,
        detail: "{}",
      }),
    );
    // Forty editors were opened at 10,000 and each adds 10: what was spent in between stays spent.
    const edits = Array.from({ length: 40 }, (_, index) =>
      owner.call("PUT", "/api/token/", {
        id: token.id,
        name: `n${index}`,
        remain_quota: 10_010,
        remain_quota_seen: 10_000,
      }),
    );
    const renames = Array.from({ length: 20 }, (_, index) =>
      owner.call("PUT", "/api/token/", { id: token.id, name: `r${index}` }),
    );
    const answers = await Promise.all([...edits, ...renames]);
    await Promise.all(spend);
    expect(answers.every(({ body }) => body.success)).toBe(true);
    const row = await stored(token.id);
    expect(row.remain_quota).toBe(10_000 - 40 * 7 + 40 * 10);
    const sum = await site.foundation.database.kysely
      .selectFrom("ledger")
      .select((builder) => builder.fn.sum<number>("token_quota_delta").as("sum"))
      .where("token_id", "=", token.id)
      .executeTakeFirstOrThrow();
    expect(Number(sum.sum)).toBe(row.remain_quota);
  });

  it("pages from 1, newest first, and takes page 0 for the first", async () => {
    const person = await site.person();
    await person.call("POST", "/api/token/", { name: "t", count: 25 });
    const pages: TokenRow[] = [];
    for (const p of [1, 2, 3]) {
      const page = await person.data<TokenPage>("GET", `/api/token/?p=${p}&size=10`);
      expect(page).toMatchObject({ total: 25, page: p, page_size: 10 });
      pages.push(...page.items);
    }
    for (const query of ["p=0&size=10", "size=10", "p=-3&page_size=10"])
      expect(await person.data<TokenPage>("GET", `/api/token/?${query}`)).toMatchObject({
        page: 1,
        items: pages.slice(0, 10),
      });
    expect(await person.data<TokenPage>("GET", "/api/token/?p=4&size=10")).toMatchObject({ items: [], total: 25 });
    const ids = pages.map(({ id }) => id);
    expect(ids).toHaveLength(25);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect((await person.data<TokenPage>("GET", "/api/token/?p=1&size=100000")).items).toHaveLength(25);
    expect((await person.data<TokenPage>("GET", "/api/token?size=0")).items).toHaveLength(10);
    expect((await person.data<TokenPage>("GET", "/api/token/?p=1&page_size=20")).items).toHaveLength(20);
  });

  it("finds names with % and _ literally, and keys by their whole, beginning or end", async () => {
    const person = await site.person();
    const percent = await make(person, { name: "50%_off" });
    const plain = await make(person, { name: "50 off" });
    const search = async (query: string) =>
      (await person.data<TokenPage>("GET", `/api/token/search?${query}`)).items.map(({ id }) => id);
    expect(await search(`keyword=${encodeURIComponent("%_")}`)).toEqual([percent.id]);
    expect(await search("keyword=_")).toEqual([percent.id]);
    expect(await search("keyword=OFF")).toEqual([plain.id, percent.id]);
    expect(await search(`token=sk-${plain.key}`)).toEqual([plain.id]);
    expect(await search(`token=${plain.key.slice(0, 6)}`)).toEqual([plain.id]);
    expect(await search(`token=${plain.key.slice(-4)}`)).toEqual([plain.id]);
    expect(await search(`token=${plain.key.slice(10, 20)}`)).toEqual([]);
    expect(await search("keyword=&token=")).toHaveLength(2);
  });

  it("filters by the same status that rows show", async () => {
    const person = await site.person();
    const { kysely } = site.foundation.database;
    const shapes = [
      { status: 1 },
      { status: 2 },
      { status: 1, expired_time: 5 },
      { status: 3, expired_time: 5 },
      { status: 3 },
      { status: 1, remain_quota: 0 },
      { status: 4, remain_quota: 0 },
      { status: 4 },
      { status: 2, expired_time: 5, remain_quota: 0 },
      { status: 1, remain_quota: 0, unlimited_quota: 1 as const },
      { status: 1, remain_quota: -3, expired_time: 5 },
    ];
    for (const shape of shapes) {
      const { id } = await make(person);
      await kysely.updateTable("tokens").set(shape).where("id", "=", id).execute();
    }
    const { items: all } = await person.data<TokenPage>("GET", "/api/token/?size=100");
    for (const status of [1, 2, 3, 4]) {
      const expected = all.filter((token) => token.status === status).map(({ id }) => id);
      const filtered = await person.data<TokenPage>("GET", `/api/token/?size=100&status=${status}`);
      expect([status, ...filtered.items.map(({ id }) => id)]).toEqual([status, ...expected]);
    }
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([1, 2, 3, 4]));
  });
});

describe("the derived status of a token", () => {
  const fine = { status: 1, expired_time: -1, remain_quota: 1, unlimited_quota: 0 } as const;
  it.each([
    ["enabled", fine, 1],
    ["disabled wins", { ...fine, status: 2, expired_time: 1 }, 2],
    ["expired at its second", { ...fine, expired_time: 100 }, 3],
    ["not yet expired", { ...fine, expired_time: 101 }, 1],
    ["exhausted at 0", { ...fine, remain_quota: 0 }, 4],
    ["unlimited is never exhausted", { ...fine, remain_quota: 0, unlimited_quota: 1 as const }, 1],
    ["expired before exhausted", { ...fine, remain_quota: 0, expired_time: 1 }, 3],
  ])("%s", (_, token, expected) => {
    expect(statusOf(token, 100)).toBe(expected);
  });
});
