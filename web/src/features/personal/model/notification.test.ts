/** Tests of the notification form: https only, an address that is one, an empty threshold takes the site's, an empty secret keeps the stored one. */
import { expect, test } from "vitest";
import { userSetting } from "../../../../../contract/src/features/personal.ts";
import { checkNotification, isSame, notificationForm } from "./notification.ts";

const stored = notificationForm(userSetting.parse({}), String);
const quotaOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined);
const wrong = (part: object) => checkNotification({ ...stored, ...part }, quotaOf).wrong?.key;

test("what is stored is shown, and is the same as itself", () => {
  expect(stored).toMatchObject({ notify_type: "email", threshold: "", webhook_secret: "" });
  expect(notificationForm(userSetting.parse({ quota_warning_threshold: 7 }), String).threshold).toBe("7");
  expect([isSame(stored, { ...stored }), isSame(stored, { ...stored, webhook_secret: "x" })]).toEqual([true, false]);
});

test.each([
  [{}, undefined],
  [{ threshold: "few" }, "thresholdWrong"],
  [{ notification_email: "nobody" }, "emailWrong"],
  [{ notification_email: "nobody", notify_type: "webhook" }, "urlMissing"],
  [{ notify_type: "webhook", webhook_url: "http://hook.example" }, "urlWrong"],
  [{ notify_type: "webhook", webhook_url: "hook.example" }, "urlWrong"],
  [{ notify_type: "webhook", webhook_url: " https://hook.example/x " }, undefined],
])("%j: %s", (part, key) => expect(wrong(part)).toBe(key));

test("only the fields of the chosen way are sent", () => {
  const form = { ...stored, threshold: "5", notification_email: "a@b.example", webhook_url: " https://h.example " };
  expect(checkNotification(form, quotaOf).body).toEqual({
    notify_type: "email",
    quota_warning_threshold: 5,
    notification_email: "a@b.example",
  });
  expect(checkNotification({ ...form, notify_type: "webhook", threshold: "" }, quotaOf).body).toEqual({
    notify_type: "webhook",
    quota_warning_threshold: 0,
    webhook_url: "https://h.example",
    webhook_secret: "",
  });
});
