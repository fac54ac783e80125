/** Rules of the own account: profile, password, e-mail address, settings, deletion. */
import { permissionsOf } from "../../../../contract/src/permissions.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { SelfRow, SentSetting } from "../../../../contract/src/features/personal.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import { nameColumns } from "../../db/new-user.ts";
import { isUniqueViolation, type Queries } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { readSetting } from "../../notify/user-setting.ts";
import { nowSeconds } from "../../util/clock.ts";
import { accessTokensOf } from "../access-token-store.ts";
import { checkDisplayName, checkNewPassword, checkUsername } from "../accounts/account-rules.ts";
import { takeEmailCode } from "../accounts/email-codes.ts";
import { guard, type GuardContext, type Guesser } from "../accounts/guesses.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { type Subjects, subjectsOf } from "../identity-store.ts";
import { hashPassword, verifyPassword } from "../passwords.ts";
import { changeSetting, leadsElsewhere, sealingOf, showSetting } from "./setting.ts";
import {
  findSelf,
  markDeleted,
  type ProfileChange,
  type StoredUser,
  writeEmail,
  writeProfile,
  writeSetting,
} from "./store.ts";

const gone = (): AppError => new AppError("not_found", { message: "This account was not found" });

type Beside = Pick<SelfRow, "has_access_token" | "required_action" | "admin_permissions"> & Subjects;

function selfView(row: StoredUser, beside: Beside): SelfRow {
  return {
    id: row.id,
    username: row.username,
    password: "",
    display_name: row.display_name,
    role: row.role,
    status: row.status,
    email: row.email ?? "",
    quota: row.quota,
    used_quota: row.used_quota,
    request_count: row.request_count,
    group: row.group_name,
    aff_code: row.aff_code,
    aff_count: row.aff_count,
    aff_quota: row.aff_quota,
    aff_history_quota: row.aff_history_quota,
    inviter_id: row.inviter_id,
    DeletedAt: null,
    setting: JSON.stringify(showSetting(readSetting(row.setting))),
    has_password: row.password_hash !== null && row.password_hash !== "",
    ...beside,
  };
}

/** The own account with its balance as it is now, and what the caller has to do first. Throws not_found. */
export async function readSelf(
  context: Pick<ConsoleContext, "database">,
  { user, requiredAction }: Session,
): Promise<SelfRow> {
  const row = await findSelf(context.database, user.id);
  if (row === undefined) throw gone();
  const has_access_token = (await accessTokensOf(context.database.kysely, user.id)).length > 0;
  const subjects = (await subjectsOf(context.database.kysely, [user.id]))(user.id);
  const admin_permissions = [...permissionsOf(user)];
  return selfView(row, { ...subjects, has_access_token, required_action: requiredAction ?? "", admin_permissions });
}

interface SentProfile {
  username?: string | undefined;
  display_name?: string | undefined;
  password?: string | undefined;
  original_password?: string | undefined;
}

type ChangeContext = GuardContext & Pick<ConsoleContext, "snapshot">;

/** Who changes their account, and how they prove that it is theirs. */
interface Changer extends Guesser {
  session: Pick<Session, "user" | "sessionId">;
  /** Throws AppError step_up_required. */
  requireStepUp(): void;
}

/**
 * The hash of a new password, once the old one was proved. Where there is none, what else the account has is the proof: a first password
 * would otherwise make any session that was left open its owner's.
 */
async function newPasswordHash(
  context: ChangeContext,
  row: StoredUser,
  { session, ip, claim, requireStepUp }: Changer,
  sent: SentProfile,
): Promise<string> {
  const password = sent.password ?? "";
  if (session.sessionId === undefined) throw new AppError("session_required", { field: "password" });
  const username = sent.username?.trim() || row.username;
  checkNewPassword(context, password, { username, email: row.email });
  if (row.password_hash === null || row.password_hash === "") {
    requireStepUp();
    return hashPassword(password);
  }
  const guess = { kind: "step_up", account: String(row.id), userId: row.id, ip, claim } as const;
  const isRight = await guard(context, guess, async () => {
    const check = await verifyPassword(row.password_hash, sent.original_password ?? "");
    return check.isRight || undefined;
  });
  if (isRight === undefined) throw new AppError("original_password_wrong", { field: "original_password" });
  if (password === sent.original_password) throw new AppError("password_same", { field: "password" });
  return hashPassword(password);
}

