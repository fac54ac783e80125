/** Tests of configuration files: an export plans to no change, an apply does what its plan says, sections are all or nothing, and no secret leaves. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ConfigurationPlan } from "../../../../contract/src/configuration/plan.ts";
import type { ManagedMark } from "../../../../contract/src/configuration/marks.ts";
import type { AccessTokenScope } from "../../../../contract/src/features/personal.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import {
  callerByToken,
  channel,
  type Fields,
  file,
  forgetConfigured,
  MAIL_PASSWORD,
  SECRET,
} from "../../../../tests/support/operators/configuration.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { runConfigurationAct } from "./operator.ts";

describe.each(await engines())("configuration files on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    await forgetConfigured(site);
    await site.foundation.snapshot.refresh();
  });

  const plan = (document: Fields, wish: Fields = {}, who = root) =>
    who.data<ConfigurationPlan>("POST", "/api/configuration/plan", { document, ...wish });
  const applyPlanned = (document: Fields, { document: digest, revisions }: ConfigurationPlan, wish: Fields = {}) =>
    root.call("POST", "/api/configuration/apply", { document, plan: { document: digest, revisions }, ...wish });
  const apply = async (document: Fields, wish: Fields = {}) => {
    const planned = await plan(document, wish);
    expect(planned.refused).toEqual([]);
    const answer = await applyPlanned(document, planned, wish);
    expect(answer.body).toMatchObject({ success: true });
    return answer.body.data as { applied: string[]; changed: number };
  };
  const exported = () => root.data<Fields>("GET", "/api/configuration");
  const marks = (kind: string) => root.data<ManagedMark[]>("GET", `/api/configuration/managed?kind=${kind}`);
  const channelsNow = async () =>
    (
      await root.data<{ items: { id: number; name: string; models: string; status: number }[] }>(
        "GET",
        "/api/channel?page_size=100",
      )
    ).items;
  const idOf = async (name: string) => (await channelsNow()).find((each) => each.name === name)?.id ?? 0;
  const acts = ({ entries }: ConfigurationPlan) => entries.map(({ act, path }) => `${act} ${path}`).toSorted();

  const tokenOf = (scope: AccessTokenScope, userId = root.userId) => callerByToken(site, root, { scope, userId });

  const WHOLE = file({
    options: {
      SystemName: "Acme",
      SMTPToken: { secret: MAIL_PASSWORD },
      RetryTimes: 3,
      SensitiveWords: ["one", "two"],
    },
    groups: { GroupRatio: { default: 1, vip: 0.85 } },
    prices: { models: { "gpt-4o": { ModelRatio: 1.25, CompletionRatio: "4.10" }, song: { ModelPrice: 0.1 } } },
    channels: {
      first: channel("First", {
        groups: ["default", "vip"],
        model_mapping: { "gpt-4o": "gpt-4o-2026" },
        setting: { proxy: { secret: `http://user:${SECRET}@proxy.example:8080` }, max_concurrency: 4 },
        header_override: { "X-Team": { secret: SECRET }, "X-Trace": "{client_header:x-trace}" },
        costs: { factor: 0.5 },
      }),
      second: channel("Second", { type: "anthropic", enabled: false, key: { secret: `${SECRET}-a\n${SECRET}-b` } }),
    },
    identity_providers: {
      work: {
        name: "Work",
        client_id: "gateway",
        client_secret: { secret: SECRET },
        well_known: "https://id.example/.well-known/openid-configuration",
      },
    },
  });

  it("plans to nothing what it has exported, also what was made by hand, and applying it again changes nothing", async () => {
    await apply(WHOLE);
    await root.data("POST", "/api/channel", { name: "By hand", type: 1, key: SECRET, models: "a,b", group: "default" });
    await root.data("POST", "/api/channel", {
      name: "By hand",
      type: 1,
      key: `${SECRET}2`,
      models: "a",
      group: "default",
    });
    const document = await exported();
    expect(Object.keys(document["channels"] as Fields)).toHaveLength(4);
    const again = await plan(document);
    expect([again.entries, again.refused, again.kept]).toEqual([[], [], []]);
    expect((await plan(WHOLE)).entries).toEqual([]);
    expect(await exported()).toEqual(document);
  });

  it("says what is made and what changes, field by field, and does that", async () => {
    const planned = await plan(WHOLE);
    expect(acts(planned)).toEqual(
      [
        "create channels.first",
        "create channels.second",
        "create groups.GroupRatio",
        "create identity_providers.work",
        "create options.RetryTimes",
        "create options.SMTPToken",
        "create options.SensitiveWords",
        "create options.SystemName",
        "create prices.models.gpt-4o",
        "create prices.models.song",
      ].toSorted(),
    );
    expect((await applyPlanned(WHOLE, planned)).body.data).toEqual({
      applied: ["options", "identity_providers", "channels"],
      changed: 10,
    });
    const { options } = site.foundation.snapshot;
    expect([options.SystemName, options.SMTPToken, options.RetryTimes]).toEqual(["Acme", MAIL_PASSWORD, 3]);
    expect([options.GroupRatio["vip"], options.ModelRatio["gpt-4o"]]).toEqual(["0.85", "1.25"]);
    const rows = await channelsNow();
    expect(rows.map(({ name, status }) => [name, status]).toSorted()).toEqual([
      ["First", 1],
      ["Second", 2],
    ]);
    expect(await marks("channel")).toMatchObject([
      {
        name: "first",
        managed_by: "main",
        is_locked: false,
        updated_by: root.username,
        target_id: await idOf("First"),
      },
      { name: "second" },
    ]);
    const channels = { first: channel("First", { priority: 5, models: ["gpt-4o", "o3"] }), second: WHOLE["channels"] };
    const next = await plan(file({ channels: { ...channels, second: (WHOLE["channels"] as Fields)["second"] } }));
    const [entry] = next.entries;
    expect(acts(next)).toEqual(["change channels.first"]);
    expect(entry?.changes).toContainEqual({ field: "priority", from: "0", to: "5" });
    expect(entry?.changes).toContainEqual({ field: "header_override" });
  });

  it("shows prices that rise and fall, ratios of groups, and models that lose their last channel", async () => {
    await apply(WHOLE);
    const { channels, ...rest } = WHOLE as { channels: Fields };
    const planned = await plan(
      {
        ...rest,
        prices: { models: { "gpt-4o": { ModelRatio: 2.5, CompletionRatio: "4.10" }, song: { ModelPrice: 0.05 } } },
        groups: { GroupRatio: { default: 1, vip: 0.5 } },
        channels: { second: channels["second"] },
      } as Fields,
      { missing: "prune" },
    );
    const { effects } = planned;
    expect(effects.prices.map(({ model, percent }) => [model, percent])).toEqual([
      ["gpt-4o", 100],
      ["song", -50],
    ]);
    expect(effects.groups).toEqual([{ group: "vip", from: "0.85", to: "0.5" }]);
    expect(effects.lost).toMatchObject({ total: 1, models: [{ model: "gpt-4o", groups: ["default", "vip"] }] });
  });

  it("plans and applies 200 channels and 500 prices", async () => {
    const many = file({
      channels: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`c${index}`, channel(`C ${index}`)])),
      prices: {
        models: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, { ModelRatio: index + 1 }])),
      },
    });
    expect(await apply(many)).toEqual({ applied: ["options", "channels"], changed: 700 });
    expect((await plan(many)).entries).toEqual([]);
  }, 120_000);

  it("names each refused field by its path, and applies nothing of the file", async () => {
    const bad = file({
      options: { SystemName: 5, NoSuchOption: 1, RetryTimes: -1, SMTPToken: "plain" },
      prices: { models: { m: { ModelRatio: -1 }, n: {} } },
      channels: { Bad_Name: channel("x"), typo: channel("y", { modles: [] }), literal: channel("z", { key: SECRET }) },
    });
    const { refused } = await plan(bad);
    expect(refused.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "options.SystemName",
        "options.NoSuchOption",
        "options.SMTPToken",
        "prices.models.m.ModelRatio",
        "prices.models.n",
        "channels.Bad_Name",
        "channels.typo.modles",
        "channels.literal.key",
      ]),
    );
    const wrong = file({
      options: { RetryTimes: -1 },
      channels: { a: channel("a", { type: "no-such-vendor" }), b: channel("b", { key: { from: "stored" } }) },
    });
    const planned = await plan(wrong);
    expect(planned.refused.map(({ path }) => path).toSorted()).toEqual([
      "channels.a.type",
      "channels.b.key",
      "options.RetryTimes",
    ]);
    const answer = await applyPlanned(wrong, planned);
    expect(answer.body).toMatchObject({ code: "configuration_invalid", field: "options.RetryTimes" });
    expect(await channelsNow()).toEqual([]);
    expect(JSON.stringify([refused, planned])).not.toContain(SECRET);
  });

  it("changes what no file manages only where it is to be adopted, and never what another file manages", async () => {
    await root.data("PUT", "/api/option", { key: "SystemName", value: "By hand" });
    await root.data("POST", "/api/channel", { name: "Main", type: 1, key: SECRET, models: "a", group: "default" });
    const mine = file({ options: { SystemName: "Acme" }, channels: { main: channel("Main") } });
    const refused = await plan(mine);
    expect(refused.refused.map(({ path }) => path)).toEqual(["options.SystemName", "channels.main"]);
    expect(acts(await plan(mine, { adopt: true }))).toEqual(["change channels.main", "change options.SystemName"]);
    const id = await idOf("Main");
    await apply(mine, { adopt: true });
    expect(await marks("channel")).toMatchObject([{ name: "main", target_id: id }]);
    const other = { ...mine, managed_by: "other", options: { SystemName: "Other" } };
    expect((await plan(other, { adopt: true })).refused.map(({ path }) => path)).toEqual([
      "options.SystemName",
      "channels.main",
    ]);
  });

  it("keeps what the file names no more, and deletes or releases it where that is asked for; never what no file manages", async () => {
    await apply(WHOLE);
    await root.data("POST", "/api/channel", { name: "By hand", type: 1, key: SECRET, models: "a", group: "default" });
    const rest = file({
      options: { SystemName: "Acme" },
      channels: {},
      identity_providers: {},
      prices: { models: {} },
    });
    const kept = await plan(rest);
    expect([kept.entries, kept.kept.length]).toEqual([[], 8]);
    const released = await plan(rest, { missing: "release" });
    expect(released.entries.every(({ act }) => act === "release")).toBe(true);
    await apply(rest, { missing: "prune" });
    expect((await channelsNow()).map(({ name }) => name)).toEqual(["By hand"]);
    const { options } = site.foundation.snapshot;
    expect([options.SMTPToken, options.ModelRatio["gpt-4o"], options.SystemName]).toEqual(["", undefined, "Acme"]);
    expect([await marks("channel"), await marks("price"), await marks("provider")]).toEqual([[], [], []]);
    expect(options.GroupRatio["vip"]).toBe("0.85");
  });

  it("refuses a plan once what is stored has moved, and of two applies at once the later one", async () => {
    await apply(WHOLE);
    const one = file({ options: { SystemName: "One" } });
    const two = file({ options: { SystemName: "Two" } });
    const plans = [await plan(one), await plan(two)] as const;
    const answers = await Promise.all([applyPlanned(one, plans[0]), applyPlanned(two, plans[1])]);
    const codes = answers.map(({ body }) => body.code ?? "done").toSorted();
    expect(codes).toEqual(["configuration_moved", "done"]);
    const winner = answers[0].body.success ? "One" : "Two";
    expect(site.foundation.snapshot.options.SystemName).toBe(winner);
    const planned = await plan(WHOLE);
    await root.data("PUT", "/api/option", { key: "RetryTimes", value: "9" });
    expect((await applyPlanned(WHOLE, planned)).body).toMatchObject({ code: "configuration_moved", field: "options" });
    expect((await applyPlanned(one, planned)).body).toMatchObject({ code: "configuration_moved", field: "document" });
  });

  it("is completed by a second apply where the first was killed between two sections", async () => {
    const planned = await plan(WHOLE);
    const { document: digest, revisions } = planned;
    const body = {
      document: WHOLE,
      adopt: false,
      missing: "keep",
      announce: false,
      plan: { document: digest, revisions },
    } as const;
    const recordSecurityEvent = () => {
      throw new Error("killed");
    };
    const killed = runConfigurationAct({ ...site.context, recordSecurityEvent }, { act: "config-apply", body });
    await expect(killed).rejects.toThrow("killed");
    expect([site.foundation.snapshot.options.SystemName, await channelsNow()]).toEqual(["Acme", []]);
    // The plan as it was reviewed still holds: its first section is done and is passed over.
    expect((await applyPlanned(WHOLE, planned)).body).toMatchObject({
      data: { applied: ["identity_providers", "channels"] },
    });
    expect((await plan(WHOLE)).entries).toEqual([]);
  });

  it("leaves a section as it was where one of its things is refused", async () => {
    const document = file({
      channels: { good: channel("Good"), bad: channel("Bad", { param_override: { operations: "none" } }) },
    });
    const planned = await plan(document);
    const answer = await applyPlanned(document, planned);
    expect([answer.body.success, await channelsNow(), await marks("channel")]).toEqual([false, [], []]);
  });

  it("is for the super administrator, by a session, or by a token of the scope admin where that is allowed", async () => {
    const admin = await site.person(10);
    for (const [method, path] of [
      ["POST", "plan"],
      ["POST", "apply"],
      ["GET", ""],
    ] as const)
      expect((await admin.call(method, `/api/configuration/${path}`, method === "POST" ? {} : undefined)).status).toBe(
        403,
      );
    const document = file({ options: { PasswordRegisterEnabled: false } });
    const call = async (who: Caller) =>
      (await who.call("POST", "/api/configuration/plan", { document })).body.code ?? "done";
    const [read, manage, full] = [await tokenOf("read"), await tokenOf("manage"), await tokenOf("admin")];
    expect([await call(read), await call(manage), await call(full)]).toEqual([
      "access_token_scope",
      "access_token_scope",
      "configuration_tokens_off",
    ]);
    expect((await read.call("GET", "/api/configuration")).body.success).toBe(true);
    await root.data("PUT", "/api/option", { key: "ConfigurationByTokenEnabled", value: "true" });
    expect([await call(read), await call(manage), await call(full)]).toEqual([
      "access_token_scope",
      "access_token_scope",
      "done",
    ]);
    expect(await call(await tokenOf("admin", admin.userId))).toBe("permission_denied");
    const planned = await plan(document);
    const { document: digest, revisions } = planned;
    const done = await full.call("POST", "/api/configuration/apply", {
      document,
      plan: { document: digest, revisions },
    });
    expect([done.body.success, site.foundation.snapshot.options.PasswordRegisterEnabled]).toEqual([true, false]);
  });

  it("never sends a kept key to another address for a token or a command", async () => {
    await apply(WHOLE);
    const moved = file({
      channels: { first: channel("First", { key: { from: "stored" }, base_url: "https://evil.example" }) },
    });
    await root.data("PUT", "/api/option", { key: "ConfigurationByTokenEnabled", value: "true" });
    const { document: digest, revisions } = await plan(moved);
    const body = { document: moved, plan: { document: digest, revisions } };
    const full = await tokenOf("admin");
    expect((await full.call("POST", "/api/configuration/apply", body)).body.code).toBe("channel_key_needed");
    const asked = { act: "config-apply", body: { ...body, adopt: false, missing: "keep", announce: false } } as const;
    await expect(runConfigurationAct(site.context, asked)).rejects.toThrow("key");
    const row = await root.data<{ base_url: string }>("GET", `/api/channel/${await idOf("First")}`);
    expect(row.base_url).toBe("");
  });

  it("shows no secret in a plan, an export, the log and the audit trail", async () => {
    const planned = await plan(WHOLE);
    await applyPlanned(WHOLE, planned);
    const { kysely } = site.foundation.database;
    const texts = [
      planned,
      await exported(),
      await root.data("GET", "/api/configuration?secrets=env"),
      await kysely.selectFrom("logs").selectAll().execute(),
      await kysely.selectFrom("audit_entries").selectAll().execute(),
      await kysely.selectFrom("price_changes").selectAll().execute(),
      await kysely.selectFrom("managed_things").selectAll().execute(),
      await kysely.selectFrom("security_events").selectAll().execute(),
    ].map((value) => JSON.stringify(value));
    for (const text of texts) for (const secret of [SECRET, MAIL_PASSWORD]) expect(text).not.toContain(secret);
    expect(texts[2]).toContain("env:FIRST_KEY");
    expect(texts[4]).toContain("configuration_applied");
  });

  it("refuses to change by hand what a file locks, but lets a channel be switched", async () => {
    await apply({ ...WHOLE, locked: true });
    const refused = async (method: string, path: string, body?: unknown) =>
      (await root.call(method, path, body)).body.code;
    const id = await idOf("First");
    expect(await refused("PUT", "/api/option", { key: "SystemName", value: "x" })).toBe("managed_locked");
    expect(await refused("PUT", "/api/channel", { id, priority: 9 })).toBe("managed_locked");
    expect(await refused("DELETE", `/api/channel/${id}`)).toBe("managed_locked");
    expect(await refused("POST", "/api/channel/batch", { ids: [id] })).toBe("managed_locked");
    expect(await refused("POST", `/api/channel/${id}/keys`, { key: "another" })).toBe("managed_locked");
    const own = { ratios: { ModelRatio: "1.25", CompletionRatio: "4.1" }, tools: {} };
    const price = { model: "gpt-4o", from: own, to: { ratios: { ModelRatio: "9" }, tools: {} } };
    expect(await refused("PUT", "/api/prices", { changes: [price] })).toBe("managed_locked");
    const [provider] = await root.data<{ id: number }[]>("GET", "/api/identity_provider");
    expect(await refused("DELETE", `/api/identity_provider/${provider?.id}`)).toBe("managed_locked");
    expect(await refused("PUT", "/api/channel", { id, status: 2 })).toBeUndefined();
    const other = { model: "free", from: { ratios: {}, tools: {} }, to: { ratios: { ModelRatio: "9" }, tools: {} } };
    expect(await refused("PUT", "/api/prices", { changes: [other] })).toBeUndefined();
    expect(acts(await plan({ ...WHOLE, locked: true }))).toEqual(["change channels.first"]);
    await apply(WHOLE);
    expect(await refused("PUT", "/api/option", { key: "SystemName", value: "x" })).toBeUndefined();
  });
});
