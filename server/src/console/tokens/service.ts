/** What a user can do with their tokens: rules around the store, quota through the ledger, and every process notified before the answer. */
import { randomUUID } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  type ParsedTokenBatch,
  TOKEN_STATUS,
  type TokenBatchResult,
  type TokenCreate,
  type TokenRow,
  type TokenUpdate,
} from "../../../../contract/src/features/tokens.ts";
import type { Adjustment } from "../../billing/billing.ts";
import { generateTokenKey, openTokenKey, sealTokenKey } from "../../db/secrets.ts";
import type { SnapshotUser } from "../../snapshot/snapshot.ts";
import { nowSeconds } from "../../util/clock.ts";
import { countCalls } from "../http/guards.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import {
  assertUsable,
  batchChange,
  batchNames,
  checkAddresses,
  checkAutoGroups,
  checkCount,
  checkExpiry,
  checkGroup,
  checkModels,
  checkName,
  checkQuota,
  patchOf,
  quotaDelta,
  statusAfter,
  statusOf,
  tokenView,
} from "./rules.ts";
import {
  changeTokens,
  findToken,
  findTokenIds,
  findTokens,
  findTokensByIds,
  insertTokens,
  type NewToken,
  patchToken,
  softDeleteToken,
  type StoredToken,
  type TokenFilter,
  type TokenPage,
} from "./store.ts";

export type TokenContext = Pick<
  ConsoleContext,
  "database" | "snapshot" | "billing" | "secrets" | "clock" | "limiter" | "site"
>;

type Owner = Pick<SnapshotUser, "id" | "groupName">;

const notFound = (): AppError => new AppError("not_found", { message: "This token was not found" });

const viewOf = (context: TokenContext, row: StoredToken): TokenRow =>
  tokenView(row, openTokenKey(context.secrets, row), nowSeconds(context.clock));

/** One page of a user's tokens, keys included; `total` counts all that pass the filter. */
export async function listTokens(
  context: TokenContext,
  filter: TokenFilter,
  page: TokenPage,
): Promise<{ tokens: TokenRow[]; total: number }> {
  const { rows, total } = await findTokens(context.database, filter, page, nowSeconds(context.clock));
  return { tokens: rows.map((row) => viewOf(context, row)), total };
}

/** The key a search text may be: a pasted key has `sk-` in front (a prefix, not loose letters), maybe a channel id behind. */
export function searchKey(context: Pick<ConsoleContext, "secrets">, text: string): { hash: string; text: string } {
  const bare = text.startsWith("sk-") ? text.slice(3) : text;
  const key = bare.split("-")[0] ?? bare;
  return { hash: context.secrets.hash("token", key), text: key };
}

/** One token of this user. Throws not_found for an absent or foreign one. */
export async function readToken(context: TokenContext, userId: number, id: number): Promise<TokenRow> {
  const row = await findToken(context.database.kysely, userId, id);
  if (row === undefined) throw notFound();
  return viewOf(context, row);
}

/** Those of these tokens that are this user's, by id. */
export async function readTokens(context: TokenContext, userId: number, ids: readonly number[]): Promise<TokenRow[]> {
  const rows = await context.database.kysely
    .selectFrom("tokens")
    .selectAll()
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .where("id", "in", [...ids])
    .orderBy("id")
    .execute();
  return rows.map((row) => viewOf(context, row));
}

function newTokens(context: TokenContext, owner: Owner, sent: TokenCreate): NewToken[] {
  const now = nowSeconds(context.clock);
  const count = checkCount(sent.count);
  const { TokenListEntryLimit: maxEntries } = context.snapshot.options;
  const usable = context.snapshot.usableGroups(owner.groupName);
  const common = {
    user_id: owner.id,
    status: TOKEN_STATUS.enabled,
    created_time: now,
    accessed_time: 0,
    expired_time: checkExpiry(sent.expired_time, now),
    // The quota is a ledger entry of its own, made right after: a balance is never written beside the ledger.
    remain_quota: 0,
    held: 0,
    used_quota: 0,
    unlimited_quota: sent.unlimited_quota === true ? 1 : 0,
    model_limits_enabled: sent.model_limits_enabled === true ? 1 : 0,
    model_limits: checkModels(sent.model_limits, maxEntries),
    allow_ips: checkAddresses(sent.allow_ips, maxEntries),
    group_name: checkGroup(sent.group, usable),
    auto_groups: checkAutoGroups(sent.auto_groups, usable),
    cross_group_retry: sent.cross_group_retry === true ? 1 : 0,
    deleted_at: null,
  } as const;
  const seal = () => sealTokenKey(context.secrets, generateTokenKey());
  return batchNames(checkName(sent.name), count).map((name) => ({ ...common, name, ...seal() }));
}

/** Makes one token, or `count` of them together, and gives them with their keys. Throws token_limit_reached and token_lists_large. */
export async function createTokens(context: TokenContext, owner: Owner, sent: TokenCreate): Promise<TokenRow[]> {
  const quota = checkQuota(sent.remain_quota);
  const max = context.snapshot.options["token_setting.max_user_tokens"];
  const tokens = newTokens(context, owner, sent);
  // The call itself is counted already.
  await countCalls(context, owner.id, tokens.length - 1);
  const ids = await insertTokens(context.database, tokens, max);
  if (quota > 0)
    await Promise.all(ids.map((id) => context.billing.move(quotaEntry(owner.id, id, quota, `token:${id}:opening`))));
  await context.snapshot.refresh();
  const rows = await findTokensByIds(context.database.kysely, owner.id, ids);
  return rows.map((row) => viewOf(context, row));
}

