/** The last way into an account stays: passkeys, identities of sites that are on, and the password count alike. */
import type { Transaction } from "kysely";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { findUser, identitiesOf } from "../identity-store.ts";
import { enabledWays } from "./ways.ts";

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

/** What is about to go. */
interface Going {
  /** Name of another site. */
  way?: string;
  /** Hash of a passkey. */
  passkey?: string;
}

/**
 * Refuses where the account could not be entered without what is going. The transaction has raised the version of users before: whatever else takes
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
  const bound = await identitiesOf(transaction, userId);
  if (!bound.some(({ provider }) => provider !== way && enabled.has(provider))) throw new AppError("identity_last");
}
