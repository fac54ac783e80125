/** Endpoints of the own account: profile, password, access tokens, models, settings. */
import { z } from "zod";
import { SIDEBAR_TEXT_MAX } from "../bar-entries.ts";
import { USERNAME_MAXIMUM_LENGTH } from "../constants.ts";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { PERMISSIONS } from "../permissions.ts";
import { pathId, queryInteger } from "../query.ts";
import { REQUIRED_ACTIONS } from "../roles.ts";
import { NOTIFICATION_WAY_NAMES } from "../notification-ways.ts";
import { LANGUAGES, testMessageResult } from "../notifications.ts";
import { SECURITY_EVENT_KINDS } from "../security-events.ts";
import { userRow } from "./users.ts";

/** As long as a user name, which it begins as. */
export const DISPLAY_NAME_MAX = USERNAME_MAXIMUM_LENGTH;

/**
 * The setting as its owner sees it: of secrets whether there is one (`…_set`), of sealed addresses a masked form that may be sent back and
 * changes nothing. The fields of each way are in NOTIFICATION_WAYS.
 */
export const userSetting = z.object({
  notify_type: z.enum(NOTIFICATION_WAY_NAMES).default("email"),
  /** Quota; a warning is sent when the balance falls below. 0: the site's option QuotaRemindThreshold holds. */
  quota_warning_threshold: z.number().default(0),
  notification_email: z.string().default(""),
  webhook_url: z.string().default(""),
  webhook_secret_set: z.boolean().default(false),
  telegram_bot_token_set: z.boolean().default(false),
  telegram_chat_id: z.string().default(""),
  bark_url: z.string().default(""),
  gotify_url: z.string().default(""),
  gotify_token_set: z.boolean().default(false),
  gotify_priority: z.number().default(5),
  lark_url: z.string().default(""),
  lark_secret_set: z.boolean().default(false),
  dingtalk_url: z.string().default(""),
  dingtalk_secret_set: z.boolean().default(false),
  wecom_url: z.string().default(""),
  accept_unset_model_ratio_model: z.boolean().default(false),
  /** Whether rows of the own calls have the client's address; they all do where the site requires it (option ClientAddressLogRequired). */
  record_ip_log: z.boolean().default(true),
  /** A statement of each month, where the site sends them (option MonthlyStatementEnabled). */
  monthly_statement: z.boolean().default(false),
  /** JSON text of the side bar's entries that the person shows and hides (bar-entries.ts); "" shows all that the site shows. */
  sidebar_modules: z.string().default(""),
  /** Of messages to this account. */
  language: z.enum(LANGUAGES).default("en"),
});
export type UserSetting = z.output<typeof userSetting>;

export const selfRow = userRow.extend({
  DeletedAt: z.null(),
  /** JSON text of userSetting. */
  setting: z.string(),
  /** False for an account that has only third-party log-ins: setting the first password needs no old one. */
  has_password: z.boolean(),
  /** Whether there is any access token. */
  has_access_token: z.boolean(),
  /** What the account must do before anything else; "" for nothing. */
  required_action: z.enum(["", ...REQUIRED_ACTIONS]),
  /** What the account may do as an administrator; empty below. */
  admin_permissions: z.array(z.enum(PERMISSIONS)),
});
export type SelfRow = z.output<typeof selfRow>;

export const getSelf = endpoint({
  method: "GET",
  path: "/api/user/self",
  access: "user",
  object: "self",
  summary: "The own account",
  data: selfRow,
  openBefore: REQUIRED_ACTIONS,
});

export const updateSelf = endpoint({
  method: "PUT",
  path: "/api/user/self",
  access: "user",
  object: "self",
  summary:
    "Changes the named fields that are sent; a new password needs the old one, or a confirmation where there is none, and ends all other sessions and access tokens; a new user name needs a confirmation",
  body: z.object({
    username: nameText.optional(),
    display_name: nameText.optional(),
    password: z.string().max(400).optional(),
    original_password: z.string().max(400).optional(),
    /** The same as of the setting, where new-api's console sends it. */
    sidebar_modules: z.string().max(SIDEBAR_TEXT_MAX).optional(),
  }),
  openBefore: REQUIRED_ACTIONS,
  fieldsBefore: ["password", "original_password"],
});

