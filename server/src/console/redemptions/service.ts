/** What administrators do with redemption codes: make, read, change and delete them, each act in the audit log. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  REDEMPTION_BATCH_MAX,
  REDEMPTION_NAME_MAX,
  REDEMPTION_QUOTA_MAX,
  REDEMPTION_STATUS,
  type RedemptionCreate,
  type RedemptionPage,
  type RedemptionRow,
  type RedemptionSort,
  type RedemptionUpdate,
} from "../../../../contract/src/features/redemptions.ts";
import { quotaDisplayOf } from "../../../../contract/src/options/quota-unit.ts";
import { formatQuota } from "../../../../contract/src/quota-display.ts";
import { generateCode, openCode, sealCode } from "../../db/secrets.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";
import { type SortedPage, usernamesOf } from "../kit/lists.ts";
import {
  findRedemption,
  findRedemptions,
  insertRedemptions,
  patchUnused,
  softDelete,
  softDeleteInvalid,
  type StoredRedemption,
  writeStatus,
} from "./store.ts";

/** The trimmed name. Length counts characters, not bytes. */
function checkName(name: string): string {
  const trimmed = name.trim();
  const { length } = [...trimmed];
  if (length < 1 || length > REDEMPTION_NAME_MAX) throw new AppError("redemption_name_length", { field: "name" });
  return trimmed;
}

/** A whole number from 1 up to REDEMPTION_QUOTA_MAX. */
function checkQuota(quota: number): number {
  const isFine = Number.isSafeInteger(quota) && quota >= 1 && quota <= REDEMPTION_QUOTA_MAX;
  if (!isFine) throw new AppError("redemption_quota_invalid", { field: "quota" });
  return quota;
}

/** How many to make: 1 where absent. */
function checkCount(count = 1): number {
  const isFine = Number.isInteger(count) && count >= 1 && count <= REDEMPTION_BATCH_MAX;
  if (!isFine) throw new AppError("redemption_count_invalid", { field: "count" });
  return count;
}

/** Unix seconds in the future, or 0 for never. Clients of this API family send 0 for that, and ours sends nothing. */
function checkExpiry(expiredTime: number, now: number): number {
  const isFine = expiredTime === 0 || (Number.isSafeInteger(expiredTime) && expiredTime > now);
  if (!isFine) throw new AppError("redemption_expiry_invalid", { field: "expired_time" });
  return expiredTime;
}

type CodeContext = Pick<ConsoleContext, "database" | "snapshot" | "billing" | "secrets" | "clock">;

const notFound = (): AppError => new AppError("not_found", { message: "This redemption code was not found" });

/** Codes are made of small letters and digits; what is pasted may have blanks around it. */
export const normalCode = (typed: string): string => typed.trim().toLowerCase();

async function viewsOf(context: CodeContext, rows: readonly StoredRedemption[]): Promise<RedemptionRow[]> {
  const people = rows.flatMap(({ user_id, used_user_id }) => [user_id, used_user_id]);
  const names = await usernamesOf(context.database.kysely, people);
  return rows.map((row) => ({
    id: row.id,
    user_id: row.user_id,
    username: names.get(row.user_id) ?? "",
    key: openCode(context.secrets, row),
    status: row.status,
    name: row.name,
    quota: row.quota,
    created_time: row.created_time,
    redeemed_time: row.redeemed_time,
    expired_time: row.expired_time,
    used_user_id: row.used_user_id,
    used_username: names.get(row.used_user_id) ?? "",
  }));
}

async function viewOf(context: CodeContext, id: number): Promise<RedemptionRow> {
  const row = await findRedemption(context.database.kysely, id);
  const [view] = row === undefined ? [] : await viewsOf(context, [row]);
  if (view === undefined) throw notFound();
  return view;
}

/** One page of codes, each with the code itself. */
export async function listRedemptions(
  context: CodeContext,
  { keyword, status }: { keyword?: string | undefined; status?: number | undefined },
  paging: SortedPage<RedemptionSort>,
): Promise<Omit<RedemptionPage, "page">> {
  const hash = (text: string) => context.secrets.hash("redemption", normalCode(text));
  const wanted = keyword === undefined ? undefined : { text: keyword, hash: hash(keyword) };
  const { rows, total } = await findRedemptions(
    context.database,
    { status, keyword: wanted, now: nowSeconds(context.clock) },
    paging,
  );
  return { items: await viewsOf(context, rows), total, page_size: paging.limit };
}

/** One code. Throws not_found. */
export const readRedemption = viewOf;

