/** One person as administrators see them: what signs them in, their tokens, ledger, sessions and security log; acts on several people; and invitations by mail. */
import { z } from "zod";
import { mayDo, type Permission, type PermissionHolder } from "./permissions.ts";
import { endpoint } from "./endpoint.ts";
import { nameText } from "./names.ts";
import { listPage, pathId, queryInteger, queryPage, queryPageSize } from "./query.ts";
import { securityEvent } from "./features/personal.ts";
import { managedUser } from "./features/users.ts";

/** Rows of one answer of the ledger. */
export const PERSON_LEDGER_PAGE = 20;
/** People on whom one call acts. */
export const PEOPLE_BATCH_MAX = 100;

export const person = managedUser.extend({
  passkeys: z.number(),
  /** Whether signing in asks for a code of an authenticator app. */
  has_totp: z.boolean(),
  /** Recovery codes that were not used yet. */
  recovery_codes: z.number(),
  /** Living sessions. */
  sessions: z.number(),
  /** Tokens that are not deleted. */
  tokens: z.number(),
});
export type Person = z.output<typeof person>;

const ofPerson = { method: "GET", access: "admin", object: "lowerRole", params: pathId } as const;

export const getPerson = endpoint({
  ...ofPerson,
  path: "/api/user/{id}/overview",
  act: ["users", "money"],
  summary:
    "One user, deregistered ones too, with what signs them in and how much they have; of people below the caller's role",
  data: person,
});

/** A token without its key or any part of it. */
const personToken = z.object({
  id: z.number(),
  name: z.string(),
  /** One of TOKEN_STATUS; 3 and 4 are derived when the row is read. */
  status: z.number(),
  /** Empty: the user's group. */
  group: z.string(),
  created_time: z.number(),
  /** Unix seconds of the last call; 0 for never. */
  accessed_time: z.number(),
  /** Unix seconds; -1 for never. */
  expired_time: z.number(),
  remain_quota: z.number(),
  used_quota: z.number(),
  unlimited_quota: z.boolean(),
});
export type PersonToken = z.output<typeof personToken>;

export const listTokensOf = endpoint({
  ...ofPerson,
  path: "/api/user/{id}/tokens",
  act: ["users", "money"],
  summary: "The tokens of a user, newest first, without their keys",
  query: z.object({ p: queryPage(1), page_size: queryPageSize }),
  data: listPage(personToken),
});

const ledgerEntry = z.object({
  id: z.number(),
  /** Kind of the entry: gift, redemption, checkin, top_up, reversal, adjustment, transfer, reward, refund, opening. */
  kind: z.string(),
  /** Unix seconds. */
  created_at: z.number(),
  /** Change of the balance, in quota. */
  quota_delta: z.number(),
  /** What the administrator gave as the reason; blank otherwise. */
  reason: z.string(),
  /** User name of the administrator who did it; blank where none did. */
  actor: z.string(),
});
export type LedgerEntry = z.output<typeof ledgerEntry>;

export const listLedgerOf = endpoint({
  ...ofPerson,
  path: "/api/user/{id}/ledger",
  act: "money",
  summary:
    "What changed a user's balance beside calls, the newest first, twenty at a time; `before` is the id of the last one read",
  query: z.object({ before: queryInteger }),
  data: z.array(ledgerEntry),
});

const personSession = z.object({
  /** `password`, `passkey`, or a provider's name. */
  way: z.string(),
  ip: z.string(),
  user_agent: z.string(),
  /** Unix seconds. */
  created_time: z.number(),
  /** Unix seconds, up to five minutes old. */
  seen_time: z.number(),
});
export type PersonSession = z.output<typeof personSession>;

export const listSessionsOf = endpoint({
  ...ofPerson,
  path: "/api/user/{id}/sessions",
  act: "users",
  summary: "The living sessions of a user, the latest seen first",
  data: z.array(personSession),
});

export const listSecurityEventsOf = endpoint({
  ...ofPerson,
  path: "/api/user/{id}/security_events",
  act: "users",
  summary:
    "The security log of a user's account, the newest first, twenty at a time; `before` is the id of the last one read",
  query: z.object({ before: queryInteger }),
  data: z.array(securityEvent),
});

export const PEOPLE_ACTIONS = ["enable", "disable", "group", "delete"] as const;
export type PeopleAction = (typeof PEOPLE_ACTIONS)[number];

const peopleBatchResult = z.object({
  /** How many are now as was asked. */
  done: z.number(),
  /** Those that were refused, each with the code of the refusal. */
  refused: z.array(z.object({ id: z.number(), code: z.string() })),
});
export type PeopleBatchResult = z.output<typeof peopleBatchResult>;

