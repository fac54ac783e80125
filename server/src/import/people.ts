/** Users of another gateway: their rows, the accounts they are bound to, and their balances as openings of the ledger. */
import { randomBytes } from "node:crypto";
import type { Insertable, Transaction } from "kysely";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import { foldName } from "../../../contract/src/names.ts";
import { storedPermissions } from "../../../contract/src/permissions.ts";
import { ROLE } from "../../../contract/src/roles.ts";
import type { SUBJECT_FIELDS } from "../../../contract/src/ways-in.ts";
import { NEW_USER } from "../db/new-user.ts";
import type { Schema } from "../db/schema.ts";
import { insertIdentity } from "../console/identity-store.ts";
import { sealedContext } from "../notify/user-setting.ts";
import { isObject, parseJson, textOf } from "../util/json-read.ts";
import { firstCodePoints, storable } from "../util/text.ts";
import { momentIn, nameIn, numberIn, quotaIn, textIn } from "./cells.ts";
import { type Apps, writeApp } from "./factors.ts";
import { TextSet } from "./large-sets.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import type { Survey } from "./survey.ts";
import { type MoneyRow, type Target, entryIdOf } from "./target.ts";

type NewUser = Omit<Insertable<Schema["users"]>, "id" | "changed_version">;

/** Values that no two accounts share. */
export interface Taken {
  usernames: TextSet;
  nameKeys: TextSet;
  emails: TextSet;
  affCodes: TextSet;
  /** `provider\0subject`. */
  identities: TextSet;
}

const PAGE = 5_000;

/** Those of the accounts of this database. */
export async function takenHere({ database: { kysely } }: Target): Promise<Taken> {
  const [usernames, nameKeys, emails, affCodes] = [new TextSet(), new TextSet(), new TextSet(), new TextSet()];
  const identities = new TextSet();
  const columns = ["id", "username", "username_key", "email", "aff_code"] as const;
  for (let last = 0; ;) {
    const users = await kysely
      .selectFrom("users")
      .select(columns)
      .where("id", ">", last)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    const end = Number(users.at(-1)?.id ?? 0);
    if (end === 0) return { usernames, nameKeys, emails, affCodes, identities };
    for (const { username, username_key, email, aff_code } of users) {
      usernames.add(username);
      if (username_key !== null) nameKeys.add(username_key);
      if (email !== null) emails.add(email);
      affCodes.add(aff_code);
    }
    const bound = await kysely
      .selectFrom("identities")
      .select(["provider", "subject"])
      .where("user_id", ">", last)
      .where("user_id", "<=", end)
      .execute();
    for (const { provider, subject } of bound) identities.add(`${provider}\0${subject}`);
    last = end;
  }
}

export interface PeopleContext {
  target: Target;
  survey: Survey;
  report: Report;
  taken: Taken;
  /** Groups that have a ratio. */
  groups: ReadonlySet<string>;
  /** Numbers here of users whose own number was taken, by their numbers there. */
  moved: Map<number, number>;
  apps: Apps;
}

/** Characters of the column; names that are chosen here are shorter. */
const USERNAME_COLUMN = 64;

const labelOf = (row: SourceRow): string => `#${numberIn(row, "id")} ${textIn(row, "username")}`;

function nameOf(row: SourceRow, { taken, report }: PeopleContext): Pick<NewUser, "username" | "username_key"> {
  const id = numberIn(row, "id");
  let username = nameIn(row, "username", USERNAME_COLUMN) || `user_${id}`;
  if (taken.usernames.has(username)) {
    report.add("user_name_used", labelOf(row));
    username = `${firstCodePoints(username, USERNAME_COLUMN - 17)}_${id}`;
  }
  const key = foldName(username);
  const isFree = !taken.nameKeys.has(key);
  if (!isFree) report.add("user_name_taken", labelOf(row));
  taken.usernames.add(username);
  taken.nameKeys.add(key);
  return { username, username_key: isFree ? key : null };
}

const ROLES: ReadonlySet<number> = new Set([ROLE.user, ROLE.admin, ROLE.root]);
/** Administrators there change channels, users, balances and codes; settings and prices are the super administrator's. */
const ADMIN_THERE = storedPermissions([
  "channels_see",
  "channels_operate",
  "channels_write",
  "channels_secrets",
  "users",
  "money",
  "logs",
]);

function roleOf(row: SourceRow, { report }: PeopleContext): Pick<NewUser, "role" | "permissions"> {
  const role = numberIn(row, "role", ROLE.user);
  if (!ROLES.has(role)) report.add("user_role_unknown", `${labelOf(row)}: ${role}`);
  if (role === ROLE.root) report.add("user_is_root", labelOf(row));
  if (role === ROLE.admin) report.add("user_is_admin", labelOf(row));
  const kept = ROLES.has(role) ? role : ROLE.user;
  return { role: kept, permissions: kept === ROLE.admin ? ADMIN_THERE : null };
}

