/** The last way into an account stays: passkeys, identities of sites that are on, and the password count alike. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import { BUILT_IN_WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import type { Schema } from "../../db/schema.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { findUser, hasOtherPasskey, identitiesOf } from "./store.ts";
import type { EntryColumns, IdentityRow } from "./store.ts";
import { enabledWays } from "./ways.ts";

/** Way to what the person is called there, else to the stable id. */
export function boundLogins(user: EntryColumns, identities: readonly IdentityRow[]): Map<string, string> {
  const logins = new Map(identities.map(({ provider, login, subject }) => [provider, login || subject]));
  const bound = new Map<string, string>();
  for (const [way, { column }] of Object.entries(BUILT_IN_WAYS)) {
    const subject = user[column];
    if (subject !== null && subject !== "") bound.set(way, logins.get(way) ?? subject);
  }
  for (const [provider, login] of logins) if (!isBuiltInWay(provider)) bound.set(provider, login);
  return bound;
}

/** What is about to go. */
interface Going {
  /** Name of another site. */
  way?: string;
  /** Hash of a passkey. */
  passkey?: string;
}

/**
 * Refuses where nobody could come in without what is going. The transaction has raised the version of users before: whatever else takes
 * a way from this account stands in line behind it, on every process.
 * @throws AppError identity_last, or not_found where the account is gone.
 */
export async function refuseLastWay(
  { snapshot }: Pick<ConsoleContext, "snapshot">,
  transaction: Transaction<Schema>,
  userId: number,
  { way, passkey = "" }: Going,
): Promise<void> {
  const user = await findUser(transaction, userId);
  if (user === undefined) throw new AppError("not_found");
  if ((user.password_hash ?? "") !== "" && snapshot.options.PasswordLoginEnabled) return;
  if (await hasOtherPasskey(transaction, userId, passkey)) return;
  const enabled = await enabledWays({ snapshot, database: { kysely: transaction } });
  const bound = boundLogins(user, await identitiesOf(transaction, userId));
  if (![...bound.keys()].some((other) => other !== way && enabled.has(other))) throw new AppError("identity_last");
}
