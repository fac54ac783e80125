/**
 * Endpoints of second factors and confirmation: authenticator apps, recovery codes, passkeys, the second step of signing in, and the own sessions.
 */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { pathId } from "../query.ts";
import { REQUIRED_ACTIONS } from "../roles.ts";
import { createdCredential, loginUserSchema, passkeyChallenge, passkeyProof, ticketText } from "./sessions.ts";

/** Most passkeys of an account. */
export const PASSKEY_LIMIT = 20;
export const PASSKEY_NAME_MAX = 40;
export const RECOVERY_CODE_COUNT = 8;

const passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** Unix seconds. */
  created_time: z.number(),
  /** Unix seconds; 0 never. */
  used_time: z.number(),
  /** Whether its maker keeps it on several devices. */
  is_synced: z.boolean(),
});
export type Passkey = z.output<typeof passkey>;

const self = { access: "user", object: "self" } as const;

export const ownFactors = endpoint({
  ...self,
  method: "GET",
  path: "/api/user/self/factors",
  summary: "What the own account can prove itself by",
  data: z.object({
    has_password: z.boolean(),
    /** Unix seconds since when signing in asks for a code; 0 it does not. */
    totp_time: z.number(),
    /** Recovery codes that were not used yet. */
    recovery_codes: z.number(),
    passkeys: z.array(passkey),
  }),
  openBefore: REQUIRED_ACTIONS,
});

export const beginTotp = endpoint({
  ...self,
  method: "POST",
  path: "/api/user/self/totp",
  summary: "Makes a secret for an authenticator app and shows it this once; it counts from its first right code on",
  data: z.object({
    /** Base32. */
    secret: z.string(),
    /** otpauth:// address with the same secret, for a QR code. */
    address: z.string(),
  }),
  stepUp: true,
  openBefore: ["second_factor"],
});

const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const confirmTotp = endpoint({
  ...self,
  method: "POST",
  path: "/api/user/self/totp/confirm",
  summary: "Turns the second step on by a code of the new secret; answers recovery codes, which are shown this once",
  body: z.object({ code: z.string().max(20) }),
  data: recoveryCodes,
  sessionOnly: true,
  rateLimit: "confirm",
  openBefore: ["second_factor"],
});

export const disableTotp = endpoint({
  ...self,
  method: "DELETE",
  path: "/api/user/self/totp",
  summary: "Turns the second step off; its recovery codes end",
  stepUp: true,
});

export const renewRecoveryCodes = endpoint({
  ...self,
  method: "POST",
  path: "/api/user/self/recovery_codes",
  summary: "Makes new recovery codes and shows them this once; the old ones end",
  data: recoveryCodes,
  stepUp: true,
});

export const secondStep = endpoint({
  method: "POST",
  path: "/api/user/login/second_step",
  access: "public",
  object: "none",
  summary: "Ends a login that asked for a second factor, with a code of the authenticator app or a recovery code",
  body: z.object({ ticket: ticketText, code: z.string().max(40) }),
  data: loginUserSchema,
  rateLimit: "login",
  openInDemo: true,
});

export const beginPasskey = endpoint({
  ...self,
  method: "POST",
  path: "/api/user/self/passkeys/challenge",
  summary: "A challenge for a new passkey",
  data: passkeyChallenge,
  stepUp: true,
  openBefore: ["second_factor"],
});

export const addPasskey = endpoint({
  ...self,
  method: "POST",
  path: "/api/user/self/passkeys",
  summary: "Keeps a new passkey",
  body: z.object({ ticket: ticketText, name: nameText, credential: createdCredential }),
  data: passkey,
  sessionOnly: true,
  openBefore: ["second_factor"],
});

const passkeyParams = z.object({ id: z.string().max(64) });

export const renamePasskey = endpoint({
  method: "PUT",
  path: "/api/user/self/passkeys/{id}",
  access: "user",
  object: "own",
  summary: "Renames a passkey",
  params: passkeyParams,
  body: z.object({ name: nameText }),
  sessionOnly: true,
});

export const removePasskey = endpoint({
  method: "DELETE",
  path: "/api/user/self/passkeys/{id}",
  access: "user",
  object: "own",
  summary: "Removes a passkey: no login accepts it any more",
  params: passkeyParams,
  stepUp: true,
});

export const passkeyLoginChallenge = endpoint({
  method: "POST",
  path: "/api/user/login/passkey/challenge",
  access: "public",
  object: "none",
  summary: "A challenge for signing in with a passkey",
  data: passkeyChallenge,
  openInDemo: true,
});

export const passkeyLogin = endpoint({
  method: "POST",
  path: "/api/user/login/passkey",
  access: "public",
  object: "none",
  summary: "Logs in with a passkey, which counts as both factors",
  body: passkeyProof,
  data: loginUserSchema,
  openInDemo: true,
});

export const confirmChallenge = endpoint({
  ...self,
  method: "POST",
  path: "/api/user/confirm/challenge",
  summary: "A challenge for confirming with a passkey",
  data: passkeyChallenge,
  rateLimit: "confirm",
  openInDemo: true,
  openBefore: REQUIRED_ACTIONS,
});

const ownSession = z.object({
  id: z.string(),
  /** `password`, `passkey`, or a provider's name. */
  way: z.string(),
  ip: z.string(),
  user_agent: z.string(),
  /** Unix seconds. */
  created_time: z.number(),
  /** Unix seconds, up to five minutes old. */
  seen_time: z.number(),
  /** The one that asks. */
  is_current: z.boolean(),
});
export type OwnSession = z.output<typeof ownSession>;

export const ownSessions = endpoint({
  ...self,
  method: "GET",
  path: "/api/user/self/sessions",
  summary: "The living sessions of the own account, the latest seen first",
  data: z.array(ownSession),
  openBefore: REQUIRED_ACTIONS,
});

export const endOwnSession = endpoint({
  method: "DELETE",
  path: "/api/user/self/sessions/{id}",
  access: "user",
  object: "own",
  summary: "Ends one session of the own account",
  params: z.object({ id: z.string().max(64) }),
  stepUp: true,
  openInDemo: true,
  openBefore: REQUIRED_ACTIONS,
});

export const endOtherSessions = endpoint({
  ...self,
  method: "DELETE",
  path: "/api/user/self/sessions",
  summary: "Ends every session of the own account but the one that asks, every access token, and sign-ins under way",
  data: z.object({ ended: z.number() }),
  stepUp: true,
  openBefore: REQUIRED_ACTIONS,
});

export const removeFactorsOf = endpoint({
  method: "DELETE",
  path: "/api/user/{id}/factors",
  access: "admin",
  act: "users",
  object: "lowerRole",
  summary: "Removes the authenticator app, recovery codes and passkeys of a person who lost them",
  params: pathId,
  data: z.object({ totp: z.boolean(), passkeys: z.number() }),
  stepUp: true,
});
