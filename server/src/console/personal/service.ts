/** What somebody can do with their own account: profile, password, access token, settings. */
import { randomBytes } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import type { SelfRow } from "../../../../contract/src/features/personal.ts";
import { nameColumns } from "../../db/new-user.ts";
import { isUniqueViolation } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { readSetting, webhookSecretContext } from "../../notify/user-setting.ts";
import { checkDisplayName, checkPassword, checkUsername } from "../accounts/account-rules.ts";
import { guard } from "../accounts/guesses.ts";
import type { GuardContext } from "../accounts/guesses.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { hashPassword, verifyPassword } from "../passwords.ts";
import type { SentSetting } from "./setting.ts";
import { changeSetting, showSetting } from "./setting.ts";
import type { ProfileChange, StoredUser } from "./store.ts";
import { findSelf, writeAccessToken, writeProfile, writeSetting } from "./store.ts";

const gone = (): AppError => new AppError("not_found", { message: "This account was not found" });

function selfView(row: StoredUser): SelfRow {
  return {
    id: row.id,
    username: row.username,
    password: "",
    display_name: row.display_name,
    role: row.role,
    status: row.status,
    email: row.email ?? "",
    github_id: row.github_id ?? "",
    oidc_id: row.oidc_id ?? "",
    wechat_id: row.wechat_id ?? "",
    telegram_id: row.telegram_id ?? "",
    linux_do_id: row.linux_do_id ?? "",
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
    has_access_token: row.access_token_hash !== null,
  };
}

/** The own account with its balance as it is now. Throws not_found. */
export async function readSelf(context: Pick<ConsoleContext, "database">, userId: number): Promise<SelfRow> {
  const row = await findSelf(context.database, userId);
  if (row === undefined) throw gone();
  return selfView(row);
}

export interface SentProfile {
  username?: string | undefined;
  display_name?: string | undefined;
  password?: string | undefined;
  original_password?: string | undefined;
}

/** Who changes their account, and from where. */
interface Changer {
  row: StoredUser;
  ip: string;
}

/** The hash of a new password, once the old one was proved; an account without a password has none to prove. */
async function newPasswordHash(context: GuardContext, { row, ip }: Changer, sent: SentProfile): Promise<string> {
  const password = sent.password ?? "";
  checkPassword(password);
  if (row.password_hash === null || row.password_hash === "") return hashPassword(password);
  const guess = { kind: "step_up", account: String(row.id), ip, userId: row.id } as const;
  const isRight = await guard(context, guess, async () => {
    const check = await verifyPassword(row.password_hash, sent.original_password ?? "");
    return check.isRight || undefined;
  });
  if (isRight === undefined) throw new AppError("original_password_wrong", { field: "original_password" });
  return hashPassword(password);
}

async function changeOf(context: GuardContext, changer: Changer, sent: SentProfile): Promise<ProfileChange> {
  const { row } = changer;
  const change: ProfileChange = {};
  const username = sent.username?.trim() ?? "";
  if (username !== "" && username !== row.username) Object.assign(change, nameColumns(checkUsername(username)));
  if (sent.display_name !== undefined && sent.display_name !== row.display_name) {
    change.display_name = checkDisplayName(sent.display_name);
  }
  if ((sent.password ?? "") !== "") change.password_hash = await newPasswordHash(context, changer, sent);
  return change;
}

/**
 * Changes the fields that are sent, each as a column of its own, so nothing that a call books meanwhile is lost. A new password ends
 * every other session and is told by mail. Throws the code of the first field that is not right; then nothing has changed.
 */
export async function updateSelf(
  context: GuardContext & Pick<ConsoleContext, "snapshot">,
  { session, ip }: { session: Pick<Session, "user" | "sessionId">; ip: string },
  sent: SentProfile,
): Promise<void> {
  const { user, sessionId } = session;
  const row = await findSelf(context.database, user.id);
  if (row === undefined) throw gone();
  const change = await changeOf(context, { row, ip }, sent);
  if (Object.keys(change).length === 0) return;
  const notification = { code: "password_changed", values: { ip } } as const;
  const tell = (queries: Queries) => notifyUser(context, queries, { userId: user.id, notification });
  const isThere = await writeProfile(context.database, user.id, change, sessionId, tell).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new AppError("username_taken", { field: "username", cause: error });
    throw error;
  });
  if (!isThere) throw gone();
  await context.snapshot.refresh();
}

const ACCESS_TOKEN_BYTES = 32;

/** Makes a new access token: 43 characters that are shown this once; only their hash is kept, and the old token ends. */
export async function createAccessToken(
  context: Pick<ConsoleContext, "database" | "secrets" | "snapshot">,
  userId: number,
): Promise<string> {
  const token = randomBytes(ACCESS_TOKEN_BYTES).toString("base64url");
  const isThere = await writeAccessToken(context.database, userId, context.secrets.hash("access_token", token));
  if (!isThere) throw gone();
  await context.snapshot.refresh();
  return token;
}

/** Changes the fields of the setting that are sent. Throws setting_invalid, naming the field. */
export async function updateSetting(
  context: Pick<ConsoleContext, "database" | "secrets" | "snapshot">,
  userId: number,
  sent: SentSetting,
): Promise<void> {
  const seal = (secret: string) => context.secrets.encrypt(secret, webhookSecretContext(userId));
  const decide = (stored: string) => JSON.stringify(changeSetting(readSetting(stored), sent, seal));
  if (!(await writeSetting(context.database, userId, decide))) throw gone();
  await context.snapshot.refresh();
}
