/** Accounts of other sites bound to one's own: listed, added, and taken away as long as another way in is left. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Binding } from "../../../../contract/src/features/identities.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import { type BuiltInWay, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { requireLivingSession } from "../session-store.ts";
import { allProviders } from "./named-store.ts";
import type { Profile } from "./providers/provider.ts";
import { boundLogins, refuseLastWay } from "./last-way.ts";
import { deleteIdentity, findOwner, findUser, identitiesOf, writeColumn, writeIdentity } from "./store.ts";

/** Throws not_found for an account that is gone. */
export async function listBindings({ database }: ConsoleContext, userId: number): Promise<Binding[]> {
  const user = await findUser(database.kysely, userId);
  if (user === undefined) throw new AppError("not_found");
  const names = new Map((await allProviders(database)).map(({ slug, name }) => [slug, name]));
  const bound = boundLogins(user, await identitiesOf(database.kysely, userId));
  return [...bound].map(([provider, login]) => ({ provider, name: names.get(provider) ?? "", login }));
}

interface Actor {
  session: Session;
  request: RequestFacts;
}

async function changing(
  context: ConsoleContext,
  work: (transaction: Transaction<Schema>, changedVersion: number) => Promise<void>,
): Promise<void> {
  await context.database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line, so an identity goes to one account only.
    await work(transaction, await bumpVersion(transaction, "users"));
  });
  await context.snapshot.refresh();
}

/**
 * Binds an identity to the account of the session; that account is told by mail.
 * @throws AppError identity_taken where another account has it, deregistered ones too; identity_bound where this account has another
 * identity of the site, which only `unbind` takes away; not_found.
 */
export async function bind(context: ConsoleContext, actor: Actor, way: string, profile: Profile): Promise<void> {
  const userId = actor.session.user.id;
  const { subject, login } = profile;
  const values = { provider: await nameOf(context, way), ip: actor.request.ip };
  let isNew = false;
  await changing(context, async (transaction, changedVersion) => {
    await requireLivingSession(transaction, { userId, sessionId: actor.session.sessionId });
    const user = await findUser(transaction, userId);
    if (user === undefined) throw new AppError("not_found");
    const owner = await findOwner(transaction, way, subject);
    if (owner?.id === userId) return;
    if (owner !== undefined) throw new AppError("identity_taken");
    if (boundLogins(user, await identitiesOf(transaction, userId)).has(way)) throw new AppError("identity_bound");
    if (isBuiltInWay(way)) await writeColumn(transaction, { userId, way, subject, changedVersion });
    // What is left of an identity of this site that went away by other means.
    await deleteIdentity(transaction, userId, way);
    const created_time = Math.floor(context.clock() / 1000);
    const row = { provider: way, subject, user_id: userId, login, created_time };
    await writeIdentity(context.database, transaction, row);
    await tell(context, transaction, userId, { code: "identity_added", values });
    isNew = true;
  });
  if (isNew) context.recordSecurityEvent({ kind: "identity_bound", userId, way, ip: actor.request.ip });
}

/**
 * Takes an identity away; the account is told by mail.
 * @throws AppError identity_not_bound, identity_last where nobody could come in any more, not_found.
 */
export async function unbind(context: ConsoleContext, actor: Actor, way: string): Promise<void> {
  const userId = actor.session.user.id;
  const values = { provider: await nameOf(context, way), ip: actor.request.ip };
  await changing(context, async (transaction, changedVersion) => {
    const user = await findUser(transaction, userId);
    if (user === undefined) throw new AppError("not_found");
    const bound = boundLogins(user, await identitiesOf(transaction, userId));
    if (!bound.has(way)) throw new AppError("identity_not_bound");
    await refuseLastWay(context, transaction, userId, { way });
    if (isBuiltInWay(way)) await writeColumn(transaction, { userId, way, subject: null, changedVersion });
    await deleteIdentity(transaction, userId, way);
    await tell(context, transaction, userId, { code: "identity_removed", values });
  });
}

const tell = (context: ConsoleContext, transaction: Transaction<Schema>, userId: number, notification: Notification) =>
  notifyUser(context, transaction, { userId, notification });

const NAMES: Readonly<Record<BuiltInWay, string>> = {
  github: "GitHub",
  oidc: "OpenID Connect",
  linuxdo: "Linux DO",
  wechat: "WeChat",
  telegram: "Telegram",
};

/** What a person calls the site. */
async function nameOf(context: ConsoleContext, way: string): Promise<string> {
  if (isBuiltInWay(way)) return NAMES[way];
  return (await allProviders(context.database)).find(({ slug }) => slug === way)?.name ?? way;
}
