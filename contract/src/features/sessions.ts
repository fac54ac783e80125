/** Endpoints of logging in with a password, logging out, and confirming the password again. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";

/** The user as the console stores it after a login: who they are; everything else is blank by contract. */
export const loginUserSchema = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  group: z.string(),
  password: z.literal("").default(""),
  email: z.literal("").default(""),
  github_id: z.literal("").default(""),
  oidc_id: z.literal("").default(""),
  wechat_id: z.literal("").default(""),
  telegram_id: z.literal("").default(""),
  linux_do_id: z.literal("").default(""),
  quota: z.literal(0).default(0),
  used_quota: z.literal(0).default(0),
  request_count: z.literal(0).default(0),
  aff_count: z.literal(0).default(0),
  aff_quota: z.literal(0).default(0),
  aff_history_quota: z.literal(0).default(0),
  inviter_id: z.literal(0).default(0),
  DeletedAt: z.null().default(null),
  setting: z.literal("").default(""),
  /** True for the well-known first credentials, which the console warns about. */
  default_credentials: z.boolean(),
});

const text = z.string().default("");

export const login = endpoint({
  method: "POST",
  path: "/api/user/login",
  access: "public",
  object: "none",
  summary: "Log in with username or email and password",
  query: z.object({ turnstile: text }),
  body: z.object({ username: text, password: text }),
  data: loginUserSchema,
  rateLimit: "login",
  openInDemo: true,
});

/** What a field cannot hold is refused before anything is looked up. */
const longText = z.string().max(400).default("");

export const register = endpoint({
  method: "POST",
  path: "/api/user/register",
  access: "public",
  object: "none",
  summary: "Make an account with username and password",
  query: z.object({ turnstile: text }),
  body: z.object({
    username: nameText.default(""),
    password: longText,
    /** The same again; compared where it is sent. */
    password2: z.string().optional(),
    /** Used, and wanted, where the site verifies addresses. */
    email: longText,
    verification_code: longText,
    /** Of the link that led here; one that nobody has is ignored. */
    aff_code: longText,
  }),
  rateLimit: "login",
});

const emailCode = {
  path: "/api/verification",
  access: "public",
  object: "none",
  query: z.object({ email: longText, turnstile: text }),
  rateLimit: "code",
} as const;

export const sendEmailCode = endpoint({
  ...emailCode,
  method: "POST",
  summary: "Send a code to an email address, to prove that it is one's own",
});

export const sendEmailCodeByGet = endpoint({
  ...emailCode,
  method: "GET",
  changesState: true,
  summary: "Send a code to an email address (the form older clients use)",
});

const resetRequest = {
  path: "/api/reset_password",
  access: "public",
  object: "none",
  query: z.object({ email: longText, turnstile: text }),
  rateLimit: "reset",
} as const;

export const requestReset = endpoint({
  ...resetRequest,
  method: "POST",
  summary: "Send a link that resets the password of the account with this email address",
});

export const requestResetByGet = endpoint({
  ...resetRequest,
  method: "GET",
  changesState: true,
  summary: "Send a link that resets a password (the form older clients use)",
});

export const resetPassword = endpoint({
  method: "POST",
  path: "/api/user/reset",
  access: "public",
  object: "none",
  summary: "Take the link of the mail: a new password, which ends every session and the access token of the account",
  body: z.object({ email: longText, token: longText }),
  /** The new password, told this once. */
  data: z.string(),
  rateLimit: "reset",
});

export const logout = endpoint({
  method: "POST",
  path: "/api/user/logout",
  access: "optional",
  object: "self",
  summary: "Log out: the session ends on the server",
  openInDemo: true,
});

export const logoutByGet = endpoint({
  method: "GET",
  path: "/api/user/logout",
  access: "optional",
  object: "self",
  summary: "Log out (the form older clients use)",
  changesState: true,
  openInDemo: true,
});

export const confirmPassword = endpoint({
  method: "POST",
  path: "/api/user/confirm",
  access: "user",
  object: "self",
  summary: "Confirm the password once more, for what a session alone may not do",
  body: z.object({ password: z.string().min(1) }),
  data: z.object({
    /** Unix seconds until which the confirmation counts. */
    confirmed_until: z.number(),
  }),
  rateLimit: "confirm",
  openInDemo: true,
});
