/** Calls of an administrator who sees the console as a user: found by the user header, authorised anew at each call, limited to the reads named here. */
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { maySeeAs } from "../../../../contract/src/people.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { Identity } from "./authenticate.ts";
import type { ConsoleContext } from "./handlers.ts";

/**
 * What is answered as the person: reads of their own figures, by feature and name of the endpoint. Nothing else is, so that a new endpoint is
 * closed; nothing here answers with a key, a code, a session or a way to sign in.
 */
export const SEEN_READS: ReadonlySet<string> = new Set([
  "personal.getSelf",
  "personal.ownModels",
  "personal.ownSecurityEvents",
  "tokens.listTokens",
  "tokens.searchTokens",
  "tokens.getToken",
  "groups.ownGroups",
  "groups.publicGroups",
  "pricing.getPricing",
  "wallet.getWallet",
  "wallet.getStatement",
  "wallet.getStatementLines",
  "wallet.getPace",
  "wallet.getCheckin",
  "wallet.listOwnOrders",
  "wallet.getOwnOrder",
  "logs.listOwnLogs",
  "logs.statOwnLogs",
  "logs.listOwnLogFacets",
  "logs.drawOwnLogHistogram",
  "logs.groupOwnLogs",
  "logs.getOwnReceipt",
  "logs.listLogViews",
  "dashboard.listOwnUsage",
  "dashboard.listOwnFlow",
  "dashboard.getOwnOverview",
  "dashboard.getOwnCallReport",
  "dashboard.getOwnFirstSteps",
  "tasks.listOwnTasks",
  "drawing.listOwnDrawings",
]);

/** Ending it is the administrator's own call, whatever page it comes from. */
const ENDS = new Set(["users.endSeeing", "sessions.logout", "sessions.logoutByGet"]);

type SeeingContext = Pick<ConsoleContext, "snapshot" | "clock">;

/**
 * The identity as which a call is answered: that of the person, where this session sees them and the user header names them; otherwise the
 * caller's own. It has neither a session nor a confirmation, and reads alone.
 * @param name `<feature>.<endpoint>`
 * @throws AppError view_read_only for anything but the reads above, view_ended where it is over or no longer allowed.
 */
export function seenIdentity(
  { snapshot, clock }: SeeingContext,
  name: string,
  identity: Identity | undefined,
  userHeader: string | undefined,
): Identity | undefined {
  const seeing = identity?.seeing;
  if (identity === undefined || seeing === undefined || ENDS.has(name)) return identity;
  if (userHeader?.trim() !== String(seeing.userId)) return identity;
  const { user: actor, requiredAction } = identity;
  const person = snapshot.userById(seeing.userId);
  const isAllowed =
    actor.status === USER_STATUS.enabled &&
    requiredAction === undefined &&
    person?.isDeleted === false &&
    person.status === USER_STATUS.enabled &&
    maySeeAs(actor, person);
  if (!isAllowed || seeing.until <= nowSeconds(clock)) throw new AppError("view_ended");
  if (!SEEN_READS.has(name)) throw new AppError("view_read_only");
  return {
    user: person,
    sessionId: undefined,
    scope: "read",
    confirmedTime: 0,
    requiredAction: undefined,
    isSeen: true,
  };
}
