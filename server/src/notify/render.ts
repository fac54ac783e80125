/** Renders a notification: a mail in plain text and HTML, a text, or the body of a webhook. Every value is escaped in HTML. */
import type { NotificationCode, Language } from "../../../contract/src/notifications.ts";
import { NOTIFICATIONS } from "../../../contract/src/notifications.ts";
import { formatQuota, type QuotaDisplay } from "../../../contract/src/quota-display.ts";
import { ENGLISH, type LanguageTemplates, type MessageTemplate } from "./templates-en.ts";
import { CHINESE } from "./templates-zh.ts";

export const TEMPLATES: Readonly<Record<Language, LanguageTemplates>> = { en: ENGLISH, zh: CHINESE };

/** Facts about the site that templates use. */
export interface SiteFacts {
  name: string;
  /** How amounts of quota are written. */
  quota: QuotaDisplay;
}

/** An event to notify a user of, with the values of its template. */
export interface Notification {
  code: NotificationCode;
  values: Readonly<Record<string, string | number>>;
  language: Language;
  /** When it happened, Unix seconds. */
  time: number;
}

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

const PLACEHOLDER = /\{(\w+)\}/g;
/** `2026-01-31 09:05 UTC` */
const timeText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Control characters could end a mail's header or hide the text beside them. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").trim();

/** The text of each value by its name. */
function valueTexts({ code, values, language, time }: Notification, site: SiteFacts): ReadonlyMap<string, string> {
  const kinds: Readonly<Record<string, string>> = NOTIFICATIONS[code].values;
  const texts = Object.entries(values).map(([name, value]): [string, string] => {
    if (kinds[name] === "quota") return [name, formatQuota(Number(value), site.quota, 2)];
    if (kinds[name] === "lines") return [name, String(value).split("\n").map(oneLine).join("\n")];
    if (kinds[name] === "time") return [name, timeText(Number(value))];
    return [name, TEMPLATES[language].valueWords[name]?.[String(value)] ?? oneLine(String(value))];
  });
  return new Map([...texts, ["site", oneLine(site.name)], ["time", timeText(time)]]);
}

const filled = (template: string, texts: ReadonlyMap<string, string>): string =>
  template.replaceAll(PLACEHOLDER, (_, name: string) => texts.get(name) ?? "");

interface Parts {
  words: MessageTemplate;
  texts: ReadonlyMap<string, string>;
  paragraphs: readonly string[];
  code: string;
  action: { label: string; address: string } | undefined;
  footer: string;
}

function partsOf(notification: Notification, site: SiteFacts): Parts {
  const language: LanguageTemplates = TEMPLATES[notification.language];
  const words = language.messages[notification.code];
  const texts = valueTexts(notification, site);
  const address = words.action === undefined ? "" : (texts.get(words.action.value) ?? "");
  return {
    words,
    texts,
    paragraphs: words.paragraphs.map((paragraph) => filled(paragraph, texts)),
    code: words.code === undefined ? "" : (texts.get(words.code) ?? ""),
    action: words.action === undefined || address === "" ? undefined : { label: words.action.label, address },
    footer: filled(language.footer, texts),
  };
}

const STYLE = {
  body: "margin:0;padding:24px 12px;background:#f4f5f8;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#10131a",
  card: "max-width:520px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #e7e9ef;border-radius:10px",
  site: "margin:0 0 18px;font-size:15px;font-weight:600",
  paragraph: "margin:0 0 14px;font-size:14px;line-height:22px;overflow-wrap:anywhere;white-space:pre-line",
  code: "margin:0 0 18px;padding:14px;background:#f4f5f8;border-radius:8px;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:26px;font-weight:600;letter-spacing:6px;text-align:center",
  action: "margin:4px 0 18px",
  button:
    "display:inline-block;padding:10px 18px;background:#4338ca;border-radius:8px;color:#ffffff;font-size:14px;font-weight:600;text-decoration:none",
  link: "margin:0 0 14px;font-size:12px;line-height:18px;color:#626c81;overflow-wrap:anywhere",
  footer: "max-width:520px;margin:14px auto 0;font-size:12px;line-height:18px;color:#626c81;text-align:center",
};

const block = (style: keyof typeof STYLE, text: string): string => `<p style="${STYLE[style]}">${escapeHtml(text)}</p>`;

function htmlOf({ texts, paragraphs, code, action, footer }: Parts, language: Language, subject: string): string {
  const button =
    action === undefined
      ? []
      : [
          `<p style="${STYLE.action}"><a href="${escapeHtml(action.address)}" style="${STYLE.button}">${escapeHtml(action.label)}</a></p>`,
          block("link", action.address),
        ];
  const content = [
    block("site", texts.get("site") ?? ""),
    ...(code === "" ? [] : [block("code", code)]),
    ...paragraphs.map((paragraph) => block("paragraph", paragraph)),
    ...button,
  ].join("\n");
  return [
    `<!doctype html>`,
    `<html lang="${language === "zh" ? "zh-CN" : "en"}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    `<body style="${STYLE.body}"><div style="${STYLE.card}">`,
    content,
    `</div>${block("footer", footer)}</body></html>`,
  ].join("\n");
}

/** The notification as a mail. */
export function renderMail(notification: Notification, site: SiteFacts): Mail {
  const parts = partsOf(notification, site);
  const subject = filled(parts.words.subject, parts.texts);
  const lines = [
    ...(parts.code === "" ? [] : [parts.code]),
    ...parts.paragraphs,
    ...(parts.action === undefined ? [] : [`${parts.action.label}: ${parts.action.address}`]),
    `-- \n${parts.footer}`,
  ];
  return { subject, text: lines.join("\n\n"), html: htmlOf(parts, notification.language, subject) };
}

/** Event names that receivers of this API family know; the other events use their own code. */
function wireType({ code, values }: Notification): string {
  if (code === "quota_warning") return "quota_exceed";
  if (code === "channel_disabled") return `channel_update_${values["id"]}_3`;
  return code === "channel_enabled" ? `channel_update_${values["id"]}_1` : code;
}

export interface WebhookBody {
  type: string;
  title: string;
  /** Each `{{value}}` stands for the next of `values`. */
  content: string;
  values: readonly string[];
  /** Unix seconds. */
  timestamp: number;
}

/** The notification as the JSON body of a webhook. */
export function renderWebhook(notification: Notification, site: SiteFacts): WebhookBody {
  const { words, texts, action } = partsOf(notification, site);
  const values: string[] = [];
  const sentences =
    action === undefined ? words.paragraphs : [...words.paragraphs, `${action.label}: {${words.action?.value ?? ""}}`];
  const content = sentences.join("\n").replaceAll(PLACEHOLDER, (_, name: string) => {
    values.push(texts.get(name) ?? "");
    return "{{value}}";
  });
  return {
    type: wireType(notification),
    title: filled(words.subject, texts),
    content,
    values,
    timestamp: notification.time,
  };
}

/** The notification as a title and a plain text, for receivers that show both as they are. */
export function renderText(notification: Notification, site: SiteFacts): { title: string; text: string } {
  const { words, texts, paragraphs, action } = partsOf(notification, site);
  const lines = action === undefined ? paragraphs : [...paragraphs, `${action.label}: ${action.address}`];
  return { title: filled(words.subject, texts), text: lines.join("\n") };
}
