/** What an administrator does for a user who lost their phone and their keys: takes the factors away, so that the password alone signs in. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { Queries } from "../../db/portable.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { audit } from "../kit/audit.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { checkEditable } from "../users/authority.ts";
import { userMissing } from "../users/service.ts";
import { deletePasskeys } from "./passkey-store.ts";
import { removeRecoveryCodes } from "./recovery-codes.ts";
import { deleteTotp } from "./store.ts";

/** The name of the account, where the caller may act on it. */
async function nameOfTarget(queries: Queries, { user, role }: Session, userId: number): Promise<string> {
  const target = await queries
    .selectFrom("users")
    .select(["id", "username", "role", "deleted_at"])
    .where("id", "=", userId)
    .executeTakeFirst();
  if (target === undefined) throw userMissing();
  // The own ones are turned off on the own page, which asks for more.
  if (target.id === user.id) throw new AppError("user_is_self", { field: "id" });
  checkEditable({ id: user.id, role }, target);
  return target.username;
}

/** @throws AppError not_found, user_is_self, user_role_not_lower, user_deregistered. */
export async function removeFactorsOf(
  context: ConsoleContext,
  session: Session,
  userId: number,
  request: RequestFacts,
): Promise<{ totp: boolean; passkeys: number }> {
  const { name, ...removed } = await context.database.kysely.transaction().execute(async (transaction) => {
    const name = await nameOfTarget(transaction, session, userId);
    const totp = await deleteTotp(transaction, userId);
    await removeRecoveryCodes(transaction, userId);
    const passkeys = await deletePasskeys(transaction, userId);
    const factors = [...(totp ? ["totp"] : []), ...(passkeys > 0 ? ["passkey"] : [])];
    for (const factor of factors)
      await notifyUser(context, transaction, {
        userId,
        notification: { code: "factor_removed_by_administrator", values: { factor } },
      });
    return { name, totp, passkeys };
  });
  const event = { code: "factors_removed", values: { name, id: userId } } as const;
  await audit(context, { session, request }, event, removed);
  return removed;
}
