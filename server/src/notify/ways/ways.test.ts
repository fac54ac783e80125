/** Tests of the ways of notifying: the request that each makes of one message, signed as its vendor documents, and which answers are failures. */
import { describe, expect, it } from "vitest";
import { NOTIFICATION_WAY_NAMES, WAY_FIELDS } from "../../../../contract/src/notification-ways.ts";
import { updateSetting, userSetting } from "../../../../contract/src/features/personal.ts";
import { readSetting } from "../user-setting.ts";
import { sendByWay, wrongValueOf } from "./send.ts";
import { cutToBytes, type PushAnswer, type PushMessage, type PushRequest } from "./way.ts";

const MESSAGE: PushMessage = {
  title: "Acme: low",
  text: "余额 $0.40",
  webhook: { type: "test", title: "Acme", content: "{{value}}", values: ["1"], timestamp: 1 },
};
const TEXT = "Acme: low\n\n余额 $0.40";
const NOW_MS = 1_700_000_000_123;
const JSON_HEAD = { "content-type": "application/json" };

type Send = Parameters<typeof sendByWay>[1];

/** What goes out, and what comes of `answer`. */
async function sent(
  way: Send["way"],
  values: object,
  answer: PushAnswer = { status: 200, text: "" },
  message = MESSAGE,
) {
  let request: PushRequest | undefined;
  const post = (asked: PushRequest) => {
    request = asked;
    return Promise.resolve(answer);
  };
  // Each case gives the values of its way.
  const outcome = await sendByWay(post, { way, values, nowMs: NOW_MS } as unknown as Send, message).then(
    () => "taken",
    (error: unknown) => (error as Error).message,
  );
  return { request, body: JSON.parse(request?.body || "null") as unknown, outcome };
}

