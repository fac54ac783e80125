/** Changes of prices that are applied at once or wait for their date: applying, scheduling, listing and cancelling. */
import { AppError } from "../../../../contract/src/errors.ts";
import { type OptionName, optionDefinition, type OptionValues } from "../../../../contract/src/options/options.ts";
import {
  decimalMapText,
  isSameOwnPrice,
  ownPriceOf,
  ownPriceTexts,
  withOwnPrices,
} from "../../../../contract/src/pricing/own-prices.ts";
import {
  type AppliedPrices,
  KEPT_CHANGES_MOST,
  LONGEST_WAIT_SECONDS,
  NAMED_MODELS_MOST,
  NOTICES_A_DAY,
  type PriceChangeDraft,
  type StoredPriceChange,
  WAITING_CHANGES_MOST,
} from "../../../../contract/src/pricing/price-changes.ts";
import { affectedRows, insertReturningId, type Queries } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type Actor, audit, type ConfirmingActor } from "../kit/audit.ts";
import { usernamesOf } from "../kit/lists.ts";
import { type Alongside, changeOptions, type StoredOptions, storedPriceTables } from "../options/change.ts";
import { auditChange } from "../options/service.ts";
import { draftTerms } from "./dry-run/terms.ts";

/** Ratios of the groups as they are stored. */
export function storedRatios(stored: StoredOptions): Readonly<Record<string, string>> {
  const { read, defaultText } = optionDefinition("GroupRatio");
  return read(stored.get("GroupRatio")?.value ?? defaultText).value as OptionValues["GroupRatio"];
}

/** The ratios after a change; groups that are gone by now do not come back. */
export const withRatios = (
  ratios: Readonly<Record<string, string>>,
  changed: Readonly<Record<string, string>>,
): string =>
  decimalMapText(
    Object.fromEntries(
      Object.entries(ratios).map(([group, ratio]) => [
        group,
        Object.hasOwn(changed, group) ? (changed[group] ?? ratio) : ratio,
      ]),
    ),
  );

/** Throws AppError price_changed where a model has other own entries by now than were read. */
function refuseChanged(tables: Parameters<typeof ownPriceOf>[0], { changes }: PriceChangeDraft): void {
  for (const { model, from } of changes)
    if (!isSameOwnPrice(ownPriceOf(tables, model), from))
      throw new AppError("price_changed", { field: model, values: { model } });
}

/** Options that a draft changes, over what is stored. @param refuse looks at the stored tables first, and may throw */
export function planOf(
  draft: PriceChangeDraft,
  refuse: (tables: ReturnType<typeof storedPriceTables>) => void = () => undefined,
): (stored: StoredOptions) => ReadonlyMap<OptionName, string> {
  return (stored) => {
    const before = storedPriceTables(stored);
    refuse(before);
    const after = withOwnPrices(before, new Map(draft.changes.map(({ model, to }) => [model, to])));
    const was = ownPriceTexts(before);
    const texts = new Map([...ownPriceTexts(after)].filter(([name, text]) => text !== was.get(name)));
    if (Object.keys(draft.group_ratios).length > 0)
      texts.set("GroupRatio", withRatios(storedRatios(stored), draft.group_ratios));
    return texts;
  };
}

/** Longest list of changes repeated in the log. */
const AUDIT_CHANGES = 100;

/** Applies a draft with what `alongside` writes in the same transaction, and enters both into the administrators' log. */
export async function applyDraft(
  context: ConsoleContext,
  actor: ConfirmingActor,
  draft: PriceChangeDraft,
  { plan, alongside }: { plan: ReturnType<typeof planOf>; alongside: Alongside },
): Promise<void> {
  const written = await changeOptions(context, actor, plan, alongside);
  const { changes } = draft;
  if (changes.length > 0) {
    const event = {
      code: "prices_changed",
      values: { count: changes.length, model: changes[0]?.model ?? "" },
    } as const;
    await audit(context, actor, event, { changes: changes.slice(0, AUDIT_CHANGES) });
  }
  for (const change of written) if (change.name === "GroupRatio") await auditChange(context, actor, change);
}

interface NewChange {
  draft: PriceChangeDraft;
  state: "waiting" | "applied";
  applyTime: number;
  isAnnounced: boolean;
}

/** Names the message of a change to one person (announce.ts). */
export const noticeKey = (changeId: number, userId: number | "%"): string => `prices:${changeId}:${userId}`;

const DAY_SECONDS = 86_400;

/** Throws AppError price_notices_spent; read under the lock of all who change prices. */
async function refuseTooManyNotices(queries: Queries, now: number): Promise<void> {
  const lately = await queries
    .selectFrom("price_changes")
    .select("id")
    .where("notify", "!=", "")
    .where("created_time", ">", now - DAY_SECONDS)
    .limit(NOTICES_A_DAY)
    .execute();
  if (lately.length >= NOTICES_A_DAY) throw new AppError("price_notices_spent", { field: "notify" });
}

/** Ratios that the groups of a draft have now. */
const ratiosOf = ({ snapshot }: ConsoleContext, { group_ratios }: PriceChangeDraft): Record<string, string> =>
  Object.fromEntries(
    Object.entries(snapshot.options.GroupRatio).filter(([group]) => Object.hasOwn(group_ratios, group)),
  );

