/** Tests of the delivery log: the super administrator sees the status of each message and never its text, and can retry a failed one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessagePage } from "../../../../contract/src/features/notifications.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { putMessage } from "../../notify/outbox.ts";

const START_MS = 1_800_000_000_000;
const RESET = "https://site.example/user/reset?token=planted";

describe.each(await engines())("the view of messages on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let nowMs = START_MS;

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
    root = await site.person(100);
    const put = (notification: Notification, recipient: { method: "email" | "webhook"; address: string }, userId = 0) =>
      putMessage(site.foundation, site.foundation.database.kysely, {
        notification,
        userId,
        recipient,
        language: "en",
        now: START_MS / 1000,
      });
    const email = { method: "email", address: "ada@mail.example" } as const;
    await put({ code: "password_reset", values: { address: RESET, minutes: 10 } }, email, root.userId);
    await put({ code: "test", values: {} }, { method: "webhook", address: "https://hook.example/planted-key" });
    await put({ code: "test", values: {} }, email);
  });
  afterAll(() => site.close());

  const list = (query = "") => root.data<MessagePage>("GET", `/api/notification/${query}`);
  const change = async (id: number, values: object) => {
    await site.foundation.database.kysely.updateTable("outbox").set(values).where("id", "=", id).execute();
  };
  const retry = async (id: number) => (await root.call("POST", `/api/notification/${id}/retry`)).body.code ?? "done";

  it("lists every message, the newest first, without what it says or what opens its receiver", async () => {
    const { items, total } = await list();
    expect(total).toBe(3);
    expect(items.map(({ event, method, recipient, username }) => [event, method, recipient, username])).toEqual([
      ["test", "email", "ada@mail.example", ""],
      ["test", "webhook", "hook.example", ""],
      ["password_reset", "email", "ada@mail.example", root.username],
    ]);
    const { text } = await root.call("GET", "/api/notification/");
    expect(text).not.toMatch(/planted|cipher/);
  });

  it("is filtered by status and paged", async () => {
    const [newest] = (await list()).items;
    await change(newest?.id ?? 0, { status: "sent", attempts: 1, sent_time: START_MS / 1000 });
    expect((await list("?status=sent")).items.map(({ id }) => id)).toEqual([newest?.id]);
    expect(await list("?status=waiting&page_size=1&p=2")).toMatchObject({
      total: 2,
      items: [{ event: "password_reset" }],
    });
  });

  it("tries again what did not arrive, and writes who did that", async () => {
    const message = (await list()).items.find(({ method }) => method === "webhook");
    const id = message?.id ?? 0;
    expect(await retry(id)).toBe("message_not_retriable"); // It has not been tried yet.
    const failure = JSON.stringify({ code: "webhook_status", detail: "500 oops" });
    await change(id, { status: "failed", attempts: 9, failure, next_time: 1 });
    const [failed] = (await list("?status=failed")).items;
    expect(failed).toMatchObject({ failure: "webhook_status", failure_detail: "500 oops", can_retry: true });
    expect(await retry(id)).toBe("done");
    expect((await list()).items.find((each) => each.id === id)).toMatchObject({
      status: "waiting",
      next_time: START_MS / 1000,
    });
    const audit = await site.foundation.database.kysely
      .selectFrom("logs")
      .select("other")
      .where("type", "=", 3)
      .execute();
    expect(audit.map(({ other }) => JSON.parse(other).event)).toEqual([{ code: "message_retried", values: { id } }]);
  });

  it("does not try again what arrived, what is over, or what is not there", async () => {
    const { items } = await list();
    const reset = items.find(({ event }) => event === "password_reset");
    await change(reset?.id ?? 0, { status: "failed", attempts: 1 });
    nowMs = START_MS + 600_000;
    expect(await retry(reset?.id ?? 0)).toBe("message_not_retriable");
    expect(await retry(items.find(({ status }) => status === "sent")?.id ?? 0)).toBe("message_not_retriable");
    expect(await retry(987_654_321)).toBe("not_found");
  });

  it("is the super administrator's alone", async () => {
    const admin = await site.person(10);
    for (const [method, path] of [
      ["GET", "/api/notification/"],
      ["POST", "/api/notification/1/retry"],
    ] as const)
      expect((await admin.call(method, path)).body.code).toBe("permission_denied");
  });
});
