/** Tests of rendered notifications: every event has a template in both languages that uses its values, and no value reaches HTML unescaped. */
import { describe, expect, it } from "vitest";
import { LANGUAGES, NOTIFICATIONS } from "../../../contract/src/notifications.ts";
import type { NotificationCode } from "../../../contract/src/notifications.ts";
import { renderMail, renderWebhook, TEMPLATES } from "./render.ts";

const SITE = { name: "Acme <b>AI</b>", quota: { currency: { sign: "$", perUsd: "1" }, quotaPerUnit: "500000" } };
const HOSTILE = `"><script>alert(1)</script>'&{site}{{value}}\r\nBcc: eve@evil.example`;
const CODES = Object.keys(NOTIFICATIONS) as NotificationCode[];
const CASES = LANGUAGES.flatMap((language) => CODES.map((code) => ({ language, code })));

/** A value of each kind; texts are hostile. */
const valuesOf = (code: NotificationCode) =>
  Object.fromEntries(
    Object.entries(NOTIFICATIONS[code].values).map(([name, kind]) => [
      name,
      ["number", "quota", "time"].includes(kind) ? 10 : HOSTILE,
    ]),
  );

const notification = (code: NotificationCode, language: "en" | "zh", values: Record<string, string | number>) => ({
  code,
  language,
  values,
  time: 1_700_000_000,
});

describe.each(CASES)("$code in $language", ({ code, language }) => {
  const words = TEMPLATES[language].messages[code];
  const all = [
    words.subject,
    ...words.paragraphs,
    words.code && `{${words.code}}`,
    words.action && `{${words.action.value}}`,
  ].join(" ");
  const used = new Set([...all.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));

  it("uses all of its values and no others", () => {
    const names = Object.keys(NOTIFICATIONS[code].values);
    expect([...used].filter((name) => name !== "site" && name !== "time").toSorted()).toEqual(names.toSorted());
  });

  it("is a mail whose values are text alone", () => {
    const mail = renderMail(notification(code, language, valuesOf(code)), SITE);
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(mail.html).not.toMatch(/<script|<b>AI|"><\/?script|'&\{/);
    expect(mail.html.includes("&lt;b&gt;AI")).toBe(true);
    expect(mail.html.includes("undefined") || mail.text.includes("undefined")).toBe(false);
    for (const paragraph of words.paragraphs) expect(mail.text).toContain(paragraph.split("{")[0]);
  });

  it("is a webhook's body with one value for each placeholder", () => {
    const body = renderWebhook(notification(code, language, valuesOf(code)), SITE);
    expect(body.content.split("{{value}}").length - 1).toBe(body.values.length);
    expect(body).toMatchObject({ timestamp: 1_700_000_000 });
  });
});

describe("a message", () => {
  it("shows quota as the site does, and codes in words", () => {
    const values = { remaining: 250_000, threshold: 500_000, address: "https://site.example/personal" };
    const mail = renderMail(notification("quota_warning", "en", values), SITE);
    expect(mail.text).toContain("fallen to $0.50, below your warning threshold of $1.00");
    expect(mail.html).toContain('href="https://site.example/personal"');
    expect(
      renderMail(notification("quota_warning", "en", values), {
        ...SITE,
        quota: { ...SITE.quota, currency: undefined },
      }).text,
    ).toContain("250.0k");
    expect(renderMail(notification("role_changed", "zh", { from: 1, to: 10 }), SITE).text).toContain(
      "由普通用户变更为管理员",
    );
    expect(
      renderMail(notification("identity_added", "en", { provider: "my-company", ip: "::1" }), SITE).text,
    ).toContain("my-company was bound");
  });

  it("has the types that receivers of webhooks know", () => {
    const type = (code: NotificationCode, values: Record<string, string | number> = {}) =>
      renderWebhook(notification(code, "en", values), SITE).type;
    expect(type("quota_warning")).toBe("quota_exceed");
    expect(type("channel_disabled", { id: 7 })).toBe("channel_update_7_3");
    expect(type("channel_enabled", { id: 7 })).toBe("channel_update_7_1");
    expect(type("test")).toBe("test");
  });

  it("keeps the placeholders of a webhook's content, its values in their order", () => {
    const values = { remaining: 1, threshold: 500_000, address: "" };
    const { title, content, values: list } = renderWebhook(notification("quota_warning", "en", values), SITE);
    expect(title).toBe("Acme <b>AI</b>: your balance is running low");
    expect(content).toContain("fallen to {{value}}, below your warning threshold of {{value}}.");
    expect(list).toEqual(["$0.00", "$1.00"]);
  });
});
