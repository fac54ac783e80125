/** The own account: profile, password, access token, models, settings. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { LANGUAGES, testMessageResult } from "../notifications.ts";
import { userRow } from "./users.ts";

export const PASSWORD_MIN = 8;
export const USERNAME_MAX = 12;
export const DISPLAY_NAME_MAX = 20;

/** What is kept as JSON text in users.setting. `webhook_secret` is write-only. */
export const userSetting = z.object({
  notify_type: z.enum(["email", "webhook"]).default("email"),
  /** Quota; a warning is sent when the balance falls below. 0: the site's option QuotaRemindThreshold holds. */
  quota_warning_threshold: z.number().default(0),
  webhook_url: z.string().default(""),
  notification_email: z.string().default(""),
  accept_unset_model_ratio_model: z.boolean().default(false),
  /** Whether a webhook secret is stored. */
  webhook_secret_set: z.boolean().default(false),
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
  has_access_token: z.boolean(),
});
export type SelfRow = z.output<typeof selfRow>;

export const getSelf = endpoint({
  method: "GET",
  path: "/api/user/self",
  access: "user",
  object: "self",
  summary: "The own account",
  data: selfRow,
});

export const updateSelf = endpoint({
  method: "PUT",
  path: "/api/user/self",
  access: "user",
  object: "self",
  summary: "Changes the named fields that are sent; a new password needs the old one and ends all other sessions",
  body: z.object({
    username: nameText.optional(),
    display_name: nameText.optional(),
    password: z.string().max(200).optional(),
    original_password: z.string().max(200).optional(),
  }),
});

export const ownModels = endpoint({
  method: "GET",
  path: "/api/user/models",
  access: "user",
  object: "self",
  summary: "Names of the models the user can call in any group open to them",
  data: z.array(z.string()),
});

const accessToken = {
  access: "user",
  object: "self",
  summary: "Makes a new access token and shows it this once; the old one ends",
  data: z.string(),
} as const;

export const createAccessTokenByGet = endpoint({
  method: "GET",
  path: "/api/user/token",
  changesState: true,
  ...accessToken,
});
export const createAccessToken = endpoint({ method: "POST", path: "/api/user/token", ...accessToken });

export const updateSetting = endpoint({
  method: "PUT",
  path: "/api/user/setting",
  access: "user",
  object: "self",
  summary: "Notification and price settings; fields that are not sent stay",
  body: z.object({
    notify_type: z.string().optional(),
    quota_warning_threshold: z.number().optional(),
    webhook_url: z.string().max(2000).optional(),
    /** Blank keeps the stored one. */
    webhook_secret: z.string().max(500).optional(),
    notification_email: z.string().max(254).optional(),
    accept_unset_model_ratio_model: z.boolean().optional(),
    language: z.enum(LANGUAGES).optional(),
  }),
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
  summary: "Makes an email address the account's own, by the code that was sent there; the address before it is told",
  // Whoever reads the mail of an account resets its password, so a session alone does not change where it goes.
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
  summary: "Sends a test message at once to where the stored setting says, and tells what the receiver answered",
  data: testMessageResult,
  rateLimit: "message",
});
