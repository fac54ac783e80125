/** Links identities at other sites to an account: lists, adds and removes them, but never the last way to sign in. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Binding } from "../../../../contract/src/features/identities.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import { BUILT_IN_WAYS, WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { requireOpenSession } from "../session-store.ts";
import { allProviders } from "./named-store.ts";
import type { Profile } from "./providers/provider.ts";
import { refuseLastWay } from "./ways.ts";
import { deleteIdentity, findOwner, findUser, identitiesOf, insertIdentity } from "../identity-store.ts";

/** Built-in ways stand in the order of the table, named providers behind them. */
const placeOf = (way: string): number => (isBuiltInWay(way) ? BUILT_IN_WAYS.indexOf(way) : BUILT_IN_WAYS.length);

/** Throws not_found for an account that is gone. */
export async function listBindings({ database }: ConsoleContext, userId: number): Promise<Binding[]> {
  if ((await findUser(database.kysely, userId)) === undefined) throw new AppError("not_found");
  const names = new Map((await allProviders(database)).map(({ slug, name }) => [slug, name]));
  const rows = await identitiesOf(database.kysely, userId);
  return rows
    .toSorted((left, right) => placeOf(left.provider) - placeOf(right.provider))
    .map(({ provider, login, subject }) => ({ provider, name: names.get(provider) ?? "", login: login || subject }));
}

interface Actor {
  session: Session;
  request: RequestFacts;
}

async function changing(
  context: ConsoleContext,
  work: (transaction: Transaction<Schema>) => Promise<void>,
): Promise<void> {
  await context.database.kysely.transaction().execute(async (transaction) => {
    // Taken first: all writers of users stand in this line, so an identity goes to one account only.
    await bumpVersion(transaction, "users");
    await work(transaction);
  });
  await context.snapshot.refresh();
}

const isBound = async (transaction: Transaction<Schema>, userId: number, way: string): Promise<boolean> =>
  (await identitiesOf(transaction, userId)).some(({ provider }) => provider === way);

/**
 * Binds an identity to the account of the session, which gets a mail about it.
 * @throws AppError identity_taken where another account has it, deregistered ones too; identity_bound where this account has another
 * identity of the site, which only `unbind` takes away; not_found.
 */
export async function bind(context: ConsoleContext, actor: Actor, way: string, profile: Profile): Promise<void> {
  const userId = actor.session.user.id;
  const { subject, login } = profile;
  const values = { provider: await nameOf(context, way), ip: actor.request.ip };
  let isNew = false;
  await changing(context, async (transaction) => {
    await requireOpenSession(transaction, { userId, sessionId: actor.session.sessionId });
    if ((await findUser(transaction, userId)) === undefined) throw new AppError("not_found");
    const owner = await findOwner(transaction, way, subject);
    if (owner?.id === userId) return;
    if (owner !== undefined) throw new AppError("identity_taken");
    if (await isBound(transaction, userId, way)) throw new AppError("identity_bound");
    const created_time = Math.floor(context.clock() / 1000);
    await insertIdentity(transaction, { provider: way, subject, user_id: userId, login, created_time });
    await notify(context, transaction, userId, { code: "identity_added", values });
    isNew = true;
  });
  if (isNew) context.recordSecurityEvent({ kind: "identity_bound", userId, way, ip: actor.request.ip });
}

/**
 * Takes an identity away; the account gets a mail about it.
 * @throws AppError identity_not_bound, identity_last where the account could not be entered any more, not_found.
 */
export async function unbind(context: ConsoleContext, actor: Actor, way: string): Promise<void> {
  const userId = actor.session.user.id;
  const values = { provider: await nameOf(context, way), ip: actor.request.ip };
  await changing(context, async (transaction) => {
    if ((await findUser(transaction, userId)) === undefined) throw new AppError("not_found");
    if (!(await isBound(transaction, userId, way))) throw new AppError("identity_not_bound");
    await refuseLastWay(context, transaction, userId, { way });
    await deleteIdentity(transaction, userId, way);
    await notify(context, transaction, userId, { code: "identity_removed", values });
  });
}

const notify = (
  context: ConsoleContext,
  transaction: Transaction<Schema>,
  userId: number,
  notification: Notification,
) => notifyUser(context, transaction, { userId, notification });

/** What a person calls the site. */
async function nameOf(context: ConsoleContext, way: string): Promise<string> {
  if (isBuiltInWay(way)) return WAYS[way].title;
  return (await allProviders(context.database)).find(({ slug }) => slug === way)?.name ?? way;
}
