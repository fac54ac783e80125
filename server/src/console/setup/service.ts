/** Rules of the first-run wizard: who may submit it, what it makes, and that it happens exactly once. */
import { timingSafeEqual } from "node:crypto";
import type { z } from "zod";
import { OPENING_QUOTA, PASSWORD_MINIMUM_LENGTH, USERNAME_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { setupFormSchema } from "../../../../contract/src/features/setup.ts";
import type { Billing } from "../../billing/billing.ts";
import type { Database } from "../../db/database.ts";
import type { ConsoleContext, RequestFacts } from "../handlers.ts";
import { hashPassword } from "../passwords.ts";
import { claimSetup, hasRoot, insertRoot, isSetupDone, storeOptions, wizardAccount } from "./store.ts";

type SetupForm = z.output<typeof setupFormSchema>;

/** Whether the wizard is done; once true it is not asked of the database again. */
const known = new WeakSet<Database>();

export async function isDone(database: Database): Promise<boolean> {
  if (known.has(database)) return true;
  const isNowDone = await isSetupDone(database.kysely);
  if (isNowDone) known.add(database);
  return isNowDone;
}

/** What GET /api/setup tells; nothing about the database once the wizard is done. */
export async function readSetup(context: ConsoleContext, request: RequestFacts) {
  const { database } = context;
  if (await isDone(database)) return { status: true, root_init: false, database_type: "", code_required: false };
  const root_init = await hasRoot(database.kysely);
  return { status: false, root_init, database_type: database.engine, code_required: isCodeWanted(context, request) };
}

/** Throws the AppError of the first rule that the form breaks (spec section 5, in its order). */
function checkAccount(form: SetupForm): void {
  if (form.username.trim() === "") throw new AppError("setup_username_missing", { field: "username" });
  if ([...form.username.trim()].length > USERNAME_MAXIMUM_LENGTH) {
    throw new AppError("setup_username_long", { field: "username" });
  }
  if ([...form.password].length < PASSWORD_MINIMUM_LENGTH) {
    throw new AppError("setup_password_short", { field: "password" });
  }
  if (form.password !== form.confirmPassword) {
    throw new AppError("setup_password_mismatch", { field: "confirmPassword" });
  }
}

/** Whoever sits at this machine is its operator; everybody else shows the code that was printed here. */
const isCodeWanted = ({ site }: ConsoleContext, { isLocal }: RequestFacts): boolean => !site.isLoopback || !isLocal;

function checkCode(context: ConsoleContext, request: RequestFacts, code: string): void {
  if (!isCodeWanted(context, request)) return;
  const isRight = timingSafeEqual(digest(context, code.trim()), digest(context, context.site.setupCode));
  if (!isRight) throw new AppError("setup_code_wrong", { field: "code" });
}

const digest = (context: ConsoleContext, code: string): Buffer => Buffer.from(context.secrets.hash("setup_code", code));

/**
 * Sets the system up: account, usage mode, opening quota. All rows but the quota's ledger entry are one transaction that
 * begins by taking the one setups row, so of two posts at once one wins. Throws AppError setup_* (each HTTP 200).
 */
export async function submitSetup(context: ConsoleContext, request: RequestFacts, form: SetupForm): Promise<void> {
  if (await isDone(context.database)) throw new AppError("setup_done");
  checkCode(context, request, form.code);
  const isRootThere = await hasRoot(context.database.kysely);
  if (!isRootThere) checkAccount(form);
  const passwordHash = isRootThere ? undefined : await hashPassword(form.password);
  await writeSetup(context, form, passwordHash);
  known.add(context.database);
  await bookOpening(context.database, context.billing, context.clock());
  await context.snapshot.refresh();
}

async function writeSetup(context: ConsoleContext, form: SetupForm, passwordHash: string | undefined): Promise<void> {
  const { database, site } = context;
  const now = Math.floor(context.clock() / 1000);
  await database.kysely.transaction().execute(async (transaction) => {
    if (!(await claimSetup(database, transaction, site.version, now))) throw new AppError("setup_done");
    if (passwordHash !== undefined) {
      await insertRoot(database, transaction, { username: form.username.trim(), passwordHash }, now);
    }
    await storeOptions(database, transaction, optionsOf(form), now);
  });
}

/** A gateway for oneself reaches upstreams on its own network; any other does not unless told. */
const optionsOf = (form: SetupForm) => ({
  SelfUseModeEnabled: String(form.SelfUseModeEnabled),
  DemoSiteEnabled: String(form.DemoSiteEnabled),
  AllowPrivateUpstreamsEnabled: String(form.SelfUseModeEnabled),
});

/** Books the opening quota of the wizard's account, once: the entry's id is unique. Also called at every start. */
async function bookOpening(database: Database, billing: Billing, nowMs: number): Promise<void> {
  const userId = await wizardAccount(database.kysely);
  if (userId === undefined) return;
  await billing.move({
    entryId: `opening:${userId}`,
    kind: "opening",
    userId,
    quotaDelta: OPENING_QUOTA,
    detail: JSON.stringify({ reason: "first-run setup", at: Math.floor(nowMs / 1000) }),
  });
}

/**
 * Start-up rule (reference section 7): a database with a super administrator but no setups row counts as set up; and an
 * opening quota that a crash kept from being booked is booked now.
 */
export async function finishEarlierSetup(
  database: Database,
  billing: Billing,
  facts: { version: string; nowMs: number },
): Promise<void> {
  if (!(await isSetupDone(database.kysely)) && (await hasRoot(database.kysely))) {
    await claimSetup(database, database.kysely, facts.version, Math.floor(facts.nowMs / 1000));
  }
  await bookOpening(database, billing, facts.nowMs);
}
