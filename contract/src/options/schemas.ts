/** Shapes and defaults of the options that hold JSON. Used by the catalogue; JSON maps have no prototype, so no model name can collide with one. */
import { dayStart, MOST_RETIREMENTS } from "../pricing/retirement.ts";
import { z } from "zod";
import { specialGroupOf } from "../group-rules.ts";
import { because, type OptionReason } from "./reasons.ts";
import { activePartOf } from "./content.ts";
import { isWebAddress } from "./kinds.ts";
import { ANNOUNCEMENT_KINDS, API_ADDRESS_COLORS, SITE_CONTENT_BOUNDS } from "./site-content.ts";

function withoutPrototype<Value>(map: Record<string, Value>): Readonly<Record<string, Value>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, map));
}

/** Entries of the top bar (bar-entries.ts): shown or hidden, and for the price list whether it wants a login. */
export const headerEntriesSchema = z
  .record(
    z.string(),
    z.union([z.boolean(), z.strictObject({ enabled: z.boolean(), requireAuth: z.boolean() }).partial()], {
      error: because("boolean"),
    }),
    { error: because("map") },
  )
  .transform(withoutPrototype);

/** Entries of the side bar (bar-entries.ts) by group: shown or hidden. */
export const sidebarEntriesSchema = z
  .record(
    z.string(),
    z
      .record(z.string(), z.boolean({ error: because("boolean") }), { error: because("map") })
      .transform(withoutPrototype),
    { error: because("map") },
  )
  .transform(withoutPrototype);

const decimalText = z.string({ error: because("number") });
const isNotNegative = (decimal: string): boolean => !decimal.startsWith("-");

/** Prices or ratios by name, as decimal text of at least 0. Numbers arrive as text (`keepsDecimals`). */
export const decimalMapSchema = z
  .record(z.string(), decimalText.refine(isNotNegative, because("smallest")), { error: because("map") })
  .transform(withoutPrototype);

/** Ratios of a group by the group of its users, as decimal text of at least 0. Numbers arrive as text (`keepsDecimals`). */
export const decimalPairsSchema = z
  .record(z.string(), decimalMapSchema, { error: because("map") })
  .transform(withoutPrototype);

type SpecialGroups = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The first name that says of a group's users what another name of theirs says too, or that their own group is taken from them. */
function refuseContradictions(table: SpecialGroups, context: z.core.$RefinementCtx): void {
  for (const [userGroup, names] of Object.entries(table)) {
    const seen = new Set<string>();
    for (const name of Object.keys(names)) {
      const { group, isTaken } = specialGroupOf(name);
      const reason = specialGroupReason(group, seen, isTaken && group === userGroup);
      if (reason !== undefined)
        context.addIssue({ code: "custom", message: because(reason), path: [userGroup, name], input: names[name] });
      seen.add(group);
    }
  }
}

function specialGroupReason(group: string, seen: ReadonlySet<string>, isOwnTaken: boolean): OptionReason | undefined {
  if (group === "") return "group_missing";
  if (isOwnTaken) return "own_group_taken";
  return seen.has(group) ? "group_twice" : undefined;
}

/** By group of users: names of groups with `+:` or `-:` before them, to the description that is shown where a group is added. */
export const specialGroupsSchema = z
  .record(z.string(), z.record(z.string(), z.string(), { error: because("map") }).transform(withoutPrototype), {
    error: because("map"),
  })
  .superRefine(refuseContradictions)
  .transform(withoutPrototype);

/** More tiers than any vendor has. */
const MAX_TIERS = 8;
const decimal = decimalText.refine(isNotNegative, because("smallest"));
const tokenBound = decimalText.refine((text) => /^[1-9]\d{0,8}$/.test(text), because("tier_bound"));

/** Prices of long contexts by model: above so many input tokens, these ratios hold for the whole call. Numbers arrive as text. */
export const contextTiersSchema = z
  .record(
    z.string(),
    z
      .array(
        z.strictObject({
          above: tokenBound,
          ratio: decimal,
          completion: decimal,
          cache: decimal,
          cache_creation: decimal,
        }),
      )
      .min(1, because("tier_count"))
      .max(MAX_TIERS, because("tier_count"))
      .refine((tiers) => new Set(tiers.map(({ above }) => above)).size === tiers.length, because("tier_twice")),
    { error: because("map") },
  )
  .transform(withoutPrototype);

