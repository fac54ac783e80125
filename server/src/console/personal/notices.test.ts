/** Tests of notices by other ways than mail against a real receiver: signed, tested before they are stored, never to an address that was taken away. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SelfRow } from "../../../../contract/src/features/personal.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { createMailer } from "../../notify/mail.ts";
import { notifyRoot, notifyUser } from "../../notify/notify-user.ts";
import { sendDueMessages } from "../../notify/sender.ts";
import { dingtalkSignature } from "../../notify/ways/dingtalk.ts";
import { larkSignature } from "../../notify/ways/lark.ts";
import type { PushRequest } from "../../notify/ways/way.ts";

const NOW_MS = 1_800_000_000_000;
const LARK = { lark_url: "https://lark.example/hook/planted-lark-key", lark_secret: "planted-lark-secret" };
const DINGTALK = {
  dingtalk_url: "https://ding.example/send?access_token=planted-token",
  dingtalk_secret: "SECplanted",
};
const GOTIFY = { gotify_url: "https://gotify.example", gotify_token: "planted-gotify", gotify_priority: 7 };

interface Received {
  host: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

describe.each(await engines())("notices on %s", (engine) => {
  let site: TestConsole;
  let receiver: Server;
  let received: Received[];
  /** What it answers; a host that begins with `slow` gets no answer. */
  let answer: string;
  const held: ServerResponse[] = [];

  /** Every https address leads to the receiver. */
  const post = async ({ method = "POST", url, headers, body }: PushRequest) => {
    const { host, pathname, search } = new URL(url);
    const { port } = receiver.address() as AddressInfo;
    const content = body === "" ? {} : { body };
    const answered = await fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
      method,
      headers: { ...headers, "x-host": host },
      ...content,
    });
    return { status: answered.status, text: await answered.text() };
  };

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      void readAll(request).then((body) => {
        const host = String(request.headers["x-host"]);
        received.push({ host, path: request.url ?? "", headers: request.headers, body: JSON.parse(body || "{}") });
        if (host.startsWith("slow")) held.push(response);
        else response.end(answer);
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", () => resolve()));
    site = await openTestConsole(engine, {}, () => NOW_MS, post);
  });
  afterAll(async () => {
    await site.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });
  beforeEach(async () => {
    received = [];
    answer = '{"code":0,"errcode":0,"ok":true}';
    await site.foundation.database.kysely.deleteFrom("outbox").execute();
  });

  const put = (person: Caller, body: object) => person.data("PUT", "/api/user/setting", body);
  const clock = () => NOW_MS;
  const notice = (userId: number) => {
    const message = { userId, notification: { code: "group_raised", values: { from: "a", to: "b" } } } as const;
    return notifyUser({ ...site.context, clock }, site.foundation.database.kysely, message);
  };
  const send = () => {
    const { database, secrets, snapshot } = site.foundation;
    const options = () => snapshot.options;
    const { logger } = site.context;
    return sendDueMessages({ database, secrets, options, mailer: createMailer({ options }), post, logger, clock });
  };
  const rows = () => site.foundation.database.kysely.selectFrom("outbox").selectAll().orderBy("id").execute();

  it("arrive signed as Lark and DingTalk check it, and by Gotify with its token", async () => {
    const person = await site.person();
    for (const [notify_type, fields] of Object.entries({ lark: LARK, dingtalk: DINGTALK, gotify: GOTIFY })) {
      await put(person, { notify_type, ...fields });
      await notice(person.userId);
      await send();
    }
    const [lark, dingtalk, gotify] = received;
    expect(lark?.body).toMatchObject({ msg_type: "text", content: { text: expect.stringContaining("b") } });
    expect(lark?.body["sign"]).toBe(larkSignature(String(lark?.body["timestamp"]), LARK.lark_secret));
    const { searchParams } = new URL(dingtalk?.path ?? "", "https://ding.example");
    const timestamp = searchParams.get("timestamp") ?? "";
    expect(searchParams.get("access_token")).toBe("planted-token");
    expect(searchParams.get("sign")).toBe(dingtalkSignature(timestamp, DINGTALK.dingtalk_secret));
    expect(gotify).toMatchObject({
      path: "/message",
      body: { priority: 7 },
      headers: { "x-gotify-key": "planted-gotify" },
    });
    expect((await rows()).map(({ status, method }) => [status, method])).toEqual([
      ["sent", "lark"],
      ["sent", "dingtalk"],
      ["sent", "gotify"],
    ]);
  });

  it("never show or store a secret in plain", async () => {
    const person = await site.person();
    await put(person, { notify_type: "lark", ...LARK, ...DINGTALK, ...GOTIFY });
    answer = JSON.stringify({ code: 19021, msg: `wrong: ${LARK.lark_secret}` });
    const tested = await person.call("POST", "/api/user/setting/test");
    expect(tested.body.data).toMatchObject({
      is_delivered: false,
      failure: "receiver_refused",
      answer: "19021 wrong: ***",
    });
    await notice(person.userId);
    await send();
    const self = await person.call("GET", "/api/user/self");
    const root = await site.person(100);
    const log = await root.call("GET", "/api/notification/");
    const stored = await site.foundation.database.kysely.selectFrom("users").select("setting").execute();
    for (const text of [tested.text, self.text, log.text, JSON.stringify([stored, await rows()])])
      expect(text).not.toMatch(/planted/);
    expect(self.text).toContain("https://lark.example/…-key");
    expect(log.text).toContain("lark.example");
  });

  it("go nowhere that their owner has taken them away from", async () => {
    const person = await site.person();
    await put(person, { notify_type: "gotify", ...GOTIFY });
    await notice(person.userId);
    await put(person, { gotify_url: "https://other.example", gotify_token: "another-token" });
    await send();
    expect(received.map(({ host, headers }) => [host, headers["x-gotify-key"]])).toEqual([
      ["other.example", "another-token"],
    ]);
    await notice(person.userId);
    await put(person, { notify_type: "email", gotify_url: "" });
    await send();
    const [, late] = await rows();
    expect([received.length, late?.status, JSON.parse(late?.failure ?? "").code]).toEqual([
      1,
      "failed",
      "receiver_missing",
    ]);
  });

  it("reach the operator as they chose", async () => {
    const root = await site.person(100);
    await put(root, { notify_type: "wecom", wecom_url: "https://wecom.example/send?key=planted" });
    const { kysely } = site.foundation.database;
    await kysely
      .updateTable("users")
      .set({ role: 10 })
      .where("role", "=", 100)
      .where("id", "!=", root.userId)
      .execute();
    const notification = { code: "channel_disabled", values: { id: 7, name: "main", reason: "401" } } as const;
    await notifyRoot({ ...site.context, clock }, kysely, { notification });
    await send();
    expect(received).toMatchObject([
      { host: "wecom.example", body: { text: { content: expect.stringContaining("main") } } },
    ]);
  });

  it("are tested as the form has them, and stored by saving alone", async () => {
    const person = await site.person();
    const setting = async () => (await person.data<SelfRow>("GET", "/api/user/self")).setting;
    const before = await setting();
    const form = { notify_type: "lark", ...LARK };
    expect((await person.call("POST", "/api/user/setting/test", form)).body.data).toMatchObject({ is_delivered: true });
    expect([received.length, received[0]?.host, await setting()]).toEqual([1, "lark.example", before]);
    expect((await person.call("POST", "/api/user/setting/test", { notify_type: "lark" })).body).toMatchObject({
      code: "setting_invalid",
      field: "lark_url",
    });
    const stale = { confirmed_time: 0 };
    await site.foundation.database.kysely
      .updateTable("sessions")
      .set(stale)
      .where("user_id", "=", person.userId)
      .execute();
    expect((await person.call("POST", "/api/user/setting/test", form)).body.code).toBe("step_up_required");
    expect(received).toHaveLength(1);
  });

  it("of others are not held up by a receiver that does not answer", async () => {
    const [slow, quick] = [await site.person(), await site.person()];
    await put(slow, { notify_type: "gotify", ...GOTIFY, gotify_url: "https://slow.example" });
    await put(quick, { notify_type: "gotify", ...GOTIFY });
    await notice(slow.userId);
    await notice(quick.userId);
    const sending = send();
    await expect.poll(async () => (await rows()).map(({ status }) => status)).toEqual(["waiting", "sent"]);
    for (const response of held.splice(0)) response.end("{}");
    await sending;
    expect((await rows()).map(({ status }) => status)).toEqual(["sent", "sent"]);
  });
});
