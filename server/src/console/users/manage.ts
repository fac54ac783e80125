/** What an administrator does to a whole account: roles, disabling, deregistering. In force everywhere within a second. */
import type { Notification } from "../../../../contract/src/notifications.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import type { ManagedState, UserAction } from "../../../../contract/src/features/users.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { deleteChatSharesOf } from "../chat-share-store.ts";
import { refuseLookAlike } from "../accounts/look-alikes.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import type { UserChangeContext } from "./change.ts";
import { checkAction, checkActor, decidesRoles } from "./authority.ts";
import { stateOf, userMissing } from "./service.ts";
import { patchUser } from "./store.ts";
import type { StoredUser, UserPatch } from "./store.ts";

interface Act {
  patch: UserPatch;
  /** Ends every session and access token of the user, so that every other holder of one is signed out. */
  endsSessions?: true;
  notification: Notification;
}

/** What the action does to this account; undefined where it is so already. `now` in Unix seconds. */
function actOf(action: UserAction, { role, status }: StoredUser, now: number): Act | undefined {
  const roleChange = (to: number): Act => ({
    patch: { role: to },
    // A session or token does not outlive the role it was begun with.
    endsSessions: true,
    notification: { code: "role_changed", values: { from: role, to } },
  });
  switch (action) {
    case "promote":
      return roleChange(ROLE.admin);
    case "demote":
      return roleChange(ROLE.user);
    case "enable":
      if (status === USER_STATUS.enabled) return undefined;
      return {
        patch: { status: USER_STATUS.enabled },
        // What the ban ended stays ended, also where the account was disabled by other means.
        endsSessions: true,
        notification: { code: "account_enabled", values: {} },
      };
    case "disable":
      if (status === USER_STATUS.disabled || status === USER_STATUS.notActivated) return undefined;
      return {
        patch: { status: USER_STATUS.disabled },
        endsSessions: true,
        notification: { code: "account_disabled", values: {} },
      };
    case "end_sessions":
      return { patch: {}, endsSessions: true, notification: { code: "sessions_ended_by_administrator", values: {} } };
    case "delete":
      return {
        patch: { deleted_at: now },
        endsSessions: true,
        notification: { code: "account_deleted", values: {} },
      };
  }
}

const EVENTS = {
  promote: "user_promoted",
  demote: "user_demoted",
  enable: "user_enabled",
  disable: "user_disabled",
  end_sessions: "user_sessions_ended",
  delete: "user_deregistered",
} as const;

/**
 * Does it, or finds that it is so already. Deregistering keeps the row, its name and its entries; nothing of it signs in or calls again.
 * @returns what the user is now.
 * @throws AppError not_found, the code of the rule that refuses (authority.ts), or step_up_required; then nothing has changed.
 */
export async function manageUser(
  context: UserChangeContext,
  actor: ConfirmingActor,
  { id, action }: { id: number; action: UserAction },
): Promise<ManagedState> {
  const now = nowSeconds(context.clock);
  let act: Act | undefined;
  const ids = { actorId: actor.session.user.id, userId: id };
  const change = await patchUser(context.database, ids, async (doer, user, transaction) => {
    checkActor(doer);
    checkAction(doer, user, action);
    if (decidesRoles(user, action)) actor.requireStepUp();
    // Of two that look alike it is unknown which one the administrator gave.
    if (action === "promote") await refuseLookAlike(transaction, user.username, user.id);
    act = actOf(action, user, now);
    if (act === undefined) return { patch: {} };
    if (action === "delete") await deleteChatSharesOf(transaction, id);
    await notifyUser(context, transaction, { userId: id, notification: act.notification });
    return act;
  });
  if (change === undefined) throw userMissing();
  const { before, after } = change;
  if (act !== undefined) {
    await context.snapshot.refresh();
    const event = { code: EVENTS[action], values: { name: before.username, id } } as const;
    await audit(context, actor, event, { before: stateOf(before), after: stateOf(after) });
  }
  return stateOf(after);
}