/** Text by group or model. */
export const textMapSchema = z.record(z.string(), z.string(), { error: because("map") }).transform(withoutPrototype);

/** Number of tokens by model. */
export const tokenCountMapSchema = z
  .record(z.string(), z.int().min(1), { error: because("map") })
  .transform(withoutPrototype);

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: because("header_name") });
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, { error: because("header_value") });

/** Extra headers for Anthropic, by model. */
export const modelHeadersSchema = z
  .record(z.string(), z.record(headerName, z.array(headerValue)), { error: because("map") })
  .transform(withoutPrototype);

/** The day of its retirement by model. */
export const retirementDaysSchema = z
  .record(
    z.string().min(1, because("text")).max(255, because("long_name")),
    z.string().refine((day) => !Number.isNaN(dayStart(day)), because("day")),
    { error: because("map") },
  )
  .refine((days) => Object.keys(days).length <= MOST_RETIREMENTS, because("many_entries"))
  .transform(withoutPrototype);

export const nameListSchema = z.array(z.string(), { error: because("list") });

/** By group, [most requests, most successful requests] in the window; 0 requests is unlimited, successes are at least 1. */
export const rateLimitGroupSchema = z
  .record(z.string(), z.tuple([z.int().min(0), z.int().min(1)], { error: because("two_numbers") }), {
    error: because("map"),
  })
  .transform(withoutPrototype);

const SCRIPT_SCHEME = /^(?:javascript|data|vbscript|blob|file):/i;

/** One link of the chat menu: its name, mapped to a template with {key} and {address}. */
const chatSchema = z
  .record(
    z.string().min(1, because("link_name")),
    // Browsers ignore blanks and control characters inside a scheme.
    z.string().refine((template) => !SCRIPT_SCHEME.test(template.replace(/[\s\p{Cc}]/gu, "")), because("link_scheme")),
  )
  .refine((entry) => Object.keys(entry).length === 1, because("link_name"));

export const chatsSchema = z.array(chatSchema, { error: because("list") });

/** A text that the console draws: without active content, and of so many characters at most. */
const shownText = (maximumLength: number) =>
  z
    .string()
    .max(maximumLength)
    .refine((text) => activePartOf(text) === undefined, because("active_text"));
const neededText = (maximumLength: number) =>
  shownText(maximumLength).refine((text) => text.trim() !== "", because("text"));

/** Editors of this API family number the entries; the number means nothing here. */
const entryNumber = z.int().optional();

const BOUNDS = SITE_CONTENT_BOUNDS;

/** Announcements of the dashboard, in any order. */
export const announcementsSchema = z
  .array(
    z.strictObject({
      id: entryNumber,
      content: neededText(BOUNDS.contentLength),
      publishDate: z.iso.datetime({ offset: true, error: because("moment") }),
      type: z.enum(ANNOUNCEMENT_KINDS).default("default"),
      extra: shownText(BOUNDS.extraLength).default(""),
    }),
  )
  .max(BOUNDS.announcements);

/** Questions with their answers, in the order in which they are shown. */
export const questionsSchema = z
  .array(
    z.strictObject({
      id: entryNumber,
      question: neededText(BOUNDS.questionLength),
      answer: neededText(BOUNDS.answerLength),
    }),
  )
  .max(BOUNDS.questions);

const hasLogin = (address: string): boolean => {
  const url = URL.parse(address);
  return url !== null && (url.username !== "" || url.password !== "");
};

/** Addresses at which clients reach this gateway, in the order in which they are shown. */
export const apiAddressesSchema = z
  .array(
    z.strictObject({
      id: entryNumber,
      url: z
        .string()
        .max(BOUNDS.urlLength)
        .refine(isWebAddress, because("web_address"))
        .refine((address) => !hasLogin(address), because("address_login")),
      route: neededText(BOUNDS.routeLength),
      description: neededText(BOUNDS.descriptionLength),
      color: z.enum(API_ADDRESS_COLORS),
    }),
  )
  .max(BOUNDS.addresses);

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
