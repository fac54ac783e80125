/** Signs in with a proven identity: finds its account, or creates one if the site allows registration. */
import { randomInt } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import { USERNAME_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import { DISPLAY_NAME_MAX } from "../../../../contract/src/features/personal.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { withoutUnseen } from "../../../../contract/src/names.ts";
import type { Language } from "../../../../contract/src/notifications.ts";
import { bumpVersion } from "../../db/versions.ts";
import type { SignedInAccount } from "../accounts/login-answer.ts";
import { createAccount, type NewAccount } from "../accounts/new-account.ts";
import { signIn } from "../accounts/sign-in.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { findOwner, insertIdentity, type Owner, replaceSubject, writeLogin } from "../identity-store.ts";
import type { Profile } from "./providers/provider.ts";

const cut = (text: string, length: number): string => [...text].slice(0, length).join("");

/** Without blanks and @, cut to length; "" where nothing is left. */
const fit = (login: string): string => cut(withoutUnseen(login).replaceAll(/[\s@]/gu, ""), USERNAME_MAXIMUM_LENGTH);

/**
 * User names made of a login at another site, 1 to 32 characters that the console's own rule takes: the one to try first and, where it
 * is taken, the next ones, which each end with a number of more digits.
 * @param random a whole number from 0 up to, not including, its argument.
 */
function* usernames(provider: string, login: string, random: (below: number) => number): Generator<string> {
  const wanted = fit(login);
  if (wanted !== "") yield wanted;
  const base = wanted === "" ? `${provider}_` : wanted;
  for (const digits of [2, 3, 4, 5, 6, 6, 6, 6]) {
    const suffix = String(random(10 ** digits)).padStart(digits, "0");
    yield cut(base, USERNAME_MAXIMUM_LENGTH - digits) + suffix;
  }
}

/** What is shown of them: the name they gave there, else the user name. */
const displayNameOf = (name: string, username: string): string =>
  cut(withoutUnseen(name).trim(), DISPLAY_NAME_MAX).trim() || username;

interface Entering {
  /** A provider's name. */
  way: string;
  profile: Profile;
  /** Of the link that led here. */
  inviteCode: string;
  /** False for a site whose people only sign in here. */
  mayRegister: boolean;
}

/**
 * Signs in the account that the identity belongs to, or one that is made for it.
 * @throws AppError account_deleted, user_banned, registration_closed, or identity_not_bound where the site never registers.
 */
export async function enter(context: ConsoleContext, entering: Entering, request: RequestFacts) {
  const { way, profile } = entering;
  const owner = await ownerOf(context, way, profile);
  if (owner === undefined)
    return signIn(context, { account: await register(context, entering, request), way }, request);
  if (owner.deleted_at !== null) throw new AppError("account_deleted");
  if (owner.status !== USER_STATUS.enabled) throw new AppError("user_banned");
  await writeLogin(context.database.kysely, { provider: way, subject: profile.subject, login: profile.login });
  return signIn(context, { account: owner, way }, request);
}

/**
 * Whose identity it is. An account of another gateway may have come with GitHub's login instead of the number: it is found by that once, and
 * has the number from then on. A login of digits alone is not looked for: what is stored in that shape are numbers.
 */
async function ownerOf(context: ConsoleContext, way: string, { subject, login }: Profile): Promise<Owner | undefined> {
  const { kysely } = context.database;
  const owner = await findOwner(kysely, way, subject);
  if (owner !== undefined || way !== "github" || login === "" || /^\d+$/.test(login)) return owner;
  const imported = await findOwner(kysely, way, login);
  if (imported === undefined) return undefined;
  await kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "users");
    await replaceSubject(transaction, { user_id: imported.id, provider: way, subject: login }, subject);
  });
  await context.snapshot.refresh();
  return findOwner(kysely, way, subject);
}

async function register(
  context: ConsoleContext,
  entering: Entering,
  { language, ip }: RequestFacts,
): Promise<SignedInAccount> {
  const { RegisterEnabled, SelfUseModeEnabled } = context.snapshot.options;
  if (!entering.mayRegister) throw new AppError("identity_not_bound");
  // A gateway in self-use mode creates no accounts.
  if (!RegisterEnabled || SelfUseModeEnabled) throw new AppError("registration_closed");
  const { way, profile } = entering;
  if (profile.newAccountRefusal !== undefined) throw new AppError(profile.newAccountRefusal);
  for (const username of usernames(way, profile.login, (below) => randomInt(below))) {
    const created = await tryName(context, { ...entering, language }, username, profile.email);
    if (created === undefined) continue;
    context.recordSecurityEvent({ kind: "registered", userId: created.id, way, ip });
    return created;
  }
  throw new AppError("username_taken");
}

/** Undefined where another account has the name, or it looks like an administrator's; an e-mail address that is taken stays where it is. */
async function tryName(
  context: ConsoleContext,
  entering: Entering & { language: Language },
  username: string,
  email: string | undefined,
): Promise<SignedInAccount | undefined> {
  const { way, profile, inviteCode } = entering;
  const { subject, login, displayName } = profile;
  const account: NewAccount = {
    username,
    display_name: displayNameOf(displayName, username),
    inviteCode,
    setting: JSON.stringify({ language: entering.language }),
    ...(email === undefined ? {} : { email }),
  };
  try {
    return await createAccount(context, account, async (queries, userId) => {
      const created_time = Math.floor(context.clock() / 1000);
      await insertIdentity(queries, { provider: way, subject, user_id: userId, login, created_time });
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "email_taken") return tryName(context, entering, username, undefined);
    if (error.code === "username_taken" || error.code === "username_looks_like_administrator") return undefined;
    throw error;
  }
}
