/** Shapes and defaults of the options that hold JSON. Used by the catalogue; JSON maps have no prototype, so no model name can collide with one. */
import { z } from "zod";

function withoutPrototype<Value>(map: Record<string, Value>): Readonly<Record<string, Value>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, map));
}

const decimalText = z.string({ error: "Please enter a number" });
const isNotNegative = (decimal: string): boolean => !decimal.startsWith("-");

/** Prices or ratios by name, as decimal text of at least 0. Numbers arrive as text (`keepsDecimals`). */
export const decimalMapSchema = z
  .record(z.string(), decimalText.refine(isNotNegative, "The smallest value is 0"), { error: "Please give a JSON map" })
  .transform(withoutPrototype);

/** Text by group or model. */
export const textMapSchema = z
  .record(z.string(), z.string(), { error: "Please give a JSON map" })
  .transform(withoutPrototype);

/** Number of tokens by model. */
export const tokenCountMapSchema = z
  .record(z.string(), z.int().min(1), { error: "Please give a JSON map" })
  .transform(withoutPrototype);

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: "Please give header names without blanks" });
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, { error: "Please give header values in plain ASCII" });

/** Extra headers for Anthropic, by model. */
export const modelHeadersSchema = z
  .record(z.string(), z.record(headerName, z.array(headerValue)), { error: "Please give a JSON map" })
  .transform(withoutPrototype);

export const nameListSchema = z.array(z.string(), { error: "Please give a JSON list" });

/** By group, [most requests, most successful requests] in the window; 0 requests is unlimited, successes are at least 1. */
export const rateLimitGroupSchema = z
  .record(z.string(), z.tuple([z.int().min(0), z.int().min(1)]), { error: "Please give a JSON map" })
  .transform(withoutPrototype);

const SCRIPT_SCHEME = /^(?:javascript|data|vbscript|blob|file):/i;

/** One link of the chat menu: its name, mapped to a template with {key} and {address}. */
const chatSchema = z
  .record(
    z.string().min(1),
    // Browsers ignore blanks and control characters inside a scheme.
    z
      .string()
      .refine(
        (template) => !SCRIPT_SCHEME.test(template.replace(/[\s\p{Cc}]/gu, "")),
        "This kind of link is not allowed",
      ),
  )
  .refine((entry) => Object.keys(entry).length === 1, "Each entry has exactly one name");

export const chatsSchema = z.array(chatSchema, { error: "Please give a JSON list" });

/** Link templates of public chat clients; `{key}` and `{address}` are filled in by the console. */
export const DEFAULT_CHATS = [
  { NextChat: 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  {
    "Lobe Chat":
      'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
  },
  {
    "AI as Workspace":
      'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { AMA: "ama://set-api-key?server={address}&key={key}" },
  { OpenCat: "opencat://team/join?domain={address}&token={key}" },
];

/** Phrases by which upstreams say that a key or account is exhausted or closed (compared in lower case). */
export const DEFAULT_DISABLE_KEYWORDS = [
  "your credit balance is too low",
  "this organization has been disabled",
  "you exceeded your current quota",
  "permission denied",
  "the security token included in the request is invalid",
  "operation not allowed",
  "your account is not authorized",
];

export const DEFAULT_EMAIL_DOMAINS = [
  "gmail.com",
  "163.com",
  "126.com",
  "qq.com",
  "outlook.com",
  "hotmail.com",
  "icloud.com",
  "yahoo.com",
  "foxmail.com",
];
