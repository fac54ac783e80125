/** The token that a new account begins with where the operator wants it (GENERATE_DEFAULT_TOKEN). */
import type { ConsoleContext } from "../http/handlers.ts";
import { createTokens } from "../tokens/service.ts";
import type { CreatedAccount } from "./new-account.ts";

/** Where a client shows what is left; the account's own quota is the limit. */
const SHOWN_QUOTA = 500_000;

/** Makes it where the operator wants one. An account without its first token is whole: what fails is logged, and the owner makes one. */
export async function giveFirstToken(context: ConsoleContext, account: CreatedAccount): Promise<void> {
  if (!context.site.givesFirstToken) return;
  const owner = { id: account.id, groupName: account.group_name };
  const name = `${account.username}'s initial token`;
  const token = { name, unlimited_quota: true, remain_quota: SHOWN_QUOTA, expired_time: -1 };
  await createTokens(context, owner, token).catch((error: unknown) =>
    context.logger.error({ err: error, userId: account.id }, "the first token of a new account could not be made"),
  );
}
