/** Holds in batches on database servers: rows are locked once, and who gets what is decided in the order in which they asked. */
import { type HoldRequest, LedgerFault } from "../billing.ts";
import { type Granted, type Purse, type Refusal, type Wish, grant } from "./grant.ts";

export interface PendingHold extends Wish {
  request: HoldRequest;
}

export type HoldAnswer = Granted | Refusal;

export interface HoldRow {
  id: string;
  userId: number;
  /** 0 where the token's quota was not touched. */
  tokenId: number;
  amount: number;
}

export type Purses = ReadonlyMap<number, Purse>;
export type SumsById = readonly (readonly [id: number, amount: number])[];

/** The statements of one transaction, as an engine says them. Locks are taken in ascending order of ids and last to its end. */
export interface HoldSession {
  lockTokens(ids: readonly number[]): Promise<Purses>;
  lockUsers(ids: readonly number[]): Promise<Purses>;
  addToTokens(sums: SumsById): Promise<unknown>;
  addToUsers(sums: SumsById): Promise<unknown>;
  insert(rows: readonly HoldRow[]): Promise<unknown>;
}

/** The token whose quota a hold takes from; 0 where none does. */
export const limitedToken = (request: HoldRequest): number => (request.isTokenLimited ? request.tokenId : 0);

/** All that is asked for. */
export const wholly = ({ amount }: PendingHold): Granted => ({ amount, spendable: amount });

/** Throws LedgerFault where the hold was refused. */
export function grantedOr(answer: HoldAnswer): Granted {
  if (typeof answer === "string") throw new LedgerFault(answer);
  return answer;
}

export function rowOf({ request }: PendingHold, amount: number): HoldRow {
  return { id: request.requestId, userId: request.userId, tokenId: limitedToken(request), amount };
}

/** Amounts by row, in ascending order of ids, so that batches of two processes never wait for each other in a circle. */
export function sumsOf(rows: readonly HoldRow[], keyOf: (row: HoldRow) => number): SumsById {
  const sums = new Map<number, number>();
  for (const row of rows) {
    const id = keyOf(row);
    if (id !== 0) sums.set(id, (sums.get(id) ?? 0) + row.amount);
  }
  return [...sums].sort(([a], [b]) => a - b);
}

export const tokenOf = ({ tokenId }: HoldRow): number => tokenId;
export const userOf = ({ userId }: HoldRow): number => userId;

const NO_PURSES: Purses = new Map();

/** Answers the holds of one batch inside the session's transaction, one after the other: tokens are locked first, then users, as settlements do. */
export async function holdBatch(session: HoldSession, items: readonly PendingHold[]): Promise<HoldAnswer[]> {
  const asked = items.map((item) => rowOf(item, item.amount));
  const tokenIds = sumsOf(asked, tokenOf).map(([id]) => id);
  const userIds = sumsOf(asked, userOf).map(([id]) => id);
  const tokens = tokenIds.length === 0 ? NO_PURSES : await session.lockTokens(tokenIds);
  const users = await session.lockUsers(userIds);
  const rows: HoldRow[] = [];
  const answers = items.map((item): HoldAnswer => {
    const tokenId = limitedToken(item.request);
    const token = tokens.get(tokenId);
    if (tokenId !== 0 && token === undefined) return "token_quota";
    const answer = grant(item, users.get(item.request.userId), token);
    if (typeof answer !== "string") rows.push(rowOf(item, answer.amount));
    return answer;
  });
  if (rows.length === 0) return answers;
  const ofTokens = sumsOf(rows, tokenOf);
  if (ofTokens.length > 0) await session.addToTokens(ofTokens);
  await session.addToUsers(sumsOf(rows, userOf));
  await session.insert(rows);
  return answers;
}
