/** Tests of the notification form: https only, an address that is one, an empty threshold takes the site's, an empty secret keeps the stored one. */
import { expect, test } from "vitest";
import { userSetting } from "../../../../../contract/src/features/personal.ts";
import { checkNotification, isSame, notificationForm } from "./notification.ts";

const setting = userSetting.parse({});
const stored = notificationForm(setting, String);
const quotaOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined);
const wrong = (part: object, kept: object = {}) =>
  checkNotification({ ...stored, ...part }, userSetting.parse(kept), quotaOf).wrong?.key;

test("what is stored is shown, and is the same as itself", () => {
  expect(stored).toMatchObject({ notify_type: "email", threshold: "", webhook_secret: "", gotify_priority: "5" });
  expect(notificationForm(userSetting.parse({ quota_warning_threshold: 7 }), String).threshold).toBe("7");
  const lark = notificationForm(userSetting.parse({ lark_url: "https://open.feishu.cn/…a1b2" }), String);
  expect(lark.lark_url).toBe("");
  expect([isSame(stored, { ...stored }), isSame(stored, { ...stored, webhook_secret: "x" })]).toEqual([true, false]);
});

test.each([
  [{}, undefined],
  [{ threshold: "few" }, "thresholdWrong"],
  [{ notification_email: "nobody" }, "emailWrong"],
  [{ notification_email: "nobody", notify_type: "webhook" }, "missing"],
  [{ notify_type: "webhook", webhook_url: "http://hook.example" }, "urlWrong"],
  [{ notify_type: "webhook", webhook_url: "hook.example" }, "urlWrong"],
  [{ notify_type: "webhook", webhook_url: " https://hook.example/x " }, undefined],
  [
    { notify_type: "gotify", gotify_url: "https://g.example", gotify_token: "t", gotify_priority: "11" },
    "integerWrong",
  ],
  [{ notify_type: "gotify", gotify_url: "https://g.example", gotify_token: "t", gotify_priority: "" }, undefined],
])("%j: %s", (part, key) => expect(wrong(part)).toBe(key));

test("what is stored need not be entered again, but for the secret of another address", () => {
  const gotify = { notify_type: "gotify", gotify_url: "https://g.example", gotify_token_set: true };
  expect(wrong({ notify_type: "gotify", gotify_url: "https://g.example" }, gotify)).toBeUndefined();
  expect(wrong({ notify_type: "gotify", gotify_url: "https://h.example" }, gotify)).toBe("missing");
  expect(wrong({ notify_type: "lark" }, { lark_url: "https://open.feishu.cn/…a1b2" })).toBeUndefined();
  expect(wrong({ notify_type: "lark" })).toBe("missing");
});

test("only the fields of the chosen way are sent", () => {
  const form = { ...stored, threshold: "5", notification_email: "a@b.example", webhook_url: " https://h.example " };
  expect(checkNotification(form, setting, quotaOf).body).toEqual({
    notify_type: "email",
    monthly_statement: false,
    quota_warning_threshold: 5,
    notification_email: "a@b.example",
  });
  expect(checkNotification({ ...form, notify_type: "webhook", threshold: "" }, setting, quotaOf).body).toEqual({
    notify_type: "webhook",
    monthly_statement: false,
    quota_warning_threshold: 0,
    webhook_url: "https://h.example",
    webhook_secret: "",
  });
  expect(
    checkNotification({ ...form, notify_type: "gotify", gotify_priority: "" }, setting, quotaOf).body,
  ).toMatchObject({ gotify_priority: 5 });
});
