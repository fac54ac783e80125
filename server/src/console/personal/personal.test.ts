/** Tests of the own account: named columns only, the old password before a new one, secrets shown once or never, no lost quota. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SelfRow, userSetting, type UserSetting } from "../../../../contract/src/features/personal.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { TestConsole } from "../../../../tests/support/systems/console.ts";
import { hashPassword, verifyPassword } from "../passwords.ts";
import { readSetting } from "../../notify/user-setting.ts";
import { changeSetting, showSetting } from "./setting.ts";

/** Ratios of the rarer kinds of tokens, of a price for a call and of a model that has only a prompt ratio. */
const NO_PART_RATIOS = { cache_creation_ratio: 0, create_cache_ratio: 0 };
const DEFAULT_PART_RATIOS = {
  cache_creation_ratio: 1.25,
  create_cache_ratio: 1.25,
  audio_ratio: 20,
  audio_completion_ratio: 2,
};

describe.each(await engines())("the own account on %s", (engine) => {
  let site: TestConsole;

  beforeAll(async () => {
    site = await openTestConsole(engine);
  });
  afterAll(() => site.close());

  const row = (userId: number) =>
    site.foundation.database.kysely.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();

  it("shows everything but secrets", async () => {
    const person = await site.person(1, { quota: 500, passwordHash: await hashPassword("old-password") });
    await person.data("PUT", "/api/user/setting", {
      notify_type: "webhook",
      webhook_url: "https://hook.example/x",
      webhook_secret: "planted-secret",
    });
    const token = await person.data<string>("POST", "/api/user/token");
    const { text, body } = await person.call("GET", "/api/user/self");
    expect(body.data).toMatchObject({
      username: person.username,
      password: "",
      quota: 500,
      group: "default",
      DeletedAt: null,
      has_password: true,
      has_access_token: true,
    });
    const setting = JSON.parse((body.data as SelfRow).setting) as UserSetting;
    expect(setting).toMatchObject({ webhook_url: "https://hook.example/x", webhook_secret_set: true });
    const stored = await row(person.userId);
    for (const secret of ["planted-secret", "argon2", token, "token_hash", "cipher"])
      expect(text).not.toContain(secret);
    for (const secret of ["planted-secret", token]) expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it("changes only what is sent, of the fields that are the user's to change", async () => {
    const person = await site.person(1, { quota: 10 });
    const sent = {
      display_name: "Ada",
      role: 100,
      quota: 1e9,
      status: 2,
      group: "svip",
      id: 1,
      DeletedAt: null,
      access_token: null,
    };
    await person.data("PUT", "/api/user/self", sent);
    expect(await person.data("GET", "/api/user/self")).toMatchObject({
      display_name: "Ada",
      role: 1,
      quota: 10,
      status: 1,
      group: "default",
      username: person.username,
    });
    await person.data("PUT", "/api/user/self", { username: `a${person.userId}`, display_name: "" });
    expect(await person.data("GET", "/api/user/self")).toMatchObject({
      display_name: "",
      username: `a${person.userId}`,
    });
    expect(site.foundation.snapshot.userById(person.userId)?.username).toBe(`a${person.userId}`);
  });

  it("refuses names that are taken or not names", async () => {
    const person = await site.person();
    const neighbour = await site.person();
    for (const [body, code] of [
      [{ username: neighbour.username }, "username_taken"],
      [{ username: "a@b.example" }, "username_invalid"],
      [{ username: "two words" }, "username_invalid"],
      [{ username: "x".repeat(33) }, "username_invalid"],
      [{ display_name: "x".repeat(33) }, "display_name_long"],
      [{ password: "short" }, "password_short"],
    ] as const) {
      const answer = await person.call("PUT", "/api/user/self", body);
      expect(answer.status).toBe(200);
      expect({ ...answer.body, sent: body }).toMatchObject({ sent: body, success: false, code });
    }
    expect((await row(person.userId)).username).toBe(person.username);
  });

  it("wants the old password for a new one only, and then ends all other sessions", async () => {
    const person = await site.person(1, { passwordHash: await hashPassword("old-password") });
    const elsewhere = await site.session(person);
    await person.data("PUT", "/api/user/self", { display_name: "no password asked" });
    const wrong = await person.call("PUT", "/api/user/self", { password: "new-password", original_password: "guess" });
    expect(wrong.body).toMatchObject({ success: false, code: "original_password_wrong", field: "original_password" });
    const missing = await person.call("PUT", "/api/user/self", { password: "new-password" });
    expect(missing.body).toMatchObject({ success: false, code: "original_password_wrong" });
    expect((await elsewhere.call("GET", "/api/user/self")).status).toBe(200);
    await person.data("PUT", "/api/user/self", { password: "new-password", original_password: "old-password" });
    expect((await elsewhere.call("GET", "/api/user/self")).status).toBe(401);
    expect((await person.call("GET", "/api/user/self")).status).toBe(200);
    expect((await verifyPassword((await row(person.userId)).password_hash, "new-password")).isRight).toBe(true);
  });

  it("guesses of the old password are slowed down", async () => {
    const person = await site.person(1, { passwordHash: await hashPassword("old-password") });
    const guess = () => person.call("PUT", "/api/user/self", { password: "new-password", original_password: "guess" });
    for (let tries = 0; tries < 6; tries++) await guess();
    const answer = await guess();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("loses no quota in a loop of profile changes beside bookings", async () => {
    const person = await site.person(1, { quota: 100_000 });
    const moves = Array.from({ length: 100 }, () =>
      site.foundation.billing.move({
        entryId: randomUUID(),
        kind: "adjustment",
        userId: person.userId,
        quotaDelta: -13,
        detail: "{}",
      }),
    );
    const edits = Array.from({ length: 50 }, (_, index) =>
      person.call("PUT", "/api/user/self", { display_name: `n${index}` }),
    );
    const settings = Array.from({ length: 20 }, (_, index) =>
      person.call("PUT", "/api/user/setting", { quota_warning_threshold: index + 1 }),
    );
    await Promise.all([...moves, ...edits, ...settings]);
    expect((await row(person.userId)).quota).toBe(100_000 - 1300);
    expect(await person.data("GET", "/api/user/self")).toMatchObject({ quota: 98_700 });
  });

  it("makes an access token that works at once and ends the one before, by POST and by the older GET", async () => {
    const person = await site.person();
    const use = (token: string) =>
      fetch(`${site.url}/api/user/self`, {
        headers: { Authorization: `Bearer ${token}`, "New-Api-User": String(person.userId) },
      });
    const first = await person.data<string>("POST", "/api/user/token");
    expect((await use(first)).status).toBe(200);
    const second = await person.data<string>("GET", "/api/user/token");
    expect(second).not.toBe(first);
    expect(await (await use(second)).json()).toMatchObject({ success: true });
    expect(await (await use(first)).json()).toMatchObject({ success: false });
  });

  it("keeps what is not sent in the setting, and the secret through a change of type", async () => {
    const person = await site.person();
    const setting = async () =>
      JSON.parse((await person.data<SelfRow>("GET", "/api/user/self")).setting) as UserSetting;
    const put = (body: object) => person.call("PUT", "/api/user/setting", body);
    await put({ notify_type: "webhook", webhook_url: "https://hook.example", webhook_secret: "s3cret" });
    await put({ notify_type: "email", notification_email: "a@b.example", quota_warning_threshold: 7 });
    await put({ accept_unset_model_ratio_model: true });
    expect(await setting()).toEqual({
      ...userSetting.parse({}),
      quota_warning_threshold: 7,
      webhook_url: "https://hook.example",
      notification_email: "a@b.example",
      accept_unset_model_ratio_model: true,
      webhook_secret_set: true,
    });
    expect(site.foundation.snapshot.userById(person.userId)?.acceptsUnpricedModels).toBe(true);
    const stored = readSetting((await row(person.userId)).setting).webhook_secret_cipher;
    expect(site.foundation.secrets.decrypt(stored, `user:${person.userId}:webhook_secret`)).toBe("s3cret");
  });

  it("lets people leave the addresses of their calls out of the log, and notes each choice", async () => {
    const person = await site.person();
    const choice = async () => {
      const { setting } = await person.data<SelfRow>("GET", "/api/user/self");
      const kept = site.foundation.snapshot.userById(person.userId)?.keepsClientAddresses;
      return [(JSON.parse(setting) as UserSetting).record_ip_log, kept];
    };
    expect(await choice()).toEqual([true, true]);
    await person.data("PUT", "/api/user/setting", { record_ip_log: false });
    expect(await choice()).toEqual([false, false]);
    await person.data("PUT", "/api/user/setting", { language: "zh" });
    expect(await choice()).toEqual([false, false]);
    const noted = () =>
      site.foundation.database.kysely
        .selectFrom("security_events")
        .select(["kind", "reason"])
        .where("user_id", "=", person.userId)
        .where("kind", "=", "call_addresses_changed")
        .execute();
    await expect.poll(noted, { timeout: 5_000 }).toEqual([{ kind: "call_addresses_changed", reason: "left out" }]);
  });

  it("keeps the side bar's entries, by the setting or as new-api's console sends them", async () => {
    const person = await site.person();
    const shown = async () =>
      (JSON.parse((await person.data<SelfRow>("GET", "/api/user/self")).setting) as UserSetting).sidebar_modules;
    await person.data("PUT", "/api/user/setting", { sidebar_modules: '{"console": {"log": false}}' });
    expect(await shown()).toBe('{"console":{"log":false}}');
    await person.data("PUT", "/api/user/self", { sidebar_modules: '{"chat":{"enabled":false}}' });
    expect(await shown()).toBe('{"chat":{"enabled":false}}');
    await person.data("PUT", "/api/user/self", { display_name: "Ada" });
    expect(await shown()).toBe('{"chat":{"enabled":false}}');
  });

  it.each([
    [{ sidebar_modules: '{"console":{"log":"no"}}' }, "sidebar_modules"],
    [{ notify_type: "pigeon" }, "notify_type"],
    [{ quota_warning_threshold: -1 }, "quota_warning_threshold"],
    [{ quota_warning_threshold: 1.5 }, "quota_warning_threshold"],
    [{ notify_type: "webhook", webhook_url: "http://hook.example" }, "webhook_url"],
    [{ notify_type: "webhook", webhook_url: "" }, "webhook_url"],
    [{ notify_type: "webhook", webhook_url: "https://me:secret@hook.example" }, "webhook_url"],
    [{ notify_type: "webhook", webhook_url: "https://me@hook.example" }, "webhook_url"],
    [{ notification_email: "nobody" }, "notification_email"],
    [{ notify_type: "gotify", gotify_url: "https://push.example" }, "gotify_token"],
    [{ gotify_priority: 11 }, "gotify_priority"],
    [{ lark_url: "https://open.feishu.cn/…a1b2" }, "lark_url"],
    [{ notify_type: "telegram", telegram_bot_token: "x", telegram_chat_id: "1" }, "telegram_bot_token"],
  ])("refuses the setting %j", async (body, field) => {
    const person = await site.person();
    const answer = await person.call("PUT", "/api/user/setting", body);
    expect(answer.body).toMatchObject({ success: false, code: "setting_invalid", field });
    expect((await row(person.userId)).setting).toBe("{}");
  });

  it("lists models, groups and prices of the groups a person may use, and no others", async () => {
    const admin = await site.person(100);
    const set = (key: string, value: object) =>
      admin.data("PUT", "/api/option/", { key, value: JSON.stringify(value) });
    await set("GroupRatio", { default: 1, vip: 0.8, hidden: 2, own: 3 });
    await set("UserUsableGroups", { default: "Default", vip: "VIP", norate: "Without a ratio" });
    await set("ModelRatio", { "m-token": 1.25 });
    await set("CompletionRatio", { "m-token": 4 });
    await set("ModelPrice", { "m-call": 0.04 });
    const channel = (models: string, groups: string[]) =>
      admin.data("POST", "/api/channel/", { type: 1, name: "c", key: `sk-${models}-${randomUUID()}`, models, groups });
    await channel("m-token,m-call,m-unknown", ["default", "vip", "hidden"]);
    await channel("m-hidden", ["hidden"]);
    await channel("m-own", ["own"]);
    const person = await site.person(1, { group: "own" });
    expect(await person.data("GET", "/api/user/models")).toEqual(["m-call", "m-own", "m-token", "m-unknown"]);
    const groups = await person.data<object>("GET", "/api/user/self/groups");
    expect(groups).toEqual({
      own: { desc: "User group", ratio: 3 },
      default: { desc: "Default", ratio: 1 },
      vip: { desc: "VIP", ratio: 0.8 },
    });
    expect(Object.keys(groups)[0]).toBe("own");
    const visitor = async (path: string) => (await (await fetch(site.url + path)).json()) as Record<string, unknown>;
    expect((await visitor("/api/user/groups"))["data"]).toEqual({
      default: { desc: "Default", ratio: 1 },
      vip: { desc: "VIP", ratio: 0.8 },
    });
    expect(await admin.data("GET", "/api/group/")).toEqual(["default", "hidden", "own", "vip"]);
    expect((await person.call("GET", "/api/group/")).status).toBe(403);

    const pricing = await visitor("/api/pricing");
    expect(pricing).toMatchObject({
      success: true,
      group_ratio: { default: 1, vip: 0.8 },
      usable_group: { default: "Default", vip: "VIP" },
    });
    // Models of other groups are listed, but a visitor never reads the name of a group that is not public.
    expect(JSON.stringify(pricing)).not.toMatch(/"hidden"|"own"|norate/);
    const entries = pricing["data"] as { model_name: string; enable_groups: string[] }[];
    const isOutOfReach = ({ enable_groups }: { enable_groups: string[] }) => enable_groups.length === 0;
    expect(entries.filter(isOutOfReach).map(({ model_name }) => model_name)).toEqual(["m-hidden", "m-own"]);
    expect(entries.filter((entry) => !isOutOfReach(entry))).toMatchObject([
      {
        model_name: "m-call",
        quota_type: 1,
        model_price: 0.04,
        model_ratio: 0,
        completion_ratio: 0,
        cache_ratio: 0,
        ...NO_PART_RATIOS,
        owner_by: "",
        enable_groups: ["default", "vip"],
        has_price: true,
      },
      {
        model_name: "m-token",
        quota_type: 0,
        model_price: 0,
        model_ratio: 1.25,
        completion_ratio: 4,
        cache_ratio: 1,
        ...DEFAULT_PART_RATIOS,
        owner_by: "",
        enable_groups: ["default", "vip"],
        has_price: true,
      },
      {
        model_name: "m-unknown",
        quota_type: 0,
        model_price: 0,
        model_ratio: 37.5,
        completion_ratio: 1,
        cache_ratio: 1,
        ...DEFAULT_PART_RATIOS,
        owner_by: "",
        enable_groups: ["default", "vip"],
        has_price: false,
      },
    ]);
    const own = await person.call("GET", "/api/pricing");
    expect((own.body.data as { model_name: string }[]).map(({ model_name }) => model_name)).toContain("m-own");
  });
});

describe("a stored setting", () => {
  it("is read with defaults where it is damaged", () => {
    for (const text of ["", "null", "[1]", '"x"', '{"notify_type":9,"quota_warning_threshold":"many"}']) {
      expect(readSetting(text)).toMatchObject({
        notify_type: "email",
        quota_warning_threshold: 0,
        webhook_secret_cipher: "",
      });
    }
  });

  const sealing = {
    userId: 1,
    encrypt: (text: string) => `sealed:${text}`,
    decrypt: (cipher: string) => cipher.slice(7),
  };

  it("keeps its secret on a blank one, unless its address changes", () => {
    const stored = { ...readSetting("{}"), webhook_url: "https://a.example", webhook_secret_cipher: "sealed:s" };
    const secretAfter = (sent: object) => changeSetting(stored, sent, sealing).webhook_secret_cipher;
    expect(secretAfter({ webhook_secret: "", webhook_url: "https://a.example" })).toBe("sealed:s");
    expect(secretAfter({ webhook_secret: "x" })).toBe("sealed:x");
    expect(secretAfter({ webhook_url: "https://b.example" })).toBe("");
    expect(secretAfter({ webhook_url: "https://b.example", webhook_secret: "y" })).toBe("sealed:y");
  });

  it("keeps an address with a key in it on its masked form, and its secret with it", () => {
    const address = "https://open.feishu.cn/open-apis/bot/v2/hook/planted-a1b2";
    const stored = changeSetting(readSetting("{}"), { lark_url: address, lark_secret: "s" }, sealing);
    const shown = showSetting(stored);
    expect(shown).toMatchObject({ lark_url: "https://open.feishu.cn/…a1b2", lark_secret_set: true });
    expect(JSON.stringify(shown)).not.toMatch(/planted|sealed/);
    expect(changeSetting(stored, { lark_url: shown.lark_url }, sealing)).toEqual(stored);
    const moved = changeSetting(stored, { lark_url: `${address}3` }, sealing);
    expect(moved).toMatchObject({ lark_url_cipher: `sealed:${address}3`, lark_secret_cipher: "" });
  });
});
