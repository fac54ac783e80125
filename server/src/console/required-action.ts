/** Required actions of an account before any other request, checked at every call, and the rule that its last required factor cannot be removed. */
import type { Transaction } from "kysely";
import { AppError } from "../../../contract/src/errors.ts";
import { optionDefinition, type OptionValues } from "../../../contract/src/options/options.ts";
import { refusalOf } from "../../../contract/src/options/refusals.ts";
import {
  FACTOR_DEMANDS,
  type FactorDemand,
  isFactorDemanded,
  isRoot,
  type RequiredAction,
} from "../../../contract/src/roles.ts";
import { bumpVersion } from "../db/versions.ts";
import type { Queries } from "../db/portable.ts";
import type { Schema } from "../db/schema.ts";
import { hasTermsToAccept, type TermsOptions } from "./terms.ts";

const DEMAND = "SecondFactorDemand";

/** Whether the account has an authenticator app that was confirmed, and whether it has passkeys. */
export async function factorsOf(queries: Queries, userId: number): Promise<{ hasApp: boolean; hasPasskey: boolean }> {
  const app = queries.selectFrom("totp_factors").select("user_id").where("user_id", "=", userId);
  const key = queries.selectFrom("passkeys").select("user_id").where("user_id", "=", userId).limit(1);
  const hasApp = (await app.where("confirmed_time", ">", 0).executeTakeFirst()) !== undefined;
  return { hasApp, hasPasskey: (await key.executeTakeFirst()) !== undefined };
}

async function hasSecondFactor(queries: Queries, userId: number): Promise<boolean> {
  const { hasApp, hasPasskey } = await factorsOf(queries, userId);
  return hasApp || hasPasskey;
}

/** Who acts, and how they came. */
interface Comer {
  userId: number;
  role: number;
  /** `password`, `passkey`, or a provider's name; undefined for an access token. */
  way: string | undefined;
  isPasswordTemporary: boolean;
}

/**
 * The first required action, undefined for none. A user who signed in with a temporary password changes it; another way to sign in does not
 * prove that the user knows that password. A demo site publishes its password, and it cannot be changed there.
 */
export async function requiredActionOf(
  queries: Queries,
  options: TermsOptions & Pick<OptionValues, "SecondFactorDemand" | "TemporaryPasswordsEnabled" | "DemoSiteEnabled">,
  { userId, role, way, isPasswordTemporary }: Comer,
): Promise<RequiredAction | undefined> {
  const { SecondFactorDemand, TemporaryPasswordsEnabled, DemoSiteEnabled } = options;
  const canChange = !DemoSiteEnabled || isRoot(role);
  if (TemporaryPasswordsEnabled && isPasswordTemporary && way === "password" && canChange) return "password_change";
  if (isFactorDemanded(SecondFactorDemand, role) && !(await hasSecondFactor(queries, userId))) return "second_factor";
  return (await hasTermsToAccept(queries, options, { userId, role, way })) ? "terms" : undefined;
}

/** The option as it is stored at this moment, for what is decided by it in a transaction. */
async function storedDemand(queries: Queries): Promise<FactorDemand> {
  const row = await queries.selectFrom("options").select("value").where("name", "=", DEMAND).executeTakeFirst();
  const text = row?.value ?? optionDefinition(DEMAND).defaultText;
  return FACTOR_DEMANDS.find((demand) => demand === text) ?? "nobody";
}

/**
 * For transactions that took a factor away, after they did, and that stand in the line of all writers of users: so neither a demand nor
 * another removal comes between. Throws AppError factor_demanded where the account has to have a factor and has none left.
 */
export async function refuseLastFactor(transaction: Transaction<Schema>, userId: number): Promise<void> {
  const user = transaction.selectFrom("users").select("role").where("id", "=", userId);
  const { role } = await user.executeTakeFirstOrThrow();
  if (!isFactorDemanded(await storedDemand(transaction), role)) return;
  if (!(await hasSecondFactor(transaction, userId))) throw new AppError("factor_demanded");
}

/**
 * For transactions that set the requirement: an administrator cannot require a factor that they do not have. Raising the version serialises them.
 * Throws AppError option_prerequisite.
 */
export async function refuseDemandWithoutFactor(transaction: Transaction<Schema>, userId: number): Promise<void> {
  await bumpVersion(transaction, "users");
  if (await hasSecondFactor(transaction, userId)) return;
  throw new AppError("option_prerequisite", { ...refusalOf("own_factor_first"), field: DEMAND });
}