export const ownModels = endpoint({
  method: "GET",
  path: "/api/user/models",
  access: "user",
  object: "self",
  summary: "Names of the models the user can call in any group open to them",
  data: z.array(z.string()),
});

/**
 * What an access token may be used for. `read`: what changes nothing. `manage`: that, and changes of what is the user's own. `admin`:
 * all that the role allows. None gives more than the owner's role has at that moment, and none confirms an identity or changes what
 * signs them in.
 */
export const ACCESS_TOKEN_SCOPES = ["read", "manage", "admin"] as const;
export type AccessTokenScope = (typeof ACCESS_TOKEN_SCOPES)[number];

/** Most access tokens of an account. */
export const ACCESS_TOKEN_LIMIT = 20;
export const ACCESS_TOKEN_NAME_MAX = 40;

const accessTokenRow = z.object({
  id: z.number(),
  name: z.string(),
  scope: z.enum(ACCESS_TOKEN_SCOPES),
  /** Unix seconds; 0 for one that an older version made. */
  created_time: z.number(),
  /** Unix seconds, up to five minutes old; 0 never. */
  used_time: z.number(),
  /** Unix seconds; 0 never. */
  expires_time: z.number(),
});
export type AccessTokenRow = z.output<typeof accessTokenRow>;

export const listAccessTokens = endpoint({
  method: "GET",
  path: "/api/user/self/access_tokens",
  access: "user",
  object: "self",
  summary: "The access tokens of the own account, the latest made first; never their values",
  data: z.array(accessTokenRow),
});

export const makeAccessToken = endpoint({
  method: "POST",
  path: "/api/user/self/access_tokens",
  access: "user",
  object: "self",
  summary: "Makes an access token and shows its value this once; at most 20 an account",
  body: z.object({
    name: nameText.pipe(z.string().trim().min(1).max(ACCESS_TOKEN_NAME_MAX)),
    scope: z.enum(ACCESS_TOKEN_SCOPES),
    /** Unix seconds, in the future; 0 never. */
    expires_time: z.int().min(0).default(0),
  }),
  data: accessTokenRow.extend({ value: z.string() }),
  stepUp: true,
  rateLimit: "confirm",
});

export const endAccessToken = endpoint({
  method: "DELETE",
  path: "/api/user/self/access_tokens/{id}",
  access: "user",
  object: "own",
  summary: "Ends one access token of the own account",
  params: pathId,
  sessionOnly: true,
});

const accessToken = {
  access: "user",
  object: "self",
  summary:
    "Makes the access token named API, of scope admin, and shows it this once; the one of this name before it ends (the form older clients use)",
  data: z.string(),
  stepUp: true,
  rateLimit: "confirm",
} as const;

export const createAccessTokenByGet = endpoint({
  method: "GET",
  path: "/api/user/token",
  changesState: true,
  ...accessToken,
});
export const createAccessToken = endpoint({ method: "POST", path: "/api/user/token", ...accessToken });

/** Fields that are not sent stay. A blank secret or sealed address keeps the stored one; an address that changes clears the secret that went to it. */
const sentSetting = z.object({
  notify_type: z.string().optional(),
  quota_warning_threshold: z.number().optional(),
  notification_email: z.string().max(254).optional(),
  webhook_url: z.string().max(2000).optional(),
  webhook_secret: z.string().max(500).optional(),
  telegram_bot_token: z.string().max(500).optional(),
  telegram_chat_id: z.string().max(64).optional(),
  bark_url: z.string().max(2000).optional(),
  gotify_url: z.string().max(2000).optional(),
  gotify_token: z.string().max(500).optional(),
  gotify_priority: z.number().optional(),
  lark_url: z.string().max(2000).optional(),
  lark_secret: z.string().max(500).optional(),
  dingtalk_url: z.string().max(2000).optional(),
  dingtalk_secret: z.string().max(500).optional(),
  wecom_url: z.string().max(2000).optional(),
  accept_unset_model_ratio_model: z.boolean().optional(),
  record_ip_log: z.boolean().optional(),
  monthly_statement: z.boolean().optional(),
  sidebar_modules: z.string().max(SIDEBAR_TEXT_MAX).optional(),
  language: z.enum(LANGUAGES).optional(),
});
export type SentSetting = z.output<typeof sentSetting>;

