/** Tests of the outbox: each message is sent once by any number of processes, retried for a day and after a crash, and an expired code is never sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setOptions } from "../../../tests/support/databases/options.ts";
import { engines } from "../../../tests/support/databases/databases.ts";
import { startMailServer } from "../../../tests/support/messages/mail-server.ts";
import type { MailServer } from "../../../tests/support/messages/mail-server.ts";
import { openTestConsole } from "../../../tests/support/systems/console.ts";
import type { TestConsole } from "../../../tests/support/systems/console.ts";
import type { Notification } from "../../../contract/src/notifications.ts";
import { toSeconds } from "../util/clock.ts";
import { DeliveryFault } from "./delivery-fault.ts";
import { createMailer } from "./mail.ts";
import { putMessage } from "./outbox.ts";
import { hasDueMessages, sendDueMessages } from "./sender.ts";
import type { SenderContext } from "./sender.ts";

const START_MS = 1_800_000_000_000;
const CODE: Notification = { code: "email_code", values: { code: "471108", minutes: 10 } };
const TEST: Notification = { code: "test", values: {} };

describe.each(await engines())("the outbox on %s", (engine) => {
  let site: TestConsole;
  let mail: MailServer;
  let nowMs = START_MS;
  /** What the server answers a mail with: an Error refuses it. */
  let verdict: Error | "cut" | undefined;

  beforeAll(async () => {
    mail = await startMailServer({ onMail: () => verdict });
    site = await openTestConsole(engine, {}, () => nowMs);
    const smtp = { SMTPServer: "127.0.0.1", SMTPPort: String(mail.port), SMTPAccount: "site@site.example" };
    await setOptions(site.foundation, { ...smtp, SystemName: "Acme" });
  });
  afterAll(async () => {
    await site.close();
    await mail.close();
  });
  beforeEach(async () => {
    nowMs = START_MS;
    verdict = undefined;
    mail.mails.length = 0;
    await site.foundation.database.kysely.deleteFrom("outbox").execute();
  });

  /** What one process sends with. */
  const sender = (change: Partial<SenderContext> = {}): SenderContext => {
    const { database, secrets, snapshot } = site.foundation;
    const options = () => snapshot.options;
    const post = () => Promise.reject(new Error("this test has no webhook"));
    const { logger } = site.context;
    return {
      database,
      secrets,
      options,
      mailer: createMailer({ options }),
      post,
      logger,
      clock: () => nowMs,
      ...change,
    };
  };
  const put = (address: string, notification: Notification = TEST) => {
    const recipient = { method: "email", address } as const;
    const message = { notification, userId: 0, recipient, language: "en", now: toSeconds(nowMs) } as const;
    return putMessage(site.foundation, site.foundation.database.kysely, message);
  };
  const rows = () => site.foundation.database.kysely.selectFrom("outbox").selectAll().orderBy("id").execute();
  const pass = (seconds: number) => void (nowMs += seconds * 1000);

  it("sends what is due, once, and forgets the code in it", async () => {
    await put("ada@mail.example", CODE);
    expect(await hasDueMessages(sender())).toBe(true);
    await sendDueMessages(sender());
    await sendDueMessages(sender());
    expect(mail.mails).toMatchObject([{ to: "ada@mail.example", subject: "Acme: your verification code" }]);
    expect(mail.mails[0]?.text).toContain("471108");
    expect(mail.mails[0]?.html).toContain("471108");
    expect(await rows()).toMatchObject([{ status: "sent", attempts: 1, failure: "", values_cipher: "" }]);
    expect(await hasDueMessages(sender())).toBe(false);
  });

  it("sends each of 200 messages once, though three processes send at once", async () => {
    for (let index = 0; index < 200; index += 1) await put(`person-${index}@mail.example`);
    await Promise.all([sender(), sender(), sender()].map(sendDueMessages));
    expect(mail.mails).toHaveLength(200);
    expect(new Set(mail.mails.map(({ to }) => to)).size).toBe(200);
    expect((await rows()).every(({ status, attempts }) => status === "sent" && attempts === 1)).toBe(true);
  });

  it("tries again with growing pauses, through refusals and a cut connection, until it is sent", async () => {
    verdict = Object.assign(new Error("try later"), { responseCode: 451 });
    await put("ada@mail.example");
    await sendDueMessages(sender());
    expect(await rows()).toMatchObject([{ status: "waiting", attempts: 1, next_time: START_MS / 1000 + 30 }]);
    pass(29);
    expect(await hasDueMessages(sender())).toBe(false);
    pass(1);
    verdict = "cut";
    await sendDueMessages(sender());
    const [row] = await rows();
    expect(row).toMatchObject({ status: "waiting", attempts: 2, next_time: nowMs / 1000 + 120 });
    expect(JSON.parse(row?.failure ?? "")).toMatchObject({ code: "smtp_unreachable" });
    pass(120);
    verdict = undefined;
    await sendDueMessages(sender());
    expect(mail.mails).toHaveLength(1);
    expect(await rows()).toMatchObject([{ status: "sent", attempts: 3, failure: "" }]);
  });

  it("gives up after a day, and says why", async () => {
    const full = sender({
      mailer: { send: () => Promise.reject(new DeliveryFault("smtp_refused", "452 still full")) },
    });
    await put("ada@mail.example");
    let attempts = 0;
    for (; (await rows())[0]?.status === "waiting"; attempts += 1) {
      await sendDueMessages(full);
      pass(Math.max(0, Number((await rows())[0]?.next_time) - nowMs / 1000));
    }
    // 30 s, 2 min, 10 min, then every hour of a day.
    expect(attempts).toBe(4 + 24);
    const [row] = await rows();
    expect(row?.status).toBe("failed");
    expect(JSON.parse(row?.failure ?? "")).toEqual({
      code: "smtp_refused",
      detail: expect.stringContaining("still full"),
    });
  });

  it("gives up at once where the receiver is refused for good", async () => {
    verdict = Object.assign(new Error("no such mailbox"), { responseCode: 550 });
    await put("nobody@mail.example");
    await sendDueMessages(sender());
    expect(await rows()).toMatchObject([{ status: "failed", attempts: 1 }]);
  });

  it("does not send a code that is over", async () => {
    await put("ada@mail.example", CODE);
    pass(600);
    await sendDueMessages(sender());
    expect(mail.mails).toEqual([]);
    const [row] = await rows();
    expect(row).toMatchObject({ status: "failed", values_cipher: "" });
    expect(JSON.parse(row?.failure ?? "")).toMatchObject({ code: "expired" });
  });

  it("sends what a process died with, after its claim has run out", async () => {
    await put("ada@mail.example");
    // It is never heard of again after it took the message.
    const dying = sender({ mailer: { send: () => new Promise(() => undefined) } });
    void sendDueMessages(dying);
    await expect.poll(async () => (await rows())[0]?.attempts).toBe(1);
    await sendDueMessages(sender());
    expect(mail.mails).toEqual([]);
    pass(120);
    await sendDueMessages(sender());
    expect(mail.mails).toHaveLength(1);
    expect(await rows()).toMatchObject([{ status: "sent", attempts: 2 }]);
  });
});
