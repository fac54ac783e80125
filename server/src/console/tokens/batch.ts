/** What a user does with many tokens at once: chosen one by one, or all that match a filter. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { ParsedTokenBatch, TokenBatchResult } from "../../../../contract/src/features/tokens.ts";
import { TOKEN_STATUS } from "../../../../contract/src/features/tokens.ts";
import { nowSeconds } from "../../util/clock.ts";
import { batchChange } from "./rules.ts";
import { searchKey, type TokenContext } from "./service.ts";
import { changeTokens, findTokenIds } from "./store.ts";

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
