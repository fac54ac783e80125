/** Tests of redemption codes: each counts once, also when redeemed concurrently; a used one never comes back; wrong ones wait. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedemptionPage, RedemptionRow } from "../../../../contract/src/features/redemptions.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { nameColumns, NEW_USER } from "../../db/new-user.ts";
import { bumpVersion } from "../../db/versions.ts";
import { toSeconds } from "../../util/clock.ts";
import { redeemCode } from "./redeem.ts";

const PEOPLE = 200;

describe.each(await engines())("redemption codes on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let person: Caller;
  const clock = { now: Date.now() };

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => clock.now);
    admin = await site.person(10);
    person = await site.person(1, { quota: 1_000 });
  });
  afterAll(() => site.close());

  const make = (fields: object = {}) =>
    admin.data<string[]>("POST", "/api/redemption/", { name: "gift", quota: 700, count: 1, ...fields });
  const rowOf = async (code: string): Promise<RedemptionRow> => {
    const page = await admin.data<RedemptionPage>("GET", `/api/redemption/search?keyword=${code}`);
    return page.items[0] ?? expect.fail(`${code} is not in the list`);
  };
  const made = async (fields: object = {}): Promise<RedemptionRow> => {
    const [code = ""] = await make(fields);
    return rowOf(code);
  };
  const redeem = (caller: Caller, key: unknown) => caller.call("POST", "/api/user/topup", { key });
  const setStatus = (id: number, status: unknown) =>
    admin.call("PUT", "/api/redemption/?status_only=true", { id, status });
  const balanceOf = (userId: number) => site.foundation.billing.available(userId);
  const kysely = () => site.foundation.database.kysely;
  const ledgerOf = (id: number) =>
    kysely().selectFrom("ledger").selectAll().where("entry_id", "=", `redemption:${id}`).execute();
  const eventsOf = async (requestId: string) => {
    const rows = await kysely().selectFrom("logs").selectAll().where("request_id", "=", requestId).execute();
    return rows.map(({ type, user_id, quota, content, other }) => ({
      type,
      user_id,
      quota,
      content,
      event: (JSON.parse(other) as { event: unknown }).event,
    }));
  };

  it("expire: refused from that moment on for every user, listed as such, and open again with a later moment", async () => {
    const moment = toSeconds(clock.now) + 60;
    const row = await made({ expired_time: moment });
    expect(row).toMatchObject({ status: 1, expired_time: moment });
    for (const expired_time of [1, toSeconds(clock.now), 1.5, -1])
      expect((await admin.call("POST", "/api/redemption/", { name: "x", quota: 1, expired_time })).body).toMatchObject({
        code: "redemption_expiry_invalid",
        field: "expired_time",
      });
    const before = await balanceOf(person.userId);
    clock.now += 60_000;
    expect((await redeem(person, row.key)).body).toMatchObject({ success: false, code: "redemption_expired" });
    expect(await balanceOf(person.userId)).toBe(before);
    const listed = async (status: number) =>
      (await admin.data<RedemptionPage>("GET", `/api/redemption/?status=${status}&page_size=100`)).items.map(
        ({ id }) => id,
      );
    expect([(await listed(4)).includes(row.id), (await listed(1)).includes(row.id)]).toEqual([true, false]);
    // A whole row that an editor sends back keeps the past moment; another one has to lie ahead.
    const change = (fields: object) => admin.call("PUT", "/api/redemption/", { id: row.id, ...fields });
    expect((await change({ name: "late", expired_time: moment })).body).toMatchObject({ success: true });
    expect((await change({ expired_time: moment - 1 })).body).toMatchObject({ code: "redemption_expiry_invalid" });
    expect((await change({ expired_time: 0 })).body).toMatchObject({ success: true });
    expect((await redeem(person, row.key)).body).toMatchObject({ success: true, data: 700 });
  });

  it("are made in one piece, named by their quota where they have no name, and stand nowhere in the clear", async () => {
    const codes = await make({ name: " ", count: 100, quota: 500_000 });
    expect(new Set(codes).size).toBe(100);
    expect(codes.every((code) => /^[0-9a-f]{32}$/.test(code))).toBe(true);
    const row = await rowOf(codes[41] ?? "");
    const creator = { user_id: admin.userId, username: admin.username };
    expect(row).toMatchObject({ ...creator, name: "$1.00", status: 1, quota: 500_000, used_user_id: 0 });
    expect(row.key).toBe(codes[41]);
    const stored = await kysely().selectFrom("redemptions").selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(row.key);
  });

  it("refuse each bad field by its name, and then none is made", async () => {
    const total = async () => (await admin.data<RedemptionPage>("GET", "/api/redemption/")).total;
    const before = await total();
    const cases: [object, string, string][] = [
      [{ name: "n".repeat(21) }, "redemption_name_length", "name"],
      [{ count: 101 }, "redemption_count_invalid", "count"],
      [{ count: 0 }, "redemption_count_invalid", "count"],
      [{ count: 1.5 }, "redemption_count_invalid", "count"],
      [{ quota: 0 }, "redemption_quota_invalid", "quota"],
      [{ quota: -5 }, "redemption_quota_invalid", "quota"],
      [{ quota: 0.5 }, "redemption_quota_invalid", "quota"],
      [{ quota: 1_000_000_000_001 }, "redemption_quota_invalid", "quota"],
    ];
    for (const [fields, code, field] of cases) {
      const { status, body } = await admin.call("POST", "/api/redemption/", { name: "x", quota: 1, ...fields });
      expect({ fields, status, ...body }).toMatchObject({ fields, status: 200, success: false, code, field });
    }
    expect(await total()).toBe(before);
    expect((await made({ name: "礼".repeat(20) })).name).toHaveLength(20);
  });

  it("credit who redeems them: balance, ledger, a log row of type 1 with code and values, and who it was", async () => {
    const row = await made({ name: "50%_off", quota: 123 });
    const before = await balanceOf(person.userId);
    const { body } = await redeem(person, ` ${row.key.toUpperCase()}\n`);
    expect(body).toMatchObject({ success: true, data: 123 });
    expect(await balanceOf(person.userId)).toBe(before + 123);
    const used = { used_user_id: person.userId, used_username: person.username };
    expect(await rowOf(row.key)).toMatchObject({ status: 3, ...used, redeemed_time: toSeconds(clock.now) });
    expect(await ledgerOf(row.id)).toMatchObject([{ kind: "redemption", user_id: person.userId, quota_delta: 123 }]);
    const event = { code: "code_redeemed", values: { name: "50%_off", id: row.id, quota: 123 } };
    expect(await eventsOf(`redemption:${row.id}`)).toEqual([
      { type: 1, user_id: person.userId, quota: 123, content: "", event },
    ]);
  });

  it("answer what is wrong with a code, and give nothing for it", async () => {
    const before = await balanceOf(person.userId);
    const mine = await made();
    await redeem(person, mine.key);
    const other = await made();
    await redeem(await site.person(), other.key);
    const disabled = await made();
    await setStatus(disabled.id, 2);
    const deleted = await made();
    await admin.data("DELETE", `/api/redemption/${deleted.id}/`);
    const cases: [unknown, string][] = [
      ["  ", "redemption_code_missing"],
      [undefined, "redemption_code_missing"],
      [mine.key, "redemption_used_by_you"],
      [other.key, "redemption_used"],
      [disabled.key, "redemption_disabled"],
      [deleted.key, "redemption_unknown"],
      [`${mine.key}0`, "redemption_unknown"],
      [mine.id, "invalid_field"],
    ];
    for (const [key, code] of cases)
      expect({ key, code: (await redeem(person, key)).body.code }).toEqual({ key, code });
    expect(await balanceOf(person.userId)).toBe(before + 700);
  });

  it("count once for many people at once, in two processes", { timeout: 120_000 }, async () => {
    const { database, snapshot } = site.foundation;
    const names = Array.from({ length: PEOPLE }, () => `r${randomUUID().slice(0, 10)}`);
    await database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      const rows = names.map((name) => ({ ...NEW_USER, ...nameColumns(name), aff_code: name, changed_version }));
      await transaction.insertInto("users").values(rows).execute();
    });
    await snapshot.refresh();
    const people = await database.kysely.selectFrom("users").selectAll().where("username", "in", names).execute();
    // The embedded database belongs to one process.
    const second = engine === "sqlite" ? undefined : await site.second();
    const contexts = [site.context, second === undefined ? site.context : { ...site.context, ...second }];
    const row = await made({ quota: 9_000 });
    const answers = await Promise.allSettled(
      people.map(async ({ id, username, group_name: groupName }, index) => {
        const user = { id, username, groupName };
        return redeemCode(
          contexts[index % 2] ?? site.context,
          { user, ip: `10.0.${index}.1`, claim: undefined },
          row.key,
        );
      }),
    );
    const codes = answers.map((answer) =>
      answer.status === "fulfilled" ? answer.value : (answer.reason as { code: string }).code,
    );
    expect(codes.filter((code) => code === 9_000)).toHaveLength(1);
    expect(codes.filter((code) => code === "redemption_used")).toHaveLength(PEOPLE - 1);
    const winner = people[codes.indexOf(9_000)]?.id;
    expect(await rowOf(row.key)).toMatchObject({ status: 3, used_user_id: winner });
    const rich = await database.kysely
      .selectFrom("users")
      .select("id")
      .where("username", "in", names)
      .where("quota", "!=", 0)
      .execute();
    expect(rich).toEqual([{ id: winner }]);
    expect(await eventsOf(`redemption:${row.id}`)).toHaveLength(1);
    expect((await auditDatabase(database)).faults).toEqual([]);
    await second?.close();
  });

  it("are redeemed as they stand, or not at all, while an administrator changes them", async () => {
    const rows = await Promise.all(Array.from({ length: 24 }, (_, index) => made({ quota: 1_000 + index })));
    const acts = [
      ({ id }: RedemptionRow) => admin.call("PUT", "/api/redemption", { id, quota: 5 }),
      ({ id }: RedemptionRow) => setStatus(id, 2),
      ({ id }: RedemptionRow) => admin.call("DELETE", `/api/redemption/${id}`),
      ({ id }: RedemptionRow) => setStatus(id, 1),
    ];
    const outcomes = await Promise.all(
      rows.map(async (row, index) => {
        const [act, answer] = await Promise.all([acts[index % acts.length]?.(row), redeem(person, row.key)]);
        return { row, act: act?.body, answer: answer.body };
      }),
    );
    for (const { row, answer } of outcomes) {
      const [entry] = await ledgerOf(row.id);
      const stored = await kysely().selectFrom("redemptions").selectAll().where("id", "=", row.id).executeTakeFirst();
      const credited = answer.success ? answer.data : undefined;
      expect({
        credited,
        isUsed: stored?.status === 3,
        worth: stored?.status === 3 ? stored.quota : undefined,
      }).toEqual({
        credited: entry?.quota_delta,
        isUsed: answer.success,
        worth: entry?.quota_delta,
      });
    }
    expect((await auditDatabase(site.foundation.database)).faults).toEqual([]);
  });

  it("that are used stay as they are; unused ones are edited, disabled, enabled and deleted, with an audit row each", async () => {
    const row = await made({ name: "plan" });
    const edited = await admin.data<RedemptionRow>("PUT", "/api/redemption/", { ...row, name: "plan b", quota: 70 });
    expect(edited).toEqual({ ...row, name: "plan b", quota: 70 });
    expect((await setStatus(row.id, 2)).body.data).toMatchObject({ status: 2 });
    const onDisabled = await admin.call("PUT", "/api/redemption", { id: row.id, quota: 1 });
    expect(onDisabled.body).toMatchObject({ success: false, code: "redemption_not_unused" });
    for (const status of [3, 0, 4]) expect((await setStatus(row.id, status)).status).toBe(400);
    expect((await setStatus(row.id, 1)).body.data).toMatchObject({ status: 1 });
    await redeem(person, row.key);
    const used = await rowOf(row.key);
    const refused = [
      await setStatus(row.id, 1),
      await setStatus(row.id, 2),
      await admin.call("PUT", "/api/redemption", { id: row.id, name: "again", quota: 5 }),
      // Status is no part of an edit.
      await admin.call("PUT", "/api/redemption", { id: row.id, status: 1 }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(refused.map(() => "redemption_stays_used"));
    expect(await rowOf(row.key)).toEqual(used);
    await admin.data("DELETE", `/api/redemption/${row.id}`);
    for (const [method, path, body] of [
      ["GET", `/api/redemption/${row.id}`, undefined],
      ["DELETE", `/api/redemption/${row.id}`, undefined],
      ["PUT", "/api/redemption", { id: row.id, name: "x" }],
      ["PUT", "/api/redemption?status_only=1", { id: row.id, status: 2 }],
    ] as const)
      expect((await admin.call(method, path, body)).body).toMatchObject({ success: false, code: "not_found" });
    const audit = await kysely().selectFrom("logs").select("other").where("type", "=", 3).orderBy("id").execute();
    const acts = audit.map(({ other }) => (JSON.parse(other) as { event: { code: string; values: object } }).event);
    const codes = acts.filter(({ values }) => "id" in values && values.id === row.id).map(({ code }) => code);
    expect(codes).toEqual(["code_changed", "code_disabled", "code_enabled", "code_deleted"]);
    expect(JSON.stringify(audit)).not.toContain(row.key);
  });

  it("are found by id, part of a name and the code itself, filtered by status, sorted and paged from 1", async () => {
    const mark = randomUUID().slice(0, 6);
    for (const [index, quota] of [30, 10, 20].entries()) await make({ name: `${mark}%${index}`, quota });
    const search = (query: string) => admin.data<RedemptionPage>("GET", `/api/redemption/search?${query}`);
    const names = (page: RedemptionPage) => page.items.map(({ name }) => name.slice(-1)).join("");
    expect(names(await search(`keyword=${mark}%25`))).toBe("210");
    expect(names(await search(`keyword=${mark}&sort=quota&order=asc`))).toBe("120");
    const second = await search(`keyword=${mark}&p=2&page_size=2`);
    expect(second).toMatchObject({ total: 3, page: 2, page_size: 2, items: [{ name: `${mark}%0` }] });
    const { items } = await search(`keyword=${mark}`);
    expect((await search(`keyword=${items[0]?.id}`)).items.map(({ id }) => id)).toContain(items[0]?.id);
    expect((await search(`keyword=${items[0]?.key.slice(-4)}`)).items.map(({ id }) => id)).toContain(items[0]?.id);
    await setStatus(items[0]?.id ?? 0, 2);
    expect(names(await search(`keyword=${mark}&status=1`))).toBe("10");
    expect(names(await search(`keyword=${mark}&status=2`))).toBe("2");
  });

  it("that are used or disabled are deleted together; unused ones stay", async () => {
    const [unused, disabled, used] = [await made(), await made(), await made()];
    await setStatus(disabled.id, 2);
    await redeem(person, used.key);
    const count = await admin.data<number>("DELETE", "/api/redemption/invalid");
    expect(count).toBeGreaterThanOrEqual(2);
    expect(await admin.data<number>("DELETE", "/api/redemption/invalid/")).toBe(0);
    expect((await rowOf(unused.key)).status).toBe(1);
    const { total } = await admin.data<RedemptionPage>("GET", "/api/redemption/");
    const unusedTotal = (await admin.data<RedemptionPage>("GET", "/api/redemption/?status=1")).total;
    expect(total).toBe(unusedTotal);
    expect(await ledgerOf(used.id)).toHaveLength(1);
  });

  it("cannot be guessed: after five wrong ones in a row each further one waits, in every process, and codes that are known do not count", async () => {
    const guesser = await site.person();
    const used = await made();
    await redeem(person, used.key);
    for (let index = 0; index < 30; index += 1)
      expect((await redeem(guesser, used.key)).body.code).toBe("redemption_used");
    for (let index = 0; index < 5; index += 1)
      expect((await redeem(guesser, randomUUID())).body.code).toBe("redemption_unknown");
    const waiting = await redeem(guesser, (await made()).key);
    expect(waiting).toMatchObject({ status: 429, body: { code: "too_many_requests" } });
    expect(Number(waiting.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    clock.now += 2_000;
    const { key } = await made({ quota: 4 });
    expect((await redeem(guesser, key)).body).toMatchObject({ success: true, data: 4 });
    expect(await balanceOf(guesser.userId)).toBe(4);
  });
});