/** In one-api status 3 is a deleted account. */
function lifeOf(row: SourceRow, { target, report }: PeopleContext): Pick<NewUser, "status" | "deleted_at"> {
  const status = numberIn(row, "status", 0);
  const deletedAt = momentIn(row, "deleted_at") ?? (status === 3 ? target.now : undefined);
  if (deletedAt !== undefined) report.add("user_deleted", labelOf(row));
  const isKnown = status === USER_STATUS.enabled || status === USER_STATUS.disabled || status === 3;
  if (!isKnown) report.add("user_status_unknown", `${labelOf(row)}: ${row["status"] ?? "NULL"}`);
  return {
    status: status === USER_STATUS.enabled ? USER_STATUS.enabled : USER_STATUS.disabled,
    deleted_at: deletedAt ?? null,
  };
}

/** bcrypt, and LiteLLM's scrypt. */
const PASSWORD_FORMS = /^(?:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|scrypt:[\w+/-]{64}={0,2})$/;

function passwordOf(row: SourceRow, { report }: PeopleContext): string | null {
  const hash = textIn(row, "password");
  if (PASSWORD_FORMS.test(hash)) return hash;
  if (hash !== "") report.add("user_password_unknown", labelOf(row));
  return null;
}

function emailOf(row: SourceRow, { taken, report }: PeopleContext): string | null {
  const email = textIn(row, "email").trim().toLowerCase();
  if (email === "") return null;
  if (email.length > 254 || taken.emails.has(email)) {
    report.add("user_email_taken", labelOf(row));
    return null;
  }
  taken.emails.add(email);
  return email;
}

/** Columns there, with the name of the way here. */
const WAYS_THERE: readonly (readonly [column: string, way: keyof typeof SUBJECT_FIELDS | "discord" | "lark"])[] = [
  ["github_id", "github"],
  ["oidc_id", "oidc"],
  ["wechat_id", "wechat"],
  ["telegram_id", "telegram"],
  ["linux_do_id", "linuxdo"],
  ["discord_id", "discord"],
  // The open_id of the operator's own app (controller/auth/lark.go of github.com/songquanpeng/one-api).
  ["lark_id", "lark"],
];

/** The accounts at other sites that come over. */
function subjectsOf(row: SourceRow, { taken, report }: PeopleContext): (readonly [way: string, subject: string])[] {
  return WAYS_THERE.flatMap(([column, way]) => {
    const subject = textIn(row, column).trim();
    if (subject === "" || subject === "0" || subject.length > 128) return [];
    if (way === "github" && !/^\d+$/.test(subject)) {
      report.add("user_identity_login", labelOf(row));
      return [];
    }
    const name = `${way}\0${subject}`;
    if (taken.identities.has(name)) {
      report.add("user_identity_taken", `${labelOf(row)}: ${way}`);
      return [];
    }
    taken.identities.add(name);
    return [[way, subject] as const];
  });
}

function affCodeOf(row: SourceRow, { taken }: PeopleContext): string {
  const code = textIn(row, "aff_code").trim();
  const kept = code === "" || code.length > 32 || taken.affCodes.has(code) ? randomBytes(6).toString("hex") : code;
  taken.affCodes.add(kept);
  return kept;
}

const LANGUAGES: ReadonlySet<unknown> = new Set(["en", "zh"]);

/** The settings that have a place here, without the secret of the webhook. */
function settingOf(row: SourceRow, { report }: PeopleContext): { setting: string; webhookSecret: string } {
  const text = textIn(row, "setting");
  const there = text === "" ? {} : parseJson(text);
  if (!isObject(there)) {
    report.add("user_setting_broken", labelOf(row));
    return { setting: "{}", webhookSecret: "" };
  }
  if (there["notify_type"] === "bark" || there["notify_type"] === "gotify")
    report.add("user_notices_by_email", labelOf(row));
  const isWebhook = there["notify_type"] === "webhook" && textOf(there["webhook_url"]).startsWith("https://");
  const threshold = Math.trunc(Number(there["quota_warning_threshold"] ?? 0));
  const setting = {
    ...(isWebhook ? { notify_type: "webhook", webhook_url: textOf(there["webhook_url"]) } : {}),
    ...(Number.isSafeInteger(threshold) && threshold > 0 ? { quota_warning_threshold: threshold } : {}),
    ...(typeof there["notification_email"] === "string" ? { notification_email: there["notification_email"] } : {}),
    ...(there["accept_unset_model_ratio_model"] === true ? { accept_unset_model_ratio_model: true } : {}),
    ...(LANGUAGES.has(there["language"]) ? { language: there["language"] } : {}),
  };
  return {
    setting: storable(JSON.stringify(setting)),
    webhookSecret: isWebhook ? textOf(there["webhook_secret"]) : "",
  };
}

