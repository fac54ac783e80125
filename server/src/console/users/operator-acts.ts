/** Acts of `turnpike user ...` on one account: access for an operator who has the machine and no login any more. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { foldName } from "../../../../contract/src/names.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { BLANK_ENTRY, logRow } from "../../billing/log-row.ts";
import { forgetGuesses } from "../accounts/guesses.ts";
import { refuseLookAlike } from "../accounts/look-alikes.ts";
import { removeAllFactors } from "../factors/service.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { recordTrail } from "../kit/audit-trail.ts";
import { hashPassword } from "../passwords.ts";
import { newPassword } from "../sessions/reset.ts";
import { type StoredUser, type UserPatch, patchUser } from "./store.ts";
import type { Queries } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { toSeconds } from "../../util/clock.ts";

export type UserActContext = Pick<ConsoleContext, "database" | "secrets" | "billing" | "snapshot" | "cache" | "clock">;

/** How the log names who acted: no user can have this name, since it has a space in it. */
export const COMMAND_LINE = "command line";

/**
 * Enters an act of the operator's terminal into the administrators' log and the audit trail.
 * @param queries the transaction that does the act, where there is one
 * @param now Unix seconds
 */
export async function recordOperatorAct(queries: Queries, event: LogEvent, now: number): Promise<void> {
  const other = JSON.stringify({ event, admin_info: {} });
  const entry = {
    ...BLANK_ENTRY,
    type: LOG_TYPE.admin,
    requestId: randomUUID(),
    createdAt: now,
    username: COMMAND_LINE,
  };
  await queries
    .insertInto("logs")
    .values(logRow({ ...entry, other }))
    .execute();
  await recordTrail(queries, { actor: { id: 0, username: COMMAND_LINE }, event, detail: {}, now });
}

/** The events of these acts. */
const EVENTS = [
  "user_sessions_ended",
  "user_password_reset",
  "factors_removed",
  "user_made_root",
  "user_promoted",
  "user_enabled",
  "user_unlocked",
] as const satisfies readonly LogEvent["code"][];

/** The effects of one act in its transaction. */
interface Act {
  patch: UserPatch;
  endsSessions: boolean;
  event: (typeof EVENTS)[number];
  notifications: readonly Notification[];
  /** What the terminal shows beside the account's name. */
  lines: readonly string[];
  data?: object;
  /** Runs after the commit. */
  after?: () => Promise<void>;
}

type DecideAct = (user: StoredUser, context: UserActContext, queries: Queries) => Promise<Act>;

const ENDED: Notification = { code: "sessions_ended_by_administrator", values: {} };

const endSessions: DecideAct = async () => ({
  patch: {},
  endsSessions: true,
  event: "user_sessions_ended",
  notifications: [ENDED],
  lines: ["All sessions and access tokens have ended."],
});

/** The password is hashed before the transaction: that takes as long as a hundred others of it. */
async function resetPassword(): Promise<DecideAct> {
  const password = newPassword();
  const password_hash = await hashPassword(password);
  return async () => ({
    patch: { password_hash, is_password_temporary: 1 },
    endsSessions: true,
    event: "user_password_reset",
    notifications: [ENDED],
    lines: [`New password: ${password}`, "It has to be changed at the next login. All sessions have ended."],
    data: { password },
  });
}

const disableFactors: DecideAct = async (user, _context, queries) => {
  const { totp, passkeys } = await removeAllFactors(queries, user.id);
  const factors = [...(totp ? ["totp"] : []), ...(passkeys > 0 ? ["passkey"] : [])];
  return {
    patch: {},
    endsSessions: false,
    event: "factors_removed",
    notifications: factors.map((factor) => ({ code: "factor_removed_by_administrator", values: { factor } })),
    lines: [
      `Removed: ${totp ? "the authenticator app with its recovery codes" : "no authenticator app"}, ${passkeys} passkeys.`,
    ],
    data: { totp, passkeys },
  };
};

const ROLES = { admin: ROLE.admin, root: ROLE.root } as const;
export type PromotedRole = keyof typeof ROLES;
const PROMOTED_ROLES = Object.keys(ROLES) as readonly PromotedRole[];