/** The default name of codes: their worth, as the site shows quota. */
const quotaName = ({ snapshot: { options } }: CodeContext, quota: number): string =>
  formatQuota(quota, quotaDisplayOf(options), 2);

/** Makes codes of one name and quota, all or none, and gives them. Throws the code of the first field that is not right. */
export async function createRedemptions(context: CodeContext, actor: Actor, sent: RedemptionCreate): Promise<string[]> {
  const quota = checkQuota(sent.quota);
  const count = checkCount(sent.count);
  const name = checkName((sent.name ?? "").trim() || quotaName(context, quota));
  const now = nowSeconds(context.clock);
  const expired_time = checkExpiry(sent.expired_time ?? 0, now);
  const codes = Array.from({ length: count }, generateCode);
  const common = {
    user_id: actor.session.user.id,
    name,
    status: REDEMPTION_STATUS.unused,
    quota,
    created_time: now,
    redeemed_time: 0,
    expired_time,
    used_user_id: 0,
    deleted_at: null,
  };
  await insertRedemptions(
    context.database,
    codes.map((code) => ({ ...common, ...sealCode(context.secrets, code) })),
  );
  await audit(context, actor, { code: "codes_created", values: { count, name, quota } });
  return codes;
}

/** Why a code could not be changed: it is gone, used, or disabled. */
async function refusalOf({ database }: CodeContext, id: number): Promise<AppError> {
  const row = await findRedemption(database.kysely, id);
  if (row === undefined) return notFound();
  return new AppError(row.status === REDEMPTION_STATUS.used ? "redemption_stays_used" : "redemption_not_unused");
}

/**
 * Changes name, quota and expiry of an unused code, as far as they are sent. Throws not_found, redemption_stays_used, redemption_not_unused or the code
 * of the first field that is not right.
 */
export async function updateRedemption(
  context: CodeContext,
  actor: Actor,
  { id, name, quota, expired_time }: RedemptionUpdate,
): Promise<RedemptionRow> {
  const before = await findRedemption(context.database.kysely, id);
  // An editor sends whole rows: the name of a code that has expired must still be changeable.
  const isOtherExpiry = expired_time !== undefined && expired_time !== before?.expired_time;
  const patch = {
    ...(name !== undefined && { name: checkName(name) }),
    ...(quota !== undefined && { quota: checkQuota(quota) }),
    ...(isOtherExpiry && { expired_time: checkExpiry(expired_time, nowSeconds(context.clock)) }),
  };
  if (before === undefined || !(await patchUnused(context.database, id, patch))) throw await refusalOf(context, id);
  const detail = {
    before: { name: before.name, quota: before.quota, expired_time: before.expired_time },
    after: patch,
  };
  await audit(context, actor, { code: "code_changed", values: { name: patch.name ?? before.name, id } }, detail);
  return viewOf(context, id);
}

const STATUS_EVENTS = new Map([
  [REDEMPTION_STATUS.unused, "code_enabled"],
  [REDEMPTION_STATUS.disabled, "code_disabled"],
] as const);

/** Enables or disables a code. Throws invalid_field for another status, not_found, and redemption_stays_used for a used one. */
export async function setRedemptionStatus(
  context: CodeContext,
  actor: Actor,
  { id, status }: RedemptionUpdate,
): Promise<RedemptionRow> {
  const code = STATUS_EVENTS.get(status as typeof REDEMPTION_STATUS.unused);
  if (status === undefined || code === undefined) throw new AppError("invalid_field", { field: "status" });
  if (!(await writeStatus(context.database, id, status))) throw await refusalOf(context, id);
  const row = await viewOf(context, id);
  await audit(context, actor, { code, values: { name: row.name, id } });
  return row;
}

/** Deletes a code; its row stays for the books. Throws not_found. */
export async function deleteRedemption(context: CodeContext, actor: Actor, id: number): Promise<void> {
  const row = await findRedemption(context.database.kysely, id);
  if (row === undefined || !(await softDelete(context.database, id, nowSeconds(context.clock)))) throw notFound();
  const { name, quota, status } = row;
  await audit(context, actor, { code: "code_deleted", values: { name, id } }, { before: { quota, status } });
}

/** Deletes every code that is used, disabled or expired; gives how many. */
export async function deleteInvalid(context: CodeContext, actor: Actor): Promise<number> {
  const count = await softDeleteInvalid(context.database, nowSeconds(context.clock));
  if (count > 0) await audit(context, actor, { code: "invalid_codes_deleted", values: { count } });
  return count;
}
