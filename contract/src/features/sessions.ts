/** Endpoints of logging in with a password, logging out, and confirming the password again. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

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