const TELEGRAM = { telegram_bot_token: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", telegram_chat_id: "-1001" };
const GOTIFY = { gotify_url: "https://push.example/gotify/", gotify_token: "AbC", gotify_priority: 8 };
const LARK = { lark_url: "https://open.feishu.cn/open-apis/bot/v2/hook/1-2", lark_secret: "demo" };
const DINGTALK = { dingtalk_url: "https://oapi.dingtalk.com/robot/send?access_token=a1", dingtalk_secret: "SECdemo" };
const WECOM = { wecom_url: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a" };

describe("the request", () => {
  it("of a webhook is JSON with a bearer token where there is a secret", async () => {
    const { request, body } = await sent("webhook", { webhook_url: "https://hook.example/x", webhook_secret: "s" });
    expect(request).toMatchObject({
      url: "https://hook.example/x",
      headers: { ...JSON_HEAD, authorization: "Bearer s" },
    });
    expect(body).toEqual(MESSAGE.webhook);
    const bare = await sent("webhook", { webhook_url: "https://hook.example/x", webhook_secret: "" });
    expect(bare.request?.headers).toEqual(JSON_HEAD);
  });

  it("of Telegram has the bot's token in its path", async () => {
    const { request, body } = await sent("telegram", TELEGRAM, { status: 200, text: '{"ok":true}' });
    expect(request?.url).toBe(`https://api.telegram.org/bot${TELEGRAM.telegram_bot_token}/sendMessage`);
    expect(body).toEqual({ chat_id: "-1001", text: TEXT, link_preview_options: { is_disabled: true } });
  });

  it("of Bark is JSON to the device's address, or a template that is filled", async () => {
    const device = await sent("bark", { bark_url: "https://api.day.app/key1/" });
    expect([device.request?.url, device.body]).toEqual([
      "https://api.day.app/key1",
      { title: MESSAGE.title, body: MESSAGE.text },
    ]);
    const { request } = await sent("bark", { bark_url: "https://api.day.app/key1/{{title}}/{{content}}?group=a" });
    expect(request).toEqual({
      method: "GET",
      url: "https://api.day.app/key1/Acme%3A%20low/%E4%BD%99%E9%A2%9D%20%240.40?group=a",
      headers: {},
      body: "",
    });
  });

  it("of Gotify has the token in a header and the priority", async () => {
    const { request, body } = await sent("gotify", GOTIFY);
    expect(request).toMatchObject({ url: "https://push.example/gotify/message", headers: { "x-gotify-key": "AbC" } });
    expect(body).toEqual({ title: MESSAGE.title, message: MESSAGE.text, priority: 8 });
  });

  it("of Lark is signed in its body", async () => {
    const { request, body } = await sent("lark", LARK);
    expect(request?.url).toBe(LARK.lark_url);
    // printf '' | openssl dgst -sha256 -hmac "$(printf '1700000000\ndemo')" -binary | base64
    expect(body).toEqual({
      timestamp: "1700000000",
      sign: "8oT2n3SMKFfEnDoiwer8BUM/SjKLwe9SqoEIHlhDTKo=",
      msg_type: "text",
      content: { text: TEXT },
    });
    expect((await sent("lark", { ...LARK, lark_secret: "" })).body).not.toHaveProperty("sign");
  });

  it("of DingTalk is signed in its address", async () => {
    const { request, body } = await sent("dingtalk", DINGTALK);
    const { searchParams } = new URL(request?.url ?? "");
    // printf '1700000000123\nSECdemo' | openssl dgst -sha256 -hmac SECdemo -binary | base64
    expect(Object.fromEntries(searchParams)).toEqual({
      access_token: "a1",
      timestamp: "1700000000123",
      sign: "NhbevkDbYRW2yKX6TyqwoJP0bHe5xpu5AApi0R446wU=",
    });
    expect(body).toEqual({ msgtype: "text", text: { content: TEXT } });
    expect((await sent("dingtalk", { ...DINGTALK, dingtalk_secret: "" })).request?.url).toBe(DINGTALK.dingtalk_url);
  });

  it("of WeCom is a text of at most 2048 bytes", async () => {
    const long = await sent("wecom", WECOM, { status: 200, text: "{}" }, { ...MESSAGE, text: "额".repeat(2000) });
    const { content } = (long.body as { text: { content: string } }).text;
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2048);
    expect(content).toMatch(/^Acme: low\n\n额+…$/);
  });

  it("is not sent in plain", async () => {
    const { request, outcome } = await sent("gotify", { ...GOTIFY, gotify_url: "http://push.example" });
    expect([request, outcome]).toEqual([undefined, expect.stringContaining("address_refused")]);
  });
});

describe("an answer", () => {
  const BARK = { bark_url: "https://api.day.app/key-of-the-device" };
  it.each([
    ["telegram", TELEGRAM, '{"ok":true,"result":{}}', "taken"],
    ["telegram", TELEGRAM, '{"ok":false,"description":"chat not found"}', "receiver_refused"],
    ["bark", BARK, '{"code":200,"message":"success"}', "taken"],
    ["bark", BARK, '{"code":400,"message":"failed to get device token"}', "receiver_refused"],
    ["lark", LARK, '{"code":0,"msg":"success"}', "taken"],
    ["lark", LARK, '{"code":19021,"msg":"sign match fail or timestamp is not within one hour"}', "receiver_refused"],
    ["dingtalk", DINGTALK, '{"errcode":0,"errmsg":"ok"}', "taken"],
    ["dingtalk", DINGTALK, '{"errcode":310000,"errmsg":"sign not match"}', "receiver_refused"],
    ["wecom", WECOM, '{"errcode":0,"errmsg":"ok"}', "taken"],
    ["wecom", WECOM, '{"errcode":93000,"errmsg":"invalid webhook url"}', "receiver_refused"],
    ["wecom", WECOM, "<html>", "receiver_refused"],
    ["gotify", GOTIFY, "{}", "taken"],
  ] as const)("of %s with %j %s is %s", async (way, values, text, outcome) => {
    expect((await sent(way, values, { status: 200, text })).outcome).toContain(outcome);
    expect((await sent(way, values, { status: 500, text })).outcome).toContain("webhook_status");
  });

  it("that repeats a secret is not repeated", async () => {
    const echo = (secret: string) => ({ status: 401, text: `no such thing: ${secret}` });
    const cases = [
      ["gotify", { ...GOTIFY, gotify_token: "planted" }, "planted"],
      ["bark", { bark_url: "https://api.day.app/planted-key" }, "planted-key"],
      ["wecom", { wecom_url: "https://qyapi.weixin.qq.com/send?key=planted-key" }, "planted-key"],
      ["telegram", TELEGRAM, TELEGRAM.telegram_bot_token],
    ] as const;
    for (const [way, values, secret] of cases)
      expect((await sent(way, values, echo(secret))).outcome).toBe("webhook_status: 401 no such thing: ***");
  });
});

it("what a vendor does not take is refused by its field", () => {
  expect(wrongValueOf("telegram", { ...TELEGRAM, telegram_bot_token: "AAH" })?.field).toBe("telegram_bot_token");
  expect(wrongValueOf("telegram", { ...TELEGRAM, telegram_chat_id: "ada" })?.field).toBe("telegram_chat_id");
  expect(wrongValueOf("telegram", TELEGRAM)).toBeUndefined();
  expect(wrongValueOf("bark", { bark_url: "https://api.day.app/" })?.field).toBe("bark_url");
});

it("a text is cut between letters", () => {
  expect(cutToBytes("额度", 6)).toBe("额度");
  expect(cutToBytes("额度度", 8)).toBe("额…");
});

it("every field of the table is stored, sent and shown", () => {
  const stored = new Set(Object.keys(readSetting("{}")));
  const sentFields = new Set(Object.keys(updateSetting.body?.shape ?? {}));
  const shown = new Set(Object.keys(userSetting.parse({})));
  expect(NOTIFICATION_WAY_NAMES).toHaveLength(8);
  for (const [name, { kind }] of WAY_FIELDS) {
    const isSealed = kind === "secret" || kind === "sealedAddress";
    expect([name, stored.has(isSealed ? `${name}_cipher` : name), sentFields.has(name)]).toEqual([name, true, true]);
    expect([name, shown.has(kind === "secret" ? `${name}_set` : name)]).toEqual([name, true]);
  }
});
