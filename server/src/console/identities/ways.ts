/** Which other sites users can sign in with at the moment, built-in and named; and the rule that an account keeps its last way to sign in. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import { type BuiltInWay, isBuiltInWay, WAYS } from "../../../../contract/src/ways-in.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { enabledProviders, findUser, identitiesOf } from "../identity-store.ts";
import { findBySlug, settingsOf } from "./named-store.ts";
import { oauthProvider } from "./providers/oauth2.ts";
import type { CodeProvider } from "./providers/provider.ts";
import { CODE_PROVIDERS, oidcOf } from "./providers/registry.ts";

type Context = Pick<ConsoleContext, "database" | "snapshot" | "secrets">;

/** Throws AppError identity_off where the option of a built-in way is off. */
export function refuseOff({ snapshot }: Pick<ConsoleContext, "snapshot">, way: BuiltInWay): void {
  if (!snapshot.options[WAYS[way].option]) throw new AppError("identity_off");
}

/**
 * The site of this name that leads back with a code.
 * @throws AppError not_found where there is none, identity_off where it is switched off.
 */
export async function codeProviderOf(context: Context, way: string): Promise<CodeProvider> {
  if (isBuiltInWay(way)) {
    refuseOff(context, way);
    const provider = await CODE_PROVIDERS[way]?.(context.snapshot.options);
    if (provider === undefined) throw new AppError("not_found");
    return provider;
  }
  const row = await findBySlug(context.database, way);
  if (row === undefined) throw new AppError("not_found");
  if (row.is_enabled !== 1) throw new AppError("identity_off");
  const settings = settingsOf(context.secrets, row);
  return "mapping" in settings ? oauthProvider(settings) : oidcOf(settings);
}

/** Names of all that may be used now. */
async function enabledWays({
  database,
  snapshot,
}: Pick<Context, "snapshot"> & { database: { kysely: Queries } }): Promise<ReadonlySet<string>> {
  const builtIn = Object.entries(WAYS).filter(([, { option }]) => snapshot.options[option]);
  const named = await enabledProviders(database);
  return new Set([...builtIn.map(([way]) => way), ...named.map(({ slug }) => slug)]);
}

/** Whether the account has a passkey beside the one of this hash. */
async function hasOtherPasskey(queries: Queries, userId: number, credentialHash: string): Promise<boolean> {
  const row = await queries
    .selectFrom("passkeys")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("credential_hash", "!=", credentialHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** The way that is to be removed. */
interface Going {
  /** Name of another site. */
  way?: string;
  /** Hash of a passkey. */
  passkey?: string;
}

/** Whether the account could not be entered without what is going. Throws AppError not_found where the account is gone. */
export async function isLastWay(
  { snapshot }: Pick<ConsoleContext, "snapshot">,
  transaction: Transaction<Schema>,
  userId: number,
  { way, passkey = "" }: Going,
): Promise<boolean> {
  const user = await findUser(transaction, userId);
  if (user === undefined) throw new AppError("not_found");
  if ((user.password_hash ?? "") !== "" && snapshot.options.PasswordLoginEnabled) return false;
  if (await hasOtherPasskey(transaction, userId, passkey)) return false;
  const enabled = await enabledWays({ snapshot, database: { kysely: transaction } });
  const bound = await identitiesOf(transaction, userId);
  return !bound.some(({ provider }) => provider !== way && enabled.has(provider));
}

/**
 * Refuses where the account could not be entered without what is going. The transaction has raised the version of users before: whatever else takes
 * a way from this account stands in line behind it, on every process.
 * @throws AppError identity_last, or not_found where the account is gone.
 */
export async function refuseLastWay(
  context: Pick<ConsoleContext, "snapshot">,
  transaction: Transaction<Schema>,
  userId: number,
  going: Going,
): Promise<void> {
  if (await isLastWay(context, transaction, userId, going)) throw new AppError("identity_last");
}
