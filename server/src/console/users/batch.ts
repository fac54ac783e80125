/** Acts on several people at once: each by the rules of the single act, in a transaction of its own, with what was refused by its code. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { PeopleAction, PeopleBatchResult } from "../../../../contract/src/people.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { requirePermission } from "../kit/permitted.ts";
import { updateUser, type UserChangeContext } from "./change.ts";
import { manageUser } from "./manage.ts";

type BatchContext = UserChangeContext & Pick<ConsoleContext, "recordSecurityEvent">;

interface Batch {
  ids: readonly number[];
  action: PeopleAction;
  group?: string | undefined;
}

/** Throws what forbids the act for any account: permission_withheld, step_up_required, group_unknown. */
function checkBatch(context: UserChangeContext, actor: ConfirmingActor, { action, group }: Batch): void {
  requirePermission(actor.session.user, action === "group" ? "money" : "users");
  if (action === "delete") actor.requireStepUp();
  if (action === "group" && (group === undefined || !context.snapshot.hasGroup(group.trim())))
    throw new AppError("group_unknown", { field: "group" });
}

/** A row in the security log of each account, as the single act leaves one. */
function note(
  { recordSecurityEvent }: BatchContext,
  { session, request }: ConfirmingActor,
  id: number,
  reason: string,
) {
  const { ip, requestId } = request;
  recordSecurityEvent({ kind: "account_changed", userId: id, actorId: session.user.id, reason, ip, requestId });
}

/**
 * Does it to one after the other; those that are refused change nothing and are named with the code of the refusal.
 * @throws AppError permission_withheld, step_up_required or group_unknown before anything was done.
 */
export async function batchUsers(
  context: BatchContext,
  actor: ConfirmingActor,
  batch: Batch,
): Promise<PeopleBatchResult> {
  checkBatch(context, actor, batch);
  const { action, group } = batch;
  const result: PeopleBatchResult = { done: 0, refused: [] };
  for (const id of new Set(batch.ids)) {
    try {
      if (action === "group") await updateUser(context, actor, { id, group });
      else await manageUser(context, actor, { id, action });
      result.done += 1;
      note(context, actor, id, action);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      result.refused.push({ id, code: error.code });
    }
  }
  return result;
}
