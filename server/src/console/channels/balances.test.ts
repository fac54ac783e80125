/** Tests of balances: stored exactly with their currency, a failure beside the last known one, one run at a time, and the switches are honoured. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import type { AdminLog } from "../../../../contract/src/features/logs.ts";
import type { RunProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { BalanceAnswer } from "../relay-tools.ts";
import { startBalances } from "./balances.ts";

const has = (amount: string, currency = "USD"): BalanceAnswer => ({ balance: { amount, currency } });
const REFUSED: BalanceAnswer = {
  failure: { code: "upstream_status", values: { status: 401, message: "bad key" } },
  message: "status 401: bad key",
};
const NO_ACTOR = { userId: 0, username: "" };

describe.each(await engines())("balances on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let answer: (channel: SnapshotChannel, signal?: AbortSignal) => Promise<BalanceAnswer>;

  beforeAll(async () => {
    site = await openTestConsole(engine, { askBalance: (channel, signal) => answer(channel, signal) });
    admin = await site.person(100);
    const root = { email: "root@turnpike.example" };
    await site.foundation.database.kysely.updateTable("users").set(root).where("id", "=", admin.userId).execute();
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    const { kysely } = site.foundation.database;
    for (const table of ["abilities", "channels", "logs", "outbox"] as const) await kysely.deleteFrom(table).execute();
    answer = () => Promise.resolve(has("12.5"));
    await set("AutomaticDisableChannelEnabled", "false");
  });

  const make = async (name: string, more: object = {}) => {
    const form = { type: 43, name, key: `sk-${name}-aaaaaaaaaaaaaaa`, models: "deepseek-flash", ...more };
    const [id = 0] = await admin.data<number[]>("POST", "/api/channel/", form);
    return id;
  };
  const read = (id: number) => admin.data<ChannelRow>("GET", `/api/channel/${id}`);
  const listed = async (query: string) =>
    (await admin.data<{ items: ChannelRow[] }>("GET", `/api/channel/?${query}`)).items;
  const refresh = (id: number) => admin.call("POST", `/api/channel/update_balance/${id}`);
  const progress = () => admin.data<RunProgress>("GET", "/api/channel/update_balance/progress");
  const set = (key: string, value: string) => admin.data("PUT", "/api/option/", { key, value });
  const runAll = async () => {
    await (
      await startBalances(site.context, NO_ACTOR)
    )?.finished;
    return progress();
  };

  it("answers the balance and keeps it with its currency and its time", async () => {
    const id = await make("a");
    expect(await read(id)).toMatchObject({ balance: 0, balance_updated_time: 0, balance_failure: null });
    const { body } = await admin.call("GET", `/api/channel/update_balance/${id}`);
    expect(body).toEqual({ success: true, message: "", balance: 12.5, currency: "USD" });
    const row = await read(id);
    expect(row).toMatchObject({ balance: 12.5, balance_currency: "USD", balance_failure: null });
    expect(row.balance_updated_time).toBeGreaterThan(0);
  });

  it.each([
    ["0.0000005", "USD", 0.000001],
    ["-1.25", "CNY", -1.25],
    ["100000000", "USD", 100_000_000],
    ["0.1", "EUR", 0.1],
  ])("keeps %s %s exactly to a millionth", async (amount, currency, balance) => {
    const id = await make("a");
    answer = () => Promise.resolve(has(amount, currency));
    await refresh(id);
    expect(await read(id)).toMatchObject({ balance, balance_currency: currency });
  });

  it.each([
    ["1e20", "USD"],
    ["5", "undefined"],
    ["5", "a currency of many words"],
  ])("tells %s %s as unreadable, and keeps what was known", async (amount, currency) => {
    const id = await make("a");
    await refresh(id);
    answer = () => Promise.resolve(has(amount, currency));
    const { body } = await refresh(id);
    expect(body).toMatchObject({ success: false, failure: { code: "unreadable_answer" } });
    expect(await read(id)).toMatchObject({ balance: 12.5, balance_failure: { code: "unreadable_answer" } });
  });

  it("keeps a failure with its time beside what was known before, until the next answer", async () => {
    const id = await make("a");
    await refresh(id);
    const { balance_updated_time } = await read(id);
    answer = () => Promise.resolve(REFUSED);
    const { status, body } = await refresh(id);
    expect(status).toBe(200);
    const failure = { code: "upstream_status", values: { status: 401, message: "bad key" } };
    expect(body).toMatchObject({ success: false, message: "status 401: bad key", failure });
    const row = await read(id);
    expect(row).toMatchObject({ balance: 12.5, balance_updated_time, balance_failure: failure, status: 1 });
    expect(row.balance_failure?.time).toBeGreaterThan(0);
    answer = () => Promise.resolve(has("-3"));
    await refresh(id);
    expect(await read(id)).toMatchObject({ balance: -3, balance_failure: null });
  });

  it("keeps a reason of any length and any characters", async () => {
    const id = await make("a");
    const message = '\u0001\u{1F9EA}é"'.repeat(1_000);
    answer = () =>
      Promise.resolve({ failure: { code: "upstream_status", values: { status: 500, message } }, message: "long" });
    await refresh(id);
    const kept = String((await read(id)).balance_failure?.values["message"]);
    expect(message.startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThan(100);
  });

  it("keeps a fault of our own out of the answer", async () => {
    const id = await make("a");
    answer = () => Promise.reject(new Error("connect to db-7.internal failed"));
    const { text, body } = await refresh(id);
    expect(body).toMatchObject({ success: false, failure: { code: "internal" } });
    expect(text).not.toContain("db-7");
  });

  it("forgets a balance once the channel is of another account, and a copy has none", async () => {
    const id = await make("a");
    const renew = async (change: object) => {
      await refresh(id);
      await admin.data("PUT", "/api/channel/", { id, ...change });
      return (await read(id)).balance_updated_time;
    };
    expect(await renew({ name: "b" })).toBeGreaterThan(0);
    expect(await renew({ key: "sk-another-bbbbbbbbbbbbb" })).toBe(0);
    expect(await renew({ base_url: "https://elsewhere.example" })).toBe(0);
    expect(await renew({ base_url: "https://elsewhere.example" })).toBeGreaterThan(0);
    const copy = await admin.data<ChannelRow>("POST", `/api/channel/copy/${id}`);
    expect(copy).toMatchObject({ balance: 0, balance_updated_time: 0, balance_failure: null });
  });

  it("sorts by balance within each currency, what nobody knows last both ways", async () => {
    const amounts: Record<string, BalanceAnswer> = { a: has("5"), b: has("-1"), c: has("50", "CNY"), d: REFUSED };
    answer = ({ name }) => Promise.resolve(amounts[name] ?? REFUSED);
    for (const name of Object.keys(amounts)) await make(name);
    await runAll();
    const names = async (sort: string) => (await listed(`sort=${sort}`)).map(({ name }) => name);
    expect(await names("balance")).toEqual(["c", "b", "a", "d"]);
    expect(await names("-balance")).toEqual(["a", "b", "c", "d"]);
  });

  it("asks all whose provider tells one and that nobody disabled by hand; one that fails stops no other", async () => {
    const ids = await Promise.all(["a", "b", "c", "d", "e"].map((name) => make(name)));
    const silent = await make("silent", { type: 14 });
    const [, , , , off = 0] = ids;
    await admin.data("PUT", "/api/channel/", { id: off, status: 2 });
    const asked: string[] = [];
    answer = ({ name }) => {
      asked.push(name);
      if (name === "a") return Promise.reject(new Error("broken"));
      return Promise.resolve(name === "b" ? REFUSED : has("7", "CNY"));
    };
    const { failures, ...counts } = await runAll();
    expect(counts).toMatchObject({ running: false, done: 4, total: 4, failed: 2, disabled: 0, stopped: false });
    expect(failures.map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
    expect(asked.toSorted()).toEqual(["a", "b", "c", "d"]);
    expect((await read(silent)).balance_failure).toBeNull();
    const { items } = await admin.data<{ items: AdminLog[] }>("GET", "/api/log/?type=4");
    expect(items.map(({ content }) => content)).toEqual(["Asked for the balances of 4 channels: 2 failed"]);
  });

  it("is one run at a time, whoever asks, and its end frees the next one", async () => {
    for (const name of ["a", "b", "c", "d"]) await make(name);
    const gate = Promise.withResolvers<void>();
    answer = async () => {
      await gate.promise;
      return has("1");
    };
    await admin.data("POST", "/api/channel/update_balance");
    expect(await progress()).toMatchObject({ running: true, done: 0, total: 4 });
    const second = await admin.call("GET", "/api/channel/update_balance/");
    expect(second.body).toMatchObject({ success: false, code: "channel_balance_running" });
    expect(await startBalances(site.context, NO_ACTOR)).toBeUndefined();
    gate.resolve();
    for (let tries = 0; (await progress()).running && tries < 200; tries++) await sleep(20);
    expect(await progress()).toMatchObject({ running: false, done: 4, failed: 0 });
    expect(await runAll()).toMatchObject({ done: 4 });
  });

  it("stops where somebody says so, also in another process, and what was under way is not kept", async () => {
    const ids = await Promise.all(["a", "b", "c", "d", "e"].map((name) => make(name)));
    let given = 0;
    const endless = (_: SnapshotChannel, signal?: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          given += 1;
          reject(new Error("aborted"));
        });
      });
    const elsewhere = { ...site.context, relay: { ...site.context.relay, askBalance: endless } };
    const started = await startBalances(elsewhere, NO_ACTOR);
    const stopped = await admin.data("POST", "/api/channel/update_balance/stop");
    expect(stopped).toMatchObject({ running: false, stopped: true, done: 0, total: 5 });
    await started?.finished;
    expect(given).toBe(3);
    for (const id of ids) expect(await read(id)).toMatchObject({ balance_updated_time: 0, balance_failure: null });
    const { items } = await admin.data<{ items: AdminLog[] }>("GET", "/api/log/?type=3");
    expect(items.some(({ content }) => content.startsWith("Stopped asking for balances"))).toBe(true);
    expect(await runAll()).toMatchObject({ done: 5, stopped: false });
  });

  it("ends with its process and gives its lease to the next one", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await make(name);
    const ending = new AbortController();
    answer = () => new Promise(() => undefined);
    const started = await startBalances(site.context, NO_ACTOR, ending.signal);
    ending.abort();
    await started?.finished;
    answer = () => Promise.resolve(has("1"));
    expect(await runAll()).toMatchObject({ done: 5, stopped: false, failed: 0 });
  });

  it("disables a channel whose balance is used up only where switch and channel say so, and tells root", async () => {
    const a = await make("a");
    const b = await make("b", { auto_ban: 0 });
    const c = await make("c");
    answer = ({ name }) => Promise.resolve(name === "c" ? REFUSED : has("0.00", "CNY"));
    expect(await runAll()).toMatchObject({ disabled: 0 });
    await set("AutomaticDisableChannelEnabled", "true");
    await refresh(a);
    expect((await read(a)).status).toBe(1);
    expect(await runAll()).toMatchObject({ disabled: 1, failed: 1 });
    expect([(await read(a)).status, (await read(b)).status, (await read(c)).status]).toEqual([3, 1, 1]);
    expect(JSON.parse((await read(a)).other_info)).toMatchObject({ status_reason: "balance 0.00 CNY" });
    const { items } = await admin.data<{ items: AdminLog[] }>("GET", "/api/log/?type=4");
    expect(items.map(({ content }) => content)).toContain(
      `Disabled channel "a" (#${a}) automatically: its balance is 0.00 CNY`,
    );
    const told = await site.foundation.database.kysely.selectFrom("outbox").selectAll().execute();
    expect(told).toHaveLength(1);
  });

  it("asks with the first usable of several keys, and switches off that one alone where it is used up", async () => {
    await set("AutomaticDisableChannelEnabled", "true");
    const [first, second] = ["sk-first-aaaaaaaaaaaaaaaa", "sk-second-bbbbbbbbbbbbbbb"];
    const id = await make("several", { key: `${first}\n${second}`, keys_make: "one_channel" });
    const asked: string[] = [];
    answer = ({ key }) => {
      asked.push(key);
      return Promise.resolve(has(key === first ? "0" : "5"));
    };
    expect(await runAll()).toMatchObject({ done: 1, disabled: 1 });
    expect(await runAll()).toMatchObject({ done: 1, disabled: 0 });
    expect(asked).toEqual([first, second]);
    expect(await read(id)).toMatchObject({ status: 1, balance: 5, key_count: 2, enabled_key_count: 1 });
  });
});
