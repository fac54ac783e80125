/** HTTP handlers of configuration files, and who may plan and apply them. */
import { AppError } from "../../../../contract/src/errors.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import type { ManagedKind } from "../../../../contract/src/configuration/marks.ts";
import { type ConsoleContext, defineHandlers, type Session } from "../http/handlers.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { requirePermission, withheld } from "../kit/permitted.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { marksOf } from "../managed-store.ts";
import { applyDocument } from "./apply.ts";
import { exportDocument } from "./export.ts";
import { makePlan, readDocument } from "./plan.ts";

/**
 * A session confirms who it is; an access token of the scope `admin`, which cannot, is let through where the super administrator has allowed
 * that. Gives the actor for what the file changes. Throws AppError step_up_required, access_token_scope or configuration_tokens_off.
 */
function requireApplier(context: ConsoleContext, actor: ConfirmingActor): ConfirmingActor {
  const { scope } = actor.session;
  if (scope === undefined) {
    actor.requireStepUp();
    return actor;
  }
  if (scope !== "admin") throw new AppError("access_token_scope");
  if (!context.snapshot.options.ConfigurationByTokenEnabled) throw new AppError("configuration_tokens_off");
  return { ...actor, requireStepUp: () => undefined };
}

/** Throws AppError permission_withheld where an administrator may not see things of this kind. */
function requireSight({ user, role }: Session, kind: ManagedKind): void {
  if (isRoot(role)) return;
  if (kind === "provider") throw new AppError("permission_denied");
  if (kind === "option" && !mayDo(user, "options") && !mayDo(user, "money")) throw withheld("options");
  if (kind === "price") requirePermission(user, "money");
  if (kind === "channel") requirePermission(user, "channels_see");
}

export const configurationHandlers = defineHandlers("configuration", {
  exportConfiguration: async ({ context, query }) => ({
    data: await exportDocument(context, { managedBy: query.managed_by, secretsAs: query.secrets }),
  }),
  planConfiguration: async ({ context, body, ...actor }) => {
    requireApplier(context, actor);
    const read = readDocument(body);
    return { data: "plan" in read ? read.plan : (await makePlan(context, body, read.document)).plan };
  },
  applyConfiguration: async ({ context, body, ...actor }) => ({
    data: await applyDocument(context, requireApplier(context, actor), body),
  }),
  listManaged: async ({ context, session, query }) => {
    requireSight(session, query.kind);
    return { data: await marksOf(context.database.kysely, query.kind) };
  },
});