/** Writes a change, and deletes the oldest that are over and more than are kept. */
export async function recordChange(
  context: ConsoleContext,
  queries: Queries,
  { session }: Actor,
  { draft, state, applyTime, isAnnounced }: NewChange,
): Promise<number> {
  const { database, clock } = context;
  const now = nowSeconds(clock);
  if (isAnnounced) await refuseTooManyNotices(queries, now);
  const id = await insertReturningId(database, queries, "price_changes", {
    state,
    draft: JSON.stringify(draft),
    apply_time: applyTime,
    created_time: now,
    created_by: session.user.id,
    ended_time: state === "applied" ? now : 0,
    notify: isAnnounced ? "waiting" : "",
    ratios_before: isAnnounced ? JSON.stringify(ratiosOf(context, draft)) : null,
  });
  const last = await queries
    .selectFrom("price_changes")
    .select("id")
    .orderBy("id", "desc")
    .limit(1)
    .offset(KEPT_CHANGES_MOST)
    .executeTakeFirst();
  if (last !== undefined)
    await queries.deleteFrom("price_changes").where("id", "<=", last.id).where("state", "!=", "waiting").execute();
  return id;
}

/** Throws AppError price_changes_waiting where too many wait already; read under the lock of all who change prices. */
async function refuseTooMany(queries: Queries): Promise<void> {
  const waiting = await queries
    .selectFrom("price_changes")
    .select("id")
    .where("state", "=", "waiting")
    .limit(WAITING_CHANGES_MOST)
    .execute();
  if (waiting.length >= WAITING_CHANGES_MOST) throw new AppError("price_changes_waiting");
}

/** Throws as saving the draft would now. */
function refuseBad({ snapshot }: ConsoleContext, draft: PriceChangeDraft): void {
  const { options } = snapshot;
  refuseChanged(options, draft);
  for (const group of Object.keys(draft.group_ratios))
    if (!Object.hasOwn(options.GroupRatio, group))
      throw new AppError("option_invalid", { field: "GroupRatio", message: `There is no group ${group}` });
  const changes = draft.changes.map(({ model, to }) => ({ model, to }));
  draftTerms(options, { changes, options: { GroupRatio: withRatios(options.GroupRatio, draft.group_ratios) } });
}

async function schedule(context: ConsoleContext, actor: Actor, change: Omit<NewChange, "state">) {
  const { draft, applyTime } = change;
  refuseBad(context, draft);
  const id = await context.database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "options");
    await refuseTooMany(transaction);
    return recordChange(context, transaction, actor, { ...change, state: "waiting" });
  });
  const count = draft.changes.length + Object.keys(draft.group_ratios).length;
  await audit(context, actor, { code: "price_change_scheduled", values: { id, count, time: applyTime } }, draft);
  return { id, is_applied: false };
}

/**
 * Changes prices now, in force when it returns, or from a date on.
 * Throws AppError price_changed where a model has other own entries by now than were read, invalid_field, price_changes_waiting,
 * price_notices_spent, and what changeOptions throws; nothing is stored then.
 */
export async function applyPrices(
  context: ConsoleContext,
  actor: ConfirmingActor,
  { apply_time: applyTime, notify: isAnnounced, ...draft }: AppliedPrices,
): Promise<{ id: number; is_applied: boolean }> {
  const now = nowSeconds(context.clock);
  if (applyTime !== 0 && (applyTime <= now || applyTime > now + LONGEST_WAIT_SECONDS))
    throw new AppError("invalid_field", {
      field: "apply_time",
      message: "Please choose a time between now and a year from now",
    });
  if (applyTime !== 0) return schedule(context, actor, { draft, applyTime, isAnnounced });
  refuseBad(context, draft);
  const change = { draft, applyTime: now, isAnnounced };
  let id = 0;
  await applyDraft(context, actor, draft, {
    plan: planOf(draft, (tables) => refuseChanged(tables, draft)),
    alongside: async (transaction) => {
      id = await recordChange(context, transaction, actor, { ...change, state: "applied" });
    },
  });
  return { id, is_applied: true };
}

/** Changes that are listed beside those that wait. */
const LISTED_MOST = 50;

/** Those that wait by their date, then the latest of the others. */
export async function listPriceChanges({ database }: Pick<ConsoleContext, "database">): Promise<StoredPriceChange[]> {
  const all = database.kysely.selectFrom("price_changes").selectAll();
  const waiting = await all.where("state", "=", "waiting").orderBy("apply_time").orderBy("id").execute();
  const over = await all.where("state", "!=", "waiting").orderBy("id", "desc").limit(LISTED_MOST).execute();
  const rows = [...waiting, ...over];
  const names = await usernamesOf(
    database.kysely,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map(({ draft, created_by, state, notify, ratios_before: _before, ...row }) => {
    // The column is written by `recordChange` alone.
    const { changes, group_ratios } = JSON.parse(draft) as PriceChangeDraft;
    return {
      ...row,
      state: state as StoredPriceChange["state"],
      notify: notify as StoredPriceChange["notify"],
      models: changes.slice(0, NAMED_MODELS_MOST).map(({ model }) => model),
      model_count: changes.length,
      groups: Object.keys(group_ratios),
      created_by: names.get(created_by) ?? "",
    };
  });
}

/** Messages about it that were not sent yet are taken back. Throws AppError not_found, or price_change_over where it does not wait any more. */
export async function cancelPriceChange(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const { kysely } = context.database;
  const isCancelled = await kysely.transaction().execute(async (transaction) => {
    const cancelled = await transaction
      .updateTable("price_changes")
      .set({ state: "cancelled", ended_time: nowSeconds(context.clock) })
      .where("id", "=", id)
      .where("state", "=", "waiting")
      .executeTakeFirstOrThrow();
    if (affectedRows(cancelled) !== 1) return false;
    const unsent = transaction.deleteFrom("outbox").where("once_key", "like", noticeKey(id, "%"));
    await unsent.where("status", "=", "waiting").execute();
    return true;
  });
  if (isCancelled) return audit(context, actor, { code: "price_change_cancelled", values: { id } });
  const known = await kysely.selectFrom("price_changes").select("id").where("id", "=", id).executeTakeFirst();
  throw new AppError(known === undefined ? "not_found" : "price_change_over");
}
