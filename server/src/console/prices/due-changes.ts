/** The job that applies changes of prices at their date: each once, by one process, as long as their author may change prices. */
import { AppError } from "../../../../contract/src/errors.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import type { PriceChangeDraft } from "../../../../contract/src/pricing/price-changes.ts";
import { affectedRows } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { applyDraft, planOf } from "./changes.ts";

/** Changes of one round; the others come in the next. */
const AT_ONCE = 20;

const dueRows = ({ database, clock }: ConsoleContext, limit: number) =>
  database.kysely
    .selectFrom("price_changes")
    .select(["id", "draft", "created_by"])
    .where("state", "=", "waiting")
    .where("apply_time", "<=", nowSeconds(clock))
    .orderBy("apply_time")
    .orderBy("id")
    .limit(limit)
    .execute();
type DueRow = Awaited<ReturnType<typeof dueRows>>[number];

/** Nothing came over HTTP. */
const NO_REQUEST: RequestFacts = {
  ip: "",
  claim: undefined,
  userAgent: "",
  language: "en",
  requestId: "",
  origin: "",
  isOwnPage: false,
  isSecure: false,
  sessionCookie: "",
  isUnprefixedCookie: false,
  flowCookie: "",
  host: "",
};

/** The person who scheduled it, with their present rights. Throws AppError permission_withheld where they may not change prices any more. */
function actorOf({ snapshot }: ConsoleContext, userId: number): ConfirmingActor {
  const user = snapshot.userById(userId);
  if (user === undefined || user.isDeleted || user.status !== 1 || !mayDo(user, "money"))
    throw new AppError("permission_withheld", { values: { permission: "money" } });
  const nothing = { sessionId: undefined, scope: undefined, confirmedTime: 0, requiredAction: undefined };
  return {
    session: { user, role: user.role, ...nothing },
    request: NO_REQUEST,
    requireStepUp: () => {
      throw new AppError("step_up_required");
    },
  };
}

/** The state changes in the transaction of the prices: a process that is killed has done both or neither. */
async function applyDue(context: ConsoleContext, { id, draft: text, created_by }: DueRow): Promise<void> {
  await context.snapshot.refresh();
  // The column is written by changes.ts alone.
  const draft = JSON.parse(text) as PriceChangeDraft;
  await applyDraft(context, actorOf(context, created_by), draft, {
    plan: planOf(draft),
    alongside: async (transaction) => {
      const ended = await transaction
        .updateTable("price_changes")
        .set({ state: "applied", ended_time: nowSeconds(context.clock) })
        .where("id", "=", id)
        .where("state", "=", "waiting")
        .executeTakeFirstOrThrow();
      if (affectedRows(ended) !== 1) throw new AppError("price_change_over");
    },
  });
}

/** A change that is refused now is refused for good, with its reason in the list. */
async function fail({ database, clock }: ConsoleContext, id: number, failure: string): Promise<void> {
  await database.kysely
    .updateTable("price_changes")
    .set({ state: "failed", failure, ended_time: nowSeconds(clock) })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .execute();
}

/** Applies every change whose date has come, the earliest first. A failure of the database ends the round; the next one continues. */
export async function applyDueChanges(context: ConsoleContext): Promise<void> {
  for (const row of await dueRows(context, AT_ONCE))
    try {
      await applyDue(context, row);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Another process was faster, or it was cancelled.
      if (error.code === "price_change_over") continue;
      context.logger.warn({ err: error, change: row.id }, "a scheduled change of prices was refused");
      await fail(context, row.id, error.code);
    }
}

/** Looks every few seconds; most of the time there is nothing to do, and nothing is written. */
export const dueChangesJob = (context: ConsoleContext) => ({
  name: "price_changes",
  everySeconds: 5,
  hasWork: async () => (await dueRows(context, 1)).length > 0,
  run: () => applyDueChanges(context),
});