async function changeOf(
  context: ChangeContext,
  row: StoredUser,
  changer: Changer,
  sent: SentProfile,
): Promise<ProfileChange> {
  const change: ProfileChange = {};
  const username = sent.username?.trim() ?? "";
  if (username !== "" && username !== row.username) {
    Object.assign(change, nameColumns(checkUsername(username)));
    // It signs in. With a new password the old one proves as much.
    if ((sent.password ?? "") === "") changer.requireStepUp();
    else if (changer.session.sessionId === undefined) throw new AppError("session_required", { field: "username" });
  }
  if (sent.display_name !== undefined && sent.display_name !== row.display_name) {
    change.display_name = checkDisplayName(sent.display_name);
  }
  if ((sent.password ?? "") !== "") {
    change.password_hash = await newPasswordHash(context, row, changer, sent);
    change.is_password_temporary = 0;
  }
  return change;
}

/**
 * Changes the fields that are sent, each as a column of its own, so nothing that a call books meanwhile is lost. A new password ends
 * every other session and every access token, and gets a mail. Throws the code of the first field that is not right, step_up_required
 * for a user name or a first password, session_required for either by an access token; then nothing has changed.
 */
export async function updateSelf(context: ChangeContext, changer: Changer, sent: SentProfile): Promise<void> {
  const { user, sessionId } = changer.session;
  const row = await findSelf(context.database, user.id);
  if (row === undefined) throw gone();
  const change = await changeOf(context, row, changer, sent);
  if (Object.keys(change).length === 0) return;
  const notification = { code: "password_changed", values: { ip: changer.ip } } as const;
  const tell = (queries: Queries) => notifyUser(context, queries, { userId: user.id, notification });
  const basis = { userId: user.id, passwordHash: row.password_hash, sessionId };
  const isDone = await writeProfile(context.database, basis, change, tell).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new AppError("username_taken", { field: "username", cause: error });
    throw error;
  });
  if (!isDone && change.password_hash !== undefined)
    throw new AppError("original_password_wrong", { field: "original_password" });
  if (!isDone) throw gone();
  await context.snapshot.refresh();
}

/**
 * Changes the fields of the setting that are sent. Where messages go changes only after a confirmation: a stolen session would
 * otherwise read along, or silence what its owner should hear. Throws setting_invalid, naming the field, or step_up_required.
 */
export async function updateSetting(
  context: Pick<ConsoleContext, "database" | "secrets" | "snapshot">,
  { session, requireStepUp }: Pick<Changer, "session" | "requireStepUp">,
  sent: SentSetting,
): Promise<void> {
  const { id: userId } = session.user;
  const sealing = sealingOf(context.secrets, userId);
  const decide = (stored: string) => {
    const before = readSetting(stored);
    const after = changeSetting(before, sent, sealing);
    if (leadsElsewhere(before, after)) requireStepUp();
    return JSON.stringify(after);
  };
  if (!(await writeSetting(context.database, userId, decide))) throw gone();
  await context.snapshot.refresh();
}

/**
 * Makes the address the account's own and notifies the one it had before.
 * @throws AppError email_invalid, email_code_missing, code_invalid, email_taken, too_many_requests
 */
export async function bindEmail(
  context: ConsoleContext,
  { session, ip, claim }: { session: Pick<Session, "user" | "sessionId"> } & Guesser,
  { email, code }: { email: string; code: string },
): Promise<void> {
  const { id: userId } = session.user;
  const address = await takeEmailCode(context, { email, code, ip, claim });
  const notification = { code: "identity_added", values: { provider: "email", ip } } as const;
  const tell = (queries: Queries) => notifyUser(context, queries, { userId, notification });
  const { sessionId } = session;
  if (!(await writeEmail(context.database, { userId, sessionId }, address, tell)))
    throw new AppError("email_taken", { field: "email" });
  await context.snapshot.refresh();
}

/**
 * Ends the account with its sessions, tokens and access token, and sends its address a message. Its row stays, so that the books and the
 * log keep their names.
 * @throws AppError super_administrator_stays, not_found
 */
export async function deleteSelf(
  context: Pick<ConsoleContext, "database" | "secrets" | "snapshot" | "billing" | "clock">,
  { user, role }: Session,
  request: RequestFacts,
): Promise<void> {
  if (isRoot(role)) throw new AppError("super_administrator_stays");
  const now = nowSeconds(context.clock);
  const notification = { code: "account_deleted", values: {} } as const;
  const isDone = await markDeleted(context.database, user.id, now, (queries) =>
    notifyUser(context, queries, { userId: user.id, notification }),
  );
  if (!isDone) throw new AppError("not_found", { message: "This account was not found" });
  await context.snapshot.refresh();
  await context.billing.record({
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: `account_deleted:${user.id}`,
    createdAt: now,
    userId: user.id,
    username: user.username,
    groupName: user.groupName,
    ip: request.ip,
    other: JSON.stringify({ event: { code: "account_deleted", values: {} } }),
  });
}