/** A session does not outlive the role it was begun with. */
const promote =
  (name: PromotedRole): DecideAct =>
  async (user, _context, queries) => {
    const role = ROLES[name];
    if (user.role >= role) throw new Error(`"${user.username}" has this role or a higher one already`);
    await refuseLookAlike(queries, user.username, user.id);
    return {
      patch: { role },
      endsSessions: true,
      event: name === "root" ? "user_made_root" : "user_promoted",
      notifications: [{ code: "role_changed", values: { from: user.role, to: role } }],
      lines: [
        `The account is ${name === "root" ? "a super administrator" : "an administrator"} now. All sessions have ended.`,
      ],
      data: { role },
    };
  };

/** Enables the account, and forgets wrong guesses at it, which else hold up the next login for up to a quarter of an hour. */
const unlock: DecideAct = async (user, context) => {
  const isDisabled = user.status !== USER_STATUS.enabled;
  const accounts = [user.username, user.email ?? "", String(user.id)].filter((name) => name !== "");
  return {
    patch: isDisabled ? { status: USER_STATUS.enabled } : {},
    // What a ban ended stays ended.
    endsSessions: isDisabled,
    event: isDisabled ? "user_enabled" : "user_unlocked",
    notifications: isDisabled ? [{ code: "account_enabled", values: {} }] : [],
    lines: [
      isDisabled ? "The account is enabled again." : "The account was not disabled.",
      "Wrong guesses are forgotten.",
    ],
    data: { enabled: isDisabled },
    after: () => forgetGuesses(context, accounts),
  };
};

/** By the second word of the command. */
export const USER_ACTS = {
  "reset-password": () => resetPassword(),
  "disable-2fa": async () => disableFactors,
  promote: async (role: PromotedRole) => promote(role),
  unlock: async () => unlock,
  "end-sessions": async () => endSessions,
} as const satisfies Readonly<Record<string, (role: PromotedRole) => Promise<DecideAct>>>;

export type UserActName = keyof typeof USER_ACTS;

export interface UserActRequest {
  act: UserActName;
  /** A user name, an e-mail address, or `#` and an id. */
  account: string;
  /** For `promote`. */
  role: PromotedRole;
}

const requestSchema = z.strictObject({
  act: z.enum(Object.keys(USER_ACTS) as UserActName[]),
  account: z.string().min(1).max(254),
  role: z.enum(PROMOTED_ROLES),
});

export interface UserActResult {
  /** For people. */
  lines: readonly string[];
  /** For programs. */
  data: object;
}

/** Reads what came through the control socket. Throws zod's error. */
export const readUserAct = (request: unknown): UserActRequest => requestSchema.parse(request);

/** Throws an Error of one line where there is no such account. */
async function userIdOf({ database }: UserActContext, account: string): Promise<number> {
  const users = database.kysely.selectFrom("users").select("id");
  const id = /^#(\d{1,15})$/.exec(account)?.[1];
  const row = await (
    id === undefined
      ? users.where(({ or, eb }) =>
          or([eb("username_key", "=", foldName(account)), eb("email", "=", account.toLowerCase())]),
        )
      : users.where("id", "=", Number(id))
  ).executeTakeFirst();
  if (row === undefined) throw new Error(`There is no user "${account}"`);
  return row.id;
}

/**
 * Does one act to one account, and enters it into the administrators' log with the actor "command line". In force in every running process
 * within a second.
 * @throws an Error of one line for an account that does not exist, was deregistered, or has what it would get; then nothing has changed.
 */
export async function runUserAct(context: UserActContext, request: UserActRequest): Promise<UserActResult> {
  const decide = await USER_ACTS[request.act](request.role);
  const userId = await userIdOf(context, request.account);
  let act: Act | undefined;
  const change = await patchUser(context.database, { actorId: 0, userId }, async (_actor, user, transaction) => {
    if (user.deleted_at !== null) throw new Error(`The account "${user.username}" was deregistered`);
    act = await decide(user, context, transaction);
    for (const notification of act.notifications) await notifyUser(context, transaction, { userId, notification });
    const event = { code: act.event, values: { name: user.username, id: userId } };
    await recordOperatorAct(transaction, event, toSeconds(context.clock()));
    return act;
  });
  if (change === undefined || act === undefined) throw new Error(`There is no user "${request.account}"`);
  await act.after?.();
  const { username } = change.after;
  await context.snapshot.refresh();
  const lines = [`${username} (#${userId})`, ...act.lines];
  return { lines, data: { id: userId, username, ...act.data } };
}
