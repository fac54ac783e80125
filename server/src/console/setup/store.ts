/** Rows of the first-run wizard: the one setups row, the administrator's account, the first options. */
import { randomBytes } from "node:crypto";
import { nameColumns, NEW_USER } from "../../db/new-user.ts";
import type { Kysely, Transaction } from "kysely";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { Database } from "../../db/database.ts";
import { insertOrIgnore, insertReturningId, upsert } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";

type Queries = Kysely<Schema> | Transaction<Schema>;

/** Fact that names the wizard's account, so that its opening quota is posted even where the process died in between. */
const ACCOUNT_FACT = "wizard_account";

export async function isSetupDone(queries: Queries): Promise<boolean> {
  const row = await queries.selectFrom("setups").select("id").where("id", "=", 1).executeTakeFirst();
  return row !== undefined;
}

export async function hasRoot(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom("users")
    .select("id")
    .where("role", "=", ROLE.root)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes the one row; false where somebody has it already. Two posts at once wait here for each other's end. */
export async function claimSetup(database: Database, queries: Queries, version: string, now: number): Promise<boolean> {
  return insertOrIgnore(database, queries, "setups", { id: 1, version, initialized_at: now });
}

/** What the console stores of the account that the wizard made. */
export interface RootAccount {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group_name: string;
  sign_in_epoch: number;
}

/** Makes the super administrator, without quota: that is posted afterwards. */
export async function insertRoot(
  database: Database,
  transaction: Transaction<Schema>,
  account: { username: string; passwordHash: string },
  now: number,
): Promise<RootAccount> {
  const changed_version = await bumpVersion(transaction, "users");
  const shown = { username: account.username, display_name: "Root User", role: ROLE.root };
  const id = await insertReturningId(database, transaction, "users", {
    ...NEW_USER,
    ...shown,
    ...nameColumns(account.username),
    password_hash: account.passwordHash,
    aff_code: randomBytes(6).toString("hex"),
    created_time: now,
    changed_version,
  });
  await insertOrIgnore(database, transaction, "facts", { name: ACCOUNT_FACT, value: String(id) });
  return { id, ...shown, status: NEW_USER.status, group_name: NEW_USER.group_name, sign_in_epoch: 0 };
}

/** Id of the account the wizard made; undefined where it made none. */
export async function wizardAccount(queries: Queries): Promise<number | undefined> {
  const row = await queries.selectFrom("facts").select("value").where("name", "=", ACCOUNT_FACT).executeTakeFirst();
  return row === undefined ? undefined : Number(row.value);
}

/** Stores options of the wizard (none of them is a secret). */
export async function storeOptions(
  database: Database,
  transaction: Transaction<Schema>,
  values: Readonly<Record<string, string>>,
  now: number,
): Promise<void> {
  await bumpVersion(transaction, "options");
  for (const [name, value] of Object.entries(values)) {
    const change = { value, updated_time: now };
    await upsert(database, transaction, "options", { name, ...change }, ["name"], change);
  }
}
