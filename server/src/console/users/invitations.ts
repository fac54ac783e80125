/** Invitations by mail: an administrator sends links that make one ordinary account each, lists them and takes them back. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  INVITATIONS_LISTED,
  type Invitation,
  INVITED_A_DAY,
  type NewInvitations,
} from "../../../../contract/src/people.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { affectedRows, insertReturningId, type Queries } from "../../db/portable.ts";
import { NEW_USER } from "../../db/new-user.ts";
import { bumpVersion } from "../../db/versions.ts";
import { isMailConfigured } from "../../notify/mail.ts";
import { putMessage } from "../../notify/outbox.ts";
import { nowSeconds } from "../../util/clock.ts";
import { addressOf, inConstantTime } from "../accounts/email-codes.ts";
import { invitationHash, openInvitations } from "../accounts/invitation.ts";
import { newLinkToken } from "../accounts/one-time-codes.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";
import { usernamesOf } from "../kit/lists.ts";

const DAY_SECONDS = 86_400;
/** Older ones are deleted when others are sent. */
const KEPT_SECONDS = 180 * DAY_SECONDS;

const onceKeyOf = (id: number): string => `invitation:${id}`;

/** Takes back the open invitations that `which` has, with their mails that were not sent yet. @returns how many */
async function revokeOpen(queries: Queries, which: { id: number } | { email: string }, now: number): Promise<number> {
  const [column, value] = "id" in which ? (["id", which.id] as const) : (["email", which.email] as const);
  const rows = await openInvitations(queries, now).select("id").where(column, "=", value).execute();
  let revoked = 0;
  for (const { id } of rows) {
    const update = queries.updateTable("invitations").set({ revoked_time: now }).where("id", "=", id);
    const open = update.where("used_time", "=", 0).where("revoked_time", "=", 0);
    revoked += affectedRows(await open.executeTakeFirstOrThrow());
    const mail = queries.deleteFrom("outbox").where("once_key", "=", onceKeyOf(id));
    await mail.where("status", "=", "waiting").execute();
  }
  return revoked;
}

/** Throws AppError invitations_spent; read under the lock of all who write users. */
async function refuseTooMany(queries: Queries, userId: number, more: number, now: number): Promise<void> {
  const { count } = await queries
    .selectFrom("invitations")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("created_by", "=", userId)
    .where("created_time", ">", now - DAY_SECONDS)
    .executeTakeFirstOrThrow();
  if (Number(count) + more > INVITED_A_DAY) throw new AppError("invitations_spent", { field: "emails" });
}

interface Sent {
  email: string;
  group: string;
  quota: number;
  days: number;
}

async function inviteOne(context: ConsoleContext, queries: Queries, { session, request }: Actor, sent: Sent) {
  const { database, clock, snapshot } = context;
  const { email, group, quota, days } = sent;
  const now = nowSeconds(clock);
  // A newer link takes the place of the one before.
  await revokeOpen(queries, { email }, now);
  const token = newLinkToken();
  const expires = now + days * DAY_SECONDS;
  const id = await insertReturningId(database, queries, "invitations", {
    email,
    token_hash: invitationHash(context, token),
    group_name: group,
    quota,
    created_by: session.user.id,
    created_time: now,
    expires_time: expires,
  });
  // An address that has an account is listed like every other, and sent nothing.
  const known = queries.selectFrom("users").select("id").where("email", "=", email).limit(1);
  if ((await known.executeTakeFirst()) !== undefined) return;
  const site = snapshot.options.ServerAddress.replace(/\/+$/, "");
  const address = `${site}/invitation?${new URLSearchParams({ token })}`;
  await putMessage(context, queries, {
    notification: { code: "invitation", values: { inviter: session.user.username, address, until: expires } },
    userId: 0,
    recipient: { method: "email", address: email },
    language: request.language,
    now,
    onceKey: onceKeyOf(id),
  });
}

/**
 * Mails a link to each address. What is answered, listed and counted is the same whether an account has the address or not.
 * @throws AppError mail_not_configured, server_address_missing, email_invalid, group_unknown, invitations_spent, and permission_withheld
 * where a group or quota is chosen by who may not move money.
 */
export async function invite(context: ConsoleContext, actor: Actor, sent: NewInvitations): Promise<number> {
  const { options } = context.snapshot;
  if (!isMailConfigured(options)) throw new AppError("mail_not_configured");
  if (options.ServerAddress === "") throw new AppError("server_address_missing");
  const { quota, valid_days: days, group = NEW_USER.group_name } = sent;
  if ((quota > 0 || group !== NEW_USER.group_name) && !mayDo(actor.session.user, "money"))
    throw new AppError("permission_withheld", { values: { permission: "money" } });
  if (!context.snapshot.hasGroup(group)) throw new AppError("group_unknown", { field: "group" });
  const emails = [...new Set(sent.emails.map(addressOf))];
  const work = context.database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "users");
    const now = nowSeconds(context.clock);
    await transaction
      .deleteFrom("invitations")
      .where("created_time", "<", now - KEPT_SECONDS)
      .execute();
    await refuseTooMany(transaction, actor.session.user.id, emails.length, now);
    for (const email of emails) await inviteOne(context, transaction, actor, { email, group, quota, days });
  });
  await inConstantTime(work);
  await audit(context, actor, { code: "people_invited", values: { count: emails.length } }, { group, quota, days });
  return emails.length;
}

/** The latest invitations, the newest first. */
export async function listInvitations({ database, clock }: ConsoleContext): Promise<Invitation[]> {
  const rows = await database.kysely
    .selectFrom("invitations")
    .selectAll()
    .orderBy("id", "desc")
    .limit(INVITATIONS_LISTED)
    .execute();
  const ids = rows.flatMap(({ created_by, used_by }) => [created_by, used_by]);
  const names = await usernamesOf(database.kysely, ids);
  const now = nowSeconds(clock);
  const stateOf = ({ used_time, revoked_time, expires_time }: (typeof rows)[number]): Invitation["state"] => {
    if (used_time > 0) return "accepted";
    if (revoked_time > 0) return "revoked";
    return expires_time <= now ? "expired" : "open";
  };
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    group: row.group_name,
    quota: row.quota,
    created_by: names.get(row.created_by) ?? "",
    created_time: row.created_time,
    expires_time: row.expires_time,
    state: stateOf(row),
    username: names.get(row.used_by) ?? "",
  }));
}

/** Throws AppError invitation_invalid where it is none that is open. */
export async function revokeInvitation(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const now = nowSeconds(context.clock);
  const revoked = await context.database.kysely
    .transaction()
    .execute((transaction) => revokeOpen(transaction, { id }, now));
  if (revoked !== 1) throw new AppError("invitation_invalid");
  await audit(context, actor, { code: "invitation_revoked", values: { id } });
}
