/** Begins and ends an administrator's view of the console as another user: a read-only mode of their own session that expires. */
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { maySeeAs, SEEING_PERMISSIONS, SEEING_SECONDS, type Seeing } from "../../../../contract/src/people.ts";
import { affectedRows } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";
import { requirePermission } from "../kit/permitted.ts";
import { checkActor, checkReadable } from "./authority.ts";
import { userMissing } from "./service.ts";
import { patchUser } from "./store.ts";

type SeeingContext = Pick<ConsoleContext, "database" | "billing" | "clock">;

/**
 * From now on calls of this session that name the person in the user header are answered as to them, reads alone, for SEEING_SECONDS. It
 * ends with the session, with another person's view, and at once where the administrator may no longer.
 * @throws AppError not_found, user_is_self, user_role_not_lower, user_deregistered, user_banned, permission_withheld, session_required
 */
export async function seeAs(context: SeeingContext, actor: Actor, id: number): Promise<Seeing> {
  const { user, sessionId } = actor.session;
  if (sessionId === undefined) throw new AppError("session_required");
  const until = nowSeconds(context.clock) + SEEING_SECONDS;
  const found = await patchUser(
    context.database,
    { actorId: user.id, userId: id },
    async (doer, person, transaction) => {
      checkActor(doer);
      for (const permission of SEEING_PERMISSIONS) requirePermission(doer, permission);
      if (doer.id === id) throw new AppError("user_is_self");
      checkReadable(doer, person);
      if (!maySeeAs(doer, person)) throw new AppError("user_role_not_lower");
      if (person.deleted_at !== null) throw new AppError("user_deregistered");
      if (person.status !== USER_STATUS.enabled) throw new AppError("user_banned");
      const session = transaction
        .updateTable("sessions")
        .set({ seen_user_id: id, seen_until: until })
        .where("id", "=", sessionId)
        .where("user_id", "=", doer.id);
      if (affectedRows(await session.executeTakeFirstOrThrow()) !== 1) throw new AppError("not_logged_in");
      return { patch: {} };
    },
  );
  if (found === undefined) throw userMissing();
  const { username, display_name, role, status, group_name } = found.before;
  await audit(context, actor, { code: "user_seen_as", values: { name: username, id } });
  return { until, user: { id, username, display_name, role, status, group: group_name } };
}

/** Ends it; the session itself continues. */
export async function endSeeing({ database }: Pick<ConsoleContext, "database">, session: Session): Promise<void> {
  if (session.sessionId === undefined) throw new AppError("session_required");
  await database.kysely
    .updateTable("sessions")
    .set({ seen_user_id: 0, seen_until: 0 })
    .where("id", "=", session.sessionId)
    .execute();
}
