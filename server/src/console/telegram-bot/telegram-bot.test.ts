/** Tests of the Telegram bot against a fake Bot API: it is off by default, knows bound accounts alone, redeems a code once, and is bounded. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type BotServer, startBotServer } from "../../../../tests/support/messages/bot-server.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { readCommand } from "./commands.ts";
import { pollBot, telegramBotJob } from "./poll.ts";

const TOKEN = "110201543:planted-token";

describe.each(await engines())("the Telegram bot on %s", (engine) => {
  let site: TestConsole;
  let telegram: BotServer;
  let root: Caller;
  let stop: AbortController;
  let polling: Promise<void>;

  beforeAll(async () => {
    telegram = await startBotServer(TOKEN);
    const fetchGuarded: TestConsole["context"]["relay"]["fetchGuarded"] = async ({ method, url, headers, body }) => {
      const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: answer.status, headers: {}, body: await answer.text() };
    };
    site = await openTestConsole(engine, { fetchGuarded });
    site.context.site.standIns = { "https://api.telegram.org": telegram.url };
    root = await site.person(100);
    await root.data("PUT", "/api/option/", { key: "TelegramBotToken", value: TOKEN });
    await setOptions(site.foundation, { TelegramBotName: "acme_bot", SystemName: "Acme" });
  });
  afterAll(async () => {
    stop.abort();
    await polling;
    await site.close();
    await telegram.close();
  });
  beforeEach(() => void (telegram.answers.length = 0));

  /** What the bot answers next in the chat with that account. */
  const said = async (from: number, text: string, more?: Parameters<BotServer["write"]>[2]) => {
    const answers = () => telegram.answers.filter(({ chat }) => chat === from);
    const before = answers().length;
    telegram.write(from, text, more);
    await expect.poll(() => answers().length, { timeout: 8_000 }).toBeGreaterThan(before);
    return answers().at(-1)?.text ?? "";
  };
  const linkOf = (person: Caller) =>
    person.data<{ code: string; link: string }>("POST", "/api/user/self/telegram_link");
  const balanceOf = async (person: Caller) => (await person.data<{ quota: number }>("GET", "/api/user/self")).quota;

  it("neither polls nor makes links while it is off, which it is by default", async () => {
    const job = telegramBotJob(site.context);
    expect(await job.hasWork()).toBe(false);
    expect((await (await site.person()).call("POST", "/api/user/self/telegram_link")).body.code).toBe("identity_off");
    expect(telegram.offsets).toEqual([]);
    await setOptions(site.foundation, { TelegramBotEnabled: "true" });
    expect(await job.hasWork()).toBe(true);
    stop = new AbortController();
    polling = pollBot(site.context, stop.signal);
  });

  it("knows no stranger, in either language, and answers in private alone", async () => {
    expect(await said(1, "/balance")).toContain("linked to no account at Acme");
    telegram.write(1, "/balance", { chatType: "group" });
    expect(await said(1, "/balance", { language: "zh-hans" })).toContain("尚未绑定 Acme");
    expect(telegram.answers).toHaveLength(2);
  });

  it("binds by a link that a confirmed session made, once", async () => {
    const person = await site.person(1, { quota: 1_000_000 });
    const { code, link } = await linkOf(person);
    expect(link).toBe(`https://t.me/acme_bot?start=${code}`);
    expect(await said(2, `/start ${code}`)).toBe(`Linked to ${person.username} at Acme. /balance shows your balance.`);
    expect(await said(2, "/balance")).toBe("Balance: $2.00\nUsed: $0.00");
    expect(await said(3, `/start ${code}`)).toContain("not valid any more");
    expect(await said(3, `/bind ${(await linkOf(await site.person())).code.slice(1)}`)).toContain("not valid any more");
    const stale = { confirmed_time: 0 };
    await site.foundation.database.kysely
      .updateTable("sessions")
      .set(stale)
      .where("user_id", "=", person.userId)
      .execute();
    expect((await person.call("POST", "/api/user/self/telegram_link")).body.code).toBe("step_up_required");
  });

  it("binds nothing by the link of a session that has ended", async () => {
    const person = await site.person();
    const { code } = await linkOf(person);
    await site.foundation.database.kysely.deleteFrom("sessions").where("user_id", "=", person.userId).execute();
    await said(4, `/start ${code}`);
    expect(await said(4, "/balance")).toContain("linked to no account");
  });

  it("redeems a code once, and slows down who guesses", async () => {
    const person = await site.person();
    await said(5, `/start ${(await linkOf(person)).code}`);
    const body = { name: "gift", quota: 500_000, count: 1 };
    const [code] = await root.data<string[]>("POST", "/api/redemption/", body);
    expect(await said(5, `/redeem@acme_bot ${code}`)).toBe("Added $1.00. Balance: $1.00");
    expect(await said(5, `/redeem ${code}`)).toContain("already");
    expect(await balanceOf(person)).toBe(500_000);
    expect(await said(5, "/redeem")).toBe("Please send the code too: /redeem CODE");
    for (let guess = 0; guess < 5; guess += 1) await said(5, `/redeem wrong-${guess}`);
    expect(await said(5, "/redeem wrong-again")).toContain("Too many wrong codes");
    // Another person's guesses are their own.
    const other = await site.person();
    await said(6, `/start ${(await linkOf(other)).code}`);
    expect(await said(6, "/redeem wrong")).toContain("There is no such redemption code");
  });

  it("unbinds after a question, but never the last way in", async () => {
    const person = await site.person(1, { passwordHash: "x" });
    await said(7, `/start ${(await linkOf(person)).code}`);
    expect(await said(7, "/unbind")).toContain(`/unbind yes`);
    expect(await said(7, "/unbind yes")).toBe("This Telegram account is no longer linked.");
    expect(await said(7, "/balance")).toContain("linked to no account");
    const bare = await site.person();
    await said(8, `/start ${(await linkOf(bare)).code}`);
    await setOptions(site.foundation, { TelegramOAuthEnabled: "true" });
    expect(await said(8, "/unbind yes")).not.toContain("no longer linked");
  });

  it("does nothing for a disabled account", async () => {
    const person = await site.person();
    await said(9, `/start ${(await linkOf(person)).code}`);
    await site.foundation.database.kysely
      .updateTable("users")
      .set({ status: 2 })
      .where("id", "=", person.userId)
      .execute();
    expect(await said(9, "/balance")).toBe("Your account at Acme is disabled.");
  });

  it("answers one account twenty times a minute, and says so once", async () => {
    for (let count = 0; count < 30; count += 1) telegram.write(10, "/help");
    expect(await said(11, "/help")).toContain("linked to no account");
    await expect.poll(() => telegram.answers.filter(({ chat }) => chat === 10).length).toBe(21);
    expect(telegram.answers.filter(({ text }) => text.includes("a lot at once"))).toHaveLength(1);
  });

  it("ends at once when the process stops, though a poll is held open", async () => {
    stop.abort();
    await polling;
    expect(telegram.offsets.at(-1)).toBeGreaterThan(100);
  });
});

it.each([
  ["/redeem  AB-12 ", { name: "redeem", argument: "AB-12" }],
  ["/Balance@acme_bot", { name: "balance", argument: "" }],
  ["hello", { name: "help", argument: "" }],
  ["/nothing x", { name: "help", argument: "" }],
])("%j is %j", (text, command) => expect(readCommand(text)).toEqual(command));
