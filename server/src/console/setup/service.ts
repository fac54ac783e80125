/** Rules of the set-up wizard: who may submit it, what it creates, and that it runs exactly once. */
import { randomBytes } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import type { z } from "zod";
import { OPENING_QUOTA, PASSWORD_MINIMUM_LENGTH, USERNAME_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { setupFormSchema } from "../../../../contract/src/features/setup.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { Billing } from "../../billing/billing.ts";
import type { Database } from "../../db/database.ts";
import { nameColumns, NEW_USER } from "../../db/new-user.ts";
import { insertOrIgnore, insertReturningId, upsert } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds, toSeconds } from "../../util/clock.ts";
import { checkNewPassword } from "../accounts/account-rules.ts";
import type { SignedInAccount } from "../accounts/login-answer.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { isSameSecret } from "../http/same-secret.ts";
import { hashPassword } from "../passwords.ts";
import { createSession } from "../session-store.ts";

type Queries = Kysely<Schema> | Transaction<Schema>;

/** Fact that names the wizard's account, so that its opening quota is posted even where the process died in between. */
const ACCOUNT_FACT = "wizard_account";

async function isSetupDone(queries: Queries): Promise<boolean> {
  const row = await queries.selectFrom("setups").select("id").where("id", "=", 1).executeTakeFirst();
  return row !== undefined;
}

async function hasRoot(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom("users")
    .select("id")
    .where("role", "=", ROLE.root)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Claims the one row; false if it is taken. Concurrent requests wait here for each other's transaction. */
async function claimSetup(database: Database, queries: Queries, version: string, now: number): Promise<boolean> {
  return insertOrIgnore(database, queries, "setups", { id: 1, version, initialized_at: now });
}

/** Makes the super administrator, without quota: that is posted afterwards. */
async function insertRoot(
  database: Database,
  transaction: Transaction<Schema>,
  account: { username: string; passwordHash: string },
  now: number,
): Promise<SignedInAccount> {
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
async function wizardAccount(queries: Queries): Promise<number | undefined> {
  const row = await queries.selectFrom("facts").select("value").where("name", "=", ACCOUNT_FACT).executeTakeFirst();
  return row === undefined ? undefined : Number(row.value);
}

/** Stores options of the wizard (none of them is a secret). */
async function storeOptions(
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

type SetupForm = z.output<typeof setupFormSchema>;

interface Login {
  account: SignedInAccount;
  /** Value of the new session's cookie. */
  cookie: string;
}

/** Whether the wizard is done; once true it is not asked of the database again. */
const known = new WeakSet<Database>();

export async function isDone(database: Database): Promise<boolean> {
  if (known.has(database)) return true;
  const isNowDone = await isSetupDone(database.kysely);
  if (isNowDone) known.add(database);
  return isNowDone;
}

/** The answer of GET /api/setup: nothing about the database once the wizard is done, and its place only with the code. */
export async function readSetup({ database, site }: ConsoleContext, code: string) {
  if (await isDone(database)) return { status: true, root_init: false, database_type: "", database_place: "" };
  const root_init = await hasRoot(database.kysely);
  const database_place = isSameSecret(code.trim(), site.setupCode) ? site.databasePlace : "";
  return { status: false, root_init, database_type: database.engine, database_place };
}

/** Throws the AppError of the first rule that the form breaks (in the order of the form). */
function checkAccount(context: ConsoleContext, form: SetupForm): void {
  if (form.username.trim() === "") throw new AppError("setup_username_missing", { field: "username" });
  if ([...form.username.trim()].length > USERNAME_MAXIMUM_LENGTH) {
    throw new AppError("setup_username_long", { field: "username" });
  }
  if ([...form.password].length < PASSWORD_MINIMUM_LENGTH) {
    throw new AppError("setup_password_short", { field: "password" });
  }
  checkNewPassword(context, form.password, { username: form.username, email: null });
  if (form.password !== form.confirmPassword) {
    throw new AppError("setup_password_mismatch", { field: "confirmPassword" });
  }
}

/** The code is printed to the operator who starts the server. Nothing else distinguishes them from a visitor behind a proxy on the same machine. */
function checkCode({ site }: ConsoleContext, code: string): void {
  if (!isSameSecret(code.trim(), site.setupCode)) throw new AppError("setup_code_wrong", { field: "code" });
}

/**
 * Sets the system up: account, its first session, usage mode, opening quota. All rows but the quota's ledger entry are one
 * transaction that begins by taking the one setups row, so of two posts at once one wins.
 * @returns the administrator who is logged in by it; undefined where one existed already.
 * @throws AppError setup_* (each HTTP 200).
 */
export async function submitSetup(
  context: ConsoleContext,
  form: SetupForm,
  request: RequestFacts,
): Promise<Login | undefined> {
  if (await isDone(context.database)) throw new AppError("setup_done");
  checkCode(context, form.code);
  const isRootThere = await hasRoot(context.database.kysely);
  if (!isRootThere) checkAccount(context, form);
  const passwordHash = isRootThere ? undefined : await hashPassword(form.password);
  const login = await writeSetup(context, form, passwordHash, request);
  known.add(context.database);
  await postOpening(context.database, context.billing, context.clock());
  await context.snapshot.refresh();
  return login;
}

async function writeSetup(
  context: ConsoleContext,
  form: SetupForm,
  passwordHash: string | undefined,
  { ip, userAgent }: RequestFacts,
): Promise<Login | undefined> {
  const { database, site, secrets } = context;
  const now = nowSeconds(context.clock);
  return database.kysely.transaction().execute(async (transaction) => {
    if (!(await claimSetup(database, transaction, site.version, now))) throw new AppError("setup_done");
    await storeOptions(database, transaction, optionsOf(form), now);
    if (passwordHash === undefined) return undefined;
    const root = { username: form.username.trim(), passwordHash };
    const account = await insertRoot(database, transaction, root, now);
    const cookie = await createSession(
      transaction,
      secrets,
      { userId: account.id, ip, userAgent, way: "password" },
      now,
    );
    return { account, cookie };
  });
}

/** Self-use mode may reach upstreams on its own network; other modes may not by default. */
const optionsOf = (form: SetupForm) => ({
  SelfUseModeEnabled: String(form.SelfUseModeEnabled),
  DemoSiteEnabled: String(form.DemoSiteEnabled),
  AllowPrivateUpstreamsEnabled: String(form.SelfUseModeEnabled),
});

/** Posts the opening quota of the wizard's account, once: the entry's id is unique. Also called at every start. */
async function postOpening(database: Database, billing: Billing, nowMs: number): Promise<void> {
  const userId = await wizardAccount(database.kysely);
  if (userId === undefined) return;
  await billing.move({
    entryId: `opening:${userId}`,
    kind: "opening",
    userId,
    quotaDelta: OPENING_QUOTA,
    detail: JSON.stringify({ reason: "first-run setup", at: toSeconds(nowMs) }),
  });
}

/**
 * Start-up rule (reference section 7): a database with a super administrator but no setups row counts as set up; and an
 * opening quota that a crash kept from being posted is posted now.
 */
export async function finishEarlierSetup(
  database: Database,
  billing: Billing,
  facts: { version: string; nowMs: number },
): Promise<void> {
  if (!(await isSetupDone(database.kysely)) && (await hasRoot(database.kysely))) {
    await claimSetup(database, database.kysely, facts.version, toSeconds(facts.nowMs));
  }
  await postOpening(database, billing, facts.nowMs);
}