export const updateSetting = endpoint({
  method: "PUT",
  path: "/api/user/setting",
  access: "user",
  object: "self",
  summary:
    "Notification and price settings; fields that are not sent stay; another address or webhook secret needs a confirmation",
  body: sentSetting,
});

export const getInviteCode = endpoint({
  method: "GET",
  path: "/api/user/aff",
  access: "user",
  object: "self",
  summary: "The code of the own invitation link",
  data: z.string(),
});

export const sendOwnEmailCode = endpoint({
  method: "POST",
  path: "/api/user/email_code",
  access: "user",
  object: "self",
  summary: "Sends a code to an email address that shall become the account's own",
  body: z.object({ email: z.string().max(400).default("") }),
  rateLimit: "message",
});

const emailBinding = {
  path: "/api/oauth/email/bind",
  access: "user",
  object: "self",
  summary: "Makes an email address the account's own, by the code that was sent there; the former address is notified",
  // Who reads an account's mail can reset its password, so a session alone does not change the address.
  stepUp: true,
  rateLimit: "confirm",
} as const;
const provenEmail = z.object({ email: z.string().max(400).default(""), code: z.string().max(100).default("") });

export const bindEmailByGet = endpoint({ ...emailBinding, method: "GET", changesState: true, query: provenEmail });
export const bindEmail = endpoint({ ...emailBinding, method: "POST", body: provenEmail });

export const transferRewards = endpoint({
  method: "POST",
  path: "/api/user/aff_transfer",
  access: "user",
  object: "self",
  summary: "Moves rewards of invitations to the balance; of several sent at once one is posted",
  body: z.object({
    /** Whole units, at least one QuotaPerUnit. */
    quota: z.number(),
  }),
});

export const deleteSelf = endpoint({
  method: "DELETE",
  path: "/api/user/self",
  access: "user",
  object: "self",
  summary: "Deletes the own account: its sessions and tokens end; the super administrator's is refused",
  stepUp: true,
});

export const sendTestMessage = endpoint({
  method: "POST",
  path: "/api/user/setting/test",
  access: "user",
  object: "self",
  summary:
    "Sends a test message at once to where the stored setting says, changed by the fields that are sent but not stored, and says what the receiver answered; another address needs a confirmation",
  body: sentSetting,
  data: testMessageResult,
  rateLimit: "message",
});

/** A row of the security log. */
export const securityEvent = z.object({
  id: z.number(),
  kind: z.enum(SECURITY_EVENT_KINDS),
  /** Whose account; 0 where none is known. */
  user_id: z.number(),
  username: z.string(),
  /** The other user who acted; 0 for the account's own user and for anonymous clients. */
  actor_id: z.number(),
  /** Of the client: IPv4 /24 or IPv6 /56. */
  network: z.string(),
  way: z.string(),
  reason: z.string(),
  /** How often it came within the hour; refusals that are alike are added up. */
  count: z.number(),
  /** Unix seconds. */
  created_time: z.number(),
  last_time: z.number(),
});
export type SecurityEventRow = z.output<typeof securityEvent>;

/** Rows of one answer. */
export const SECURITY_EVENTS_PAGE = 20;
const securityLog = { method: "GET", query: z.object({ before: queryInteger }), data: z.array(securityEvent) } as const;

export const ownSecurityEvents = endpoint({
  ...securityLog,
  path: "/api/user/self/security_events",
  access: "user",
  object: "self",
  summary:
    "The security log of the own account, the newest first, twenty at a time; `before` is the id of the last one read",
});

export const allSecurityEvents = endpoint({
  ...securityLog,
  path: "/api/user/security_events",
  access: "root",
  object: "site",
  summary: "The security log of all accounts and strangers, the newest first, twenty at a time",
});
