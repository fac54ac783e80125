/** Endpoints of password login, logout, and confirming one's identity again (step-up). */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { PERMISSIONS } from "../permissions.ts";
import { REQUIRED_ACTIONS } from "../roles.ts";

// What browser and server send each other about a passkey (Web Authentication, level 3), as the JSON forms of the browser write it.

/** What a login or a challenge hands out and takes back once. */
export const ticketText = z.string().min(1).max(100);
const encoded = (mostBytes: number) =>
  z
    .string()
    .max(Math.ceil((mostBytes * 4) / 3))
    .regex(/^[\w-]*$/);

const credential = { id: encoded(1023), rawId: encoded(1023), type: z.literal("public-key") };

/** What `navigator.credentials.create` made, as its toJSON writes it. */
export const createdCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: encoded(4000),
    attestationObject: encoded(60_000),
    transports: z.array(z.string().max(20)).max(8).default([]),
  }),
});
export type CreatedCredential = z.output<typeof createdCredential>;

/** What `navigator.credentials.get` signed, as its toJSON writes it. */
const shownCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: encoded(4000),
    authenticatorData: encoded(4000),
    signature: encoded(4000),
    userHandle: encoded(64).optional(),
  }),
});

/** A challenge that was answered: the ticket it was given with, and the answer. */
export const passkeyProof = z.object({ ticket: ticketText, credential: shownCredential });
export type PasskeyProof = z.output<typeof passkeyProof>;

/** A challenge: `options` go to the browser's navigator.credentials as they are, `ticket` comes back with the answer. Counts once, 10 minutes. */
export const passkeyChallenge = z.object({ ticket: z.string(), options: z.record(z.string(), z.unknown()) });

/** What a second step of signing in may be done with. */
export const SECOND_STEP_METHODS = ["totp", "recovery", "passkey"] as const;
export type SecondStepMethod = (typeof SECOND_STEP_METHODS)[number];

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
  /** What this session has to do before anything else; "" nothing. */
  required_action: z.enum(["", ...REQUIRED_ACTIONS]).default(""),
  /** What the account may do as an administrator; empty below. */
  admin_permissions: z.array(z.enum(PERMISSIONS)).default([]),
  /** True if no session has begun yet: every field above is blank, and the ticket is for the second step. */
  require_second_factor: z.boolean().default(false),
  /** Counts 10 minutes. */
  ticket: z.string().default(""),
  methods: z.array(z.enum(SECOND_STEP_METHODS)).default([]),
  /** How many recovery codes are left, where one of them ended this login. */
  recovery_codes_left: z.number().optional(),
});
export type LoginUser = z.input<typeof loginUserSchema>;

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
  summary:
    "Make an account with username and password, and log in with it as a login does; `data` is null where passwords do not log in on this site",
  query: z.object({ turnstile: text }),
  body: z.object({
    username: nameText.default(""),
    password: longText,
    /** The same again; compared where it is sent. */
    password2: z.string().optional(),
    /** Used, and wanted, where the site verifies addresses. */
    email: longText,
    verification_code: longText,
    /** `terms_version` of the status, by which the user agreement and privacy policy are accepted; needed where it is not empty. */
    terms_version: z.string().max(64).default(""),
    /** Invitation code of the link that led here; an unknown one is ignored. */
    aff_code: longText,
  }),
  data: loginUserSchema.nullable(),
  rateLimit: "register",
});

export const acceptInvitation = endpoint({
  method: "POST",
  path: "/api/invitation/accept",
  access: "public",
  object: "none",
  summary:
    "Make the account of an invitation, also while registration is closed, and log in with it as a login does; `data` is null where passwords do not log in on this site",
  body: z.object({
    /** Of the link. */
    token: z.string().max(64),
    username: nameText.default(""),
    password: z.string().max(400).default(""),
    /** `terms_version` of the status, by which the user agreement and privacy policy are accepted; needed where it is not empty. */
    terms_version: z.string().max(64).default(""),
  }),
  data: loginUserSchema.nullable(),
  rateLimit: "register",
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
  summary: "Take the link of the mail: a new password, which ends every session and access token of the account",
  body: z.object({ email: longText, token: longText }),
  /** The new password, shown only here; temporary if the site has TemporaryPasswordsEnabled. */
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
  openBefore: REQUIRED_ACTIONS,
});

export const logoutByGet = endpoint({
  method: "GET",
  path: "/api/user/logout",
  access: "optional",
  object: "self",
  summary: "Log out (the form older clients use)",
  changesState: true,
  openInDemo: true,
  openBefore: REQUIRED_ACTIONS,
});

export const confirmPassword = endpoint({
  method: "POST",
  path: "/api/user/confirm",
  access: "user",
  object: "self",
  summary: "Confirm by password, code of the authenticator app or passkey, for what a session alone may not do",
  body: z.object({
    password: z.string().optional(),
    /** Of the authenticator app. */
    code: z.string().max(20).optional(),
    passkey: passkeyProof.optional(),
  }),
  data: z.object({
    /** Unix seconds until which the confirmation counts. */
    confirmed_until: z.number(),
  }),
  rateLimit: "confirm",
  openInDemo: true,
  openBefore: REQUIRED_ACTIONS,
});
