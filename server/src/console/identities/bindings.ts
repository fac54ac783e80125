/** Links identities at other sites to an account: lists, adds and removes them, but never the last way to sign in. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Binding, ManagedBinding } from "../../../../contract/src/features/identities.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import { BUILT_IN_WAYS, WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";
import { checkEditable } from "../users/authority.ts";
import { requireOpenSession } from "../session-store.ts";
import { allProviders } from "./named-store.ts";
import type { Profile } from "./providers/provider.ts";
import { isLastWay, refuseLastWay } from "./ways.ts";
import { deleteIdentity, findOwner, findUser, identitiesOf, insertIdentity } from "../identity-store.ts";

/** Built-in ways stand in the order of the table, named providers behind them. */
const placeOf = (way: string): number => (isBuiltInWay(way) ? BUILT_IN_WAYS.indexOf(way) : BUILT_IN_WAYS.length);

/** Throws not_found for an account that is gone. */
export async function listBindings({ database }: ConsoleContext, userId: number): Promise<Binding[]> {
  if ((await findUser(database.kysely, userId)) === undefined) throw new AppError("not_found");
  const names = new Map((await allProviders(database.kysely)).map(({ slug, name }) => [slug, name]));
  const rows = await identitiesOf(database.kysely, userId);
  return rows
    .toSorted((left, right) => placeOf(left.provider) - placeOf(right.provider))
    .map(({ provider, login, subject }) => ({ provider, name: names.get(provider) ?? "", login: login || subject }));
}

/** Who binds or removes an identity of their own: in the console, or by a message to the bot. */
interface BindingActor {
  session: { user: Pick<Session["user"], "id">; sessionId: Session["sessionId"] };
  /** `ip`: where it came from, for the account's mail and log. */
  request: Pick<RequestFacts, "ip">;
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
export async function bind(context: ConsoleContext, actor: BindingActor, way: string, profile: Profile): Promise<void> {
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
export async function unbind(context: ConsoleContext, actor: BindingActor, way: string): Promise<void> {
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

/**
 * The user's name, where the caller may act on the account. Throws not_found, user_is_self (people have their own page for their own
 * bindings), user_role_not_lower or user_deregistered.
 */
async function checkedTarget(queries: Queries, { session }: Pick<Actor, "session">, userId: number): Promise<string> {
  const columns = ["id", "username", "role", "deleted_at"] as const;
  const target = await queries.selectFrom("users").select(columns).where("id", "=", userId).executeTakeFirst();
  if (target === undefined) throw new AppError("not_found");
  const { id, role } = session.user;
  if (target.id === id) throw new AppError("user_is_self", { field: "id" });
  checkEditable({ id, role }, target);
  return target.username;
}

/** Bindings of a user of a lower role, each with whether it is the last way in. Throws what `checkedTarget` throws. */
export async function listBindingsOf(context: ConsoleContext, actor: Actor, userId: number): Promise<ManagedBinding[]> {
  await checkedTarget(context.database.kysely, actor, userId);
  const bindings = await listBindings(context, userId);
  return context.database.kysely.transaction().execute(async (transaction) => {
    const marked: ManagedBinding[] = [];
    for (const binding of bindings)
      marked.push({ ...binding, is_last: await isLastWay(context, transaction, userId, { way: binding.provider }) });
    return marked;
  });
}

/**
 * Takes an identity away from a user of a lower role, who gets a mail; written to the administrators' log.
 * @throws AppError identity_not_bound, identity_last_of_user unless `isLastMeant`, and what `checkedTarget` throws.
 */
export async function unbindOf(
  context: ConsoleContext,
  actor: Actor,
  { userId, way, isLastMeant }: { userId: number; way: string; isLastMeant: boolean },
): Promise<void> {
  const provider = await nameOf(context, way);
  const done = { name: "" };
  await changing(context, async (transaction) => {
    done.name = await checkedTarget(transaction, actor, userId);
    if (!(await isBound(transaction, userId, way))) throw new AppError("identity_not_bound");
    if (!isLastMeant && (await isLastWay(context, transaction, userId, { way })))
      throw new AppError("identity_last_of_user", { field: "last" });
    await deleteIdentity(transaction, userId, way);
    await notify(context, transaction, userId, { code: "identity_removed_by_administrator", values: { provider } });
  });
  await audit(context, actor, { code: "identity_removed", values: { name: done.name, id: userId, provider } });
}

const notify = (
  context: ConsoleContext,
  transaction: Transaction<Schema>,
  userId: number,
  notification: Notification,
) => notifyUser(context, transaction, { userId, notification });

/** The name of the site for people. */
async function nameOf(context: ConsoleContext, way: string): Promise<string> {
  if (isBuiltInWay(way)) return WAYS[way].title;
  return (await allProviders(context.database.kysely)).find(({ slug }) => slug === way)?.name ?? way;
}