export const batchUsers = endpoint({
  method: "POST",
  path: "/api/user/batch",
  access: "admin",
  act: ["users", "money"],
  object: "site",
  summary:
    "Enables, disables, deregisters or moves up to 100 users to another group, each by the rules of the single act: those of the caller's role and above are refused one by one. Deregistering wants a password confirmed within ten minutes, so no access token",
  body: z.object({
    ids: z.array(z.int().min(1)).min(1).max(PEOPLE_BATCH_MAX),
    action: z.enum(PEOPLE_ACTIONS),
    /** With `group`: one of the option GroupRatio. */
    group: nameText.max(64).optional(),
  }),
  data: peopleBatchResult,
});

/** How long an administrator sees the console as a person, in seconds. */
export const SEEING_SECONDS = 15 * 60;

/** What it takes: all that an administrator would otherwise read of the person piece by piece. */
export const SEEING_PERMISSIONS = ["users", "money", "logs"] as const satisfies readonly Permission[];

/** Whether an administrator may see the console as this person: of a lower role, and with every permission. */
export const maySeeAs = (actor: PermissionHolder & { id: number }, person: { id: number; role: number }): boolean =>
  actor.id !== person.id &&
  person.role < actor.role &&
  SEEING_PERMISSIONS.every((permission) => mayDo(actor, permission));

/** Whom the console is seen as. */
export const seeing = z.object({
  /** Unix seconds. */
  until: z.number(),
  user: z.object({
    id: z.number(),
    username: z.string(),
    display_name: z.string(),
    role: z.number(),
    status: z.number(),
    group: z.string(),
  }),
});
export type Seeing = z.output<typeof seeing>;

export const seeAs = endpoint({
  method: "POST",
  path: "/api/user/{id}/see",
  access: "admin",
  act: "users",
  object: "lowerRole",
  summary:
    "This session sees the console as a person of a lower role does, for 15 minutes: calls that name them in New-Api-User are answered as to them, reads of their figures alone. Takes the permissions users, money and logs; the person sees it in their security log",
  params: pathId,
  data: seeing,
  stepUp: true,
  sessionOnly: true,
});

export const endSeeing = endpoint({
  method: "DELETE",
  path: "/api/user/self/see",
  access: "user",
  object: "self",
  summary: "Ends what `POST /api/user/{id}/see` began",
  sessionOnly: true,
});

/** Addresses of one call. */
export const INVITED_AT_ONCE = 50;
/** Addresses that one administrator may invite within 24 hours. */
export const INVITED_A_DAY = 200;
/** Days that a link counts at most. */
export const INVITATION_DAYS_MOST = 30;
/** Invitations that are listed, the newest ones. */
export const INVITATIONS_LISTED = 200;
/** Quota that one invitation may give at most; no site gives more. */
const QUOTA_MOST = 1_000_000_000_000;

const newInvitations = z.strictObject({
  emails: z.array(z.string().max(400)).min(1).max(INVITED_AT_ONCE),
  /** One of the option GroupRatio; that of new users where absent. */
  group: nameText.max(64).optional(),
  /** Quota beside what every new user is given. */
  quota: z.int().min(0).max(QUOTA_MOST).default(0),
  /** Days that the links count. */
  valid_days: z.int().min(1).max(INVITATION_DAYS_MOST).default(7),
});
export type NewInvitations = z.output<typeof newInvitations>;

export const inviteUsers = endpoint({
  method: "POST",
  path: "/api/invitation",
  access: "admin",
  act: "users",
  object: "site",
  summary:
    "Mails each address a link that makes one account; the answer is the same for addresses that have one, which are sent nothing. Another group than that of new users, or quota, asks for the permission to move money",
  body: newInvitations,
  data: z.object({ invited: z.number() }),
});

const invitation = z.object({
  id: z.number(),
  email: z.string(),
  group: z.string(),
  quota: z.number(),
  /** Username; "" where the account is gone. */
  created_by: z.string(),
  created_time: z.number(),
  expires_time: z.number(),
  state: z.enum(["open", "accepted", "revoked", "expired"]),
  /** Of the account that was made; "" before. */
  username: z.string(),
});
export type Invitation = z.output<typeof invitation>;

export const listInvitations = endpoint({
  method: "GET",
  path: "/api/invitation",
  access: "admin",
  act: "users",
  object: "site",
  summary: "The latest invitations, the newest first",
  data: z.array(invitation),
});

export const revokeInvitation = endpoint({
  method: "DELETE",
  path: "/api/invitation/{id}",
  access: "admin",
  act: "users",
  object: "site",
  summary: "Takes an open invitation back: its link makes no account any more",
  params: pathId,
});