const quotaEntry = (userId: number, tokenId: number, tokenQuotaDelta: number, entryId: string): Adjustment => {
  const detail = JSON.stringify({ reason: "token quota set by its owner", actor: userId });
  return { entryId, kind: "token_quota", userId, tokenId, tokenQuotaDelta, detail };
};

/** Sets nothing but the status. Throws not_found, token_expired, token_exhausted, or invalid_field for another status. */
export async function setTokenStatus(
  context: TokenContext,
  userId: number,
  id: number,
  status: number | undefined,
): Promise<TokenRow> {
  const now = nowSeconds(context.clock);
  if (status !== TOKEN_STATUS.enabled && status !== TOKEN_STATUS.disabled)
    throw new AppError("invalid_field", { field: "status" });
  const { database } = context;
  const isThere = await database.kysely.transaction().execute((transaction) =>
    patchToken(database, transaction, { userId, id }, (row) => {
      if (status === TOKEN_STATUS.enabled) assertUsable(row, now);
      return { status };
    }),
  );
  if (!isThere) throw notFound();
  await context.snapshot.refresh();
  return readToken(context, userId, id);
}

/**
 * Changes the fields that are sent. Everything is checked before anything is written; the quota is posted as a difference to what it is in
 * the same transaction, so calls billed at the same time lose nothing.
 */
export async function updateToken(context: TokenContext, owner: Owner, sent: TokenUpdate): Promise<TokenRow> {
  const { options } = context.snapshot;
  const usable = context.snapshot.usableGroups(owner.groupName);
  const rules = { now: nowSeconds(context.clock), usable, maxEntries: options.TokenListEntryLimit };
  const ids = { userId: owner.id, id: sent.id };
  await context.billing.moveAsDecided(async (transaction) => {
    let delta = 0;
    const isThere = await patchToken(context.database, transaction, ids, (row) => {
      delta = quotaDelta(sent, row);
      const patch = patchOf(sent, row, rules);
      const after = { ...row, ...patch, remain_quota: row.remain_quota + delta };
      const status = statusAfter(sent.status === statusOf(row, rules.now) ? undefined : sent.status, after, rules.now);
      return status === undefined ? patch : { ...patch, status };
    });
    if (!isThere) throw notFound();
    return delta === 0 ? undefined : quotaEntry(owner.id, sent.id, delta, `token:${sent.id}:${randomUUID()}`);
  });
  await context.snapshot.refresh();
  return readToken(context, owner.id, sent.id);
}

/** Ends a token; calls with its key are refused before this resolves. Throws not_found. */
export async function deleteToken(context: TokenContext, userId: number, id: number): Promise<void> {
  const isThere = await softDeleteToken(context.database, userId, id, nowSeconds(context.clock));
  if (!isThere) throw notFound();
  await context.snapshot.refresh();
}

/** Tokens that one transaction changes: calls that are billed meanwhile wait no longer than for these. */
const TRANSACTION_ROWS = 500;

/** Ids of the chosen tokens. Throws selection_changed where another number than `total` passes the filter. */
async function chosenIds(
  context: TokenContext,
  userId: number,
  batch: ParsedTokenBatch,
  now: number,
): Promise<number[]> {
  if ("ids" in batch) return [...new Set(batch.ids)];
  const { filter, total, excluded } = batch;
  const { token, ...others } = filter;
  const key = token === undefined ? undefined : searchKey(context, token);
  const ids = await findTokenIds(context.database, { ...others, userId, key }, now);
  if (ids.length !== total) {
    const message = `${ids.length} tokens match now, not ${total}; nothing was done`;
    throw new AppError("selection_changed", { message, values: { count: ids.length, total } });
  }
  const isExcluded = new Set(excluded);
  return ids.filter((id) => !isExcluded.has(id));
}

/**
 * Enables, disables or deletes the chosen tokens of this user, a part of them in each transaction; every process knows before this
 * resolves. Throws selection_changed; then nothing is done. Where a later part fails, the parts before it stay done.
 */
export async function changeManyTokens(
  context: TokenContext,
  userId: number,
  batch: ParsedTokenBatch,
): Promise<TokenBatchResult> {
  const now = nowSeconds(context.clock);
  const ids = await chosenIds(context, userId, batch, now);
  const result: TokenBatchResult = { done: 0, unchanged: 0, refused: 0 };
  const change = batch.action === "delete" ? { deleted_at: now } : { status: TOKEN_STATUS[`${batch.action}d`] };
  try {
    for (let start = 0; start < ids.length; start += TRANSACTION_ROWS) {
      const verdicts = await changeTokens(context.database, {
        userId,
        ids: ids.slice(start, start + TRANSACTION_ROWS),
        judge: (row) => batchChange(batch.action, row, now),
        change,
      });
      for (const verdict of verdicts) result[verdict] += 1;
    }
  } finally {
    await context.snapshot.refresh();
  }
  return result;
}