const CEILING = 2_147_483_647;

/** Marks amounts that the old system cannot have meant. */
function lookAtMoney(row: SourceRow, { survey, report }: PeopleContext): void {
  const [quota, used] = [quotaIn(row, "quota"), quotaIn(row, "used_quota")];
  if (quota < 0) report.add("user_balance_negative", `${labelOf(row)}: ${quota}`);
  if (quota === CEILING || used === CEILING || used < 0)
    report.add("user_balance_ceiling", `${labelOf(row)}: quota ${quota}, used ${used}`);
  const remainder = used - survey.usedByTokens.get(numberIn(row, "id"));
  if (remainder !== 0) report.add("user_used_differs", `${labelOf(row)}: ${remainder > 0 ? "+" : ""}${remainder}`);
}

/** The opening entry of a user: what no token of his has. */
export function openingOfUser(row: SourceRow, { target, survey }: Pick<PeopleContext, "target" | "survey">) {
  const sourceId = numberIn(row, "id");
  const used = quotaIn(row, "used_quota") - survey.usedByTokens.get(sourceId);
  return (userId: number) => ({
    entryId: entryIdOf(target.origin, "users", sourceId),
    userId,
    tokenId: 0,
    channelId: 0,
    quota: quotaIn(row, "quota"),
    tokenQuota: 0,
    affQuota: quotaIn(row, "aff_quota"),
    used,
    requests: quotaIn(row, "request_count"),
    detail: JSON.stringify({ reason: "import", source: target.origin, id: sourceId }),
  });
}

type Subjects = readonly (readonly [way: string, subject: string])[];

interface Alongside {
  subjects: Subjects;
  plan: ReturnType<typeof settingOf>;
  /** Of the authenticator app. */
  secret: string | undefined;
}

function writeAlongside({ target }: PeopleContext, { subjects, plan, secret }: Alongside) {
  return async (transaction: Transaction<Schema>, id: number): Promise<void> => {
    if (secret !== undefined) await writeApp(target, transaction, { secret, userId: id });
    for (const [provider, subject] of subjects)
      await insertIdentity(transaction, { provider, subject, user_id: id, login: "", created_time: target.now });
    if (plan.webhookSecret === "") return;
    const cipher = target.secrets.encrypt(plan.webhookSecret, sealedContext(id, "webhook_secret"));
    const setting = JSON.stringify({ ...(JSON.parse(plan.setting) as object), webhook_secret_cipher: cipher });
    await transaction.updateTable("users").set({ setting }).where("id", "=", id).execute();
  };
}

/** Plans one user who is not here yet: his row, what is listed of it, and what is written with it. Throws where an amount cannot be kept. */
export function planUser(row: SourceRow, context: PeopleContext): MoneyRow<"users"> {
  const { survey, report, groups, moved, apps } = context;
  const sourceId = numberIn(row, "id");
  lookAtMoney(row, context);
  const life = lifeOf(row, context);
  const isAlive = life.deleted_at === null;
  const group = nameIn(row, "group", 64) || NEW_USER.group_name;
  if (isAlive && !groups.has(group)) report.add("user_group_unknown", `${labelOf(row)}: ${group}`);
  const inviter = numberIn(row, "inviter_id");
  const plan = settingOf(row, context);
  const subjects = isAlive ? subjectsOf(row, context) : [];
  return {
    sourceId,
    row: {
      ...NEW_USER,
      ...nameOf(row, context),
      ...roleOf(row, context),
      ...life,
      password_hash: passwordOf(row, context),
      display_name: nameIn(row, "display_name", 64),
      email: isAlive ? emailOf(row, context) : null,
      group_name: group,
      aff_code: affCodeOf(row, context),
      aff_count: numberIn(row, "aff_count"),
      aff_history_quota: quotaIn(row, "aff_history"),
      inviter_id: survey.userIds.has(inviter) ? (moved.get(inviter) ?? inviter) : 0,
      setting: plan.setting,
      remark: firstCodePoints(textIn(row, "remark"), 255),
      created_time: Math.max(0, numberIn(row, "created_at")),
    },
    opening: openingOfUser(row, context),
    alongside: writeAlongside(context, { subjects, plan, secret: isAlive ? apps.get(sourceId) : undefined }),
  };
}
