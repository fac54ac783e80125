/** Holds: the rule that decides which holds of a batch are granted, batching on database servers, and the sums of holds that ended. */
import { type HoldFaultKind, type HoldRequest, LedgerFault } from "../billing.ts";
import type { EndedHold, KeySums, LedgerEntry } from "../ledger-entry.ts";

// Whether balance and token cover a hold, and how much of it: the one rule of all engines, for rows that the transaction has locked.

/** The quota of a user or a token. */
export interface Purse {
  /** Balance less open holds; Infinity for a token without a quota of its own. */
  free: number;
  /** Open holds. */
  held: number;
}

export interface Granted {
  /** Set aside from balance and token alike. */
  amount: number;
  /** The part of it that both cover. */
  spendable: number;
}

type Refusal = Exclude<HoldFaultKind, "unavailable">;

interface Wish {
  amount: number;
  /** See HoldRequest. */
  least: number;
}

/** Granted if there is enough, or if it is the only hold and the minimum is covered. */
const hasRoom = ({ free, held }: Purse, { amount, least }: Wish): boolean =>
  free >= amount || (held === 0 && free >= least);

function take(purse: Purse, amount: number): void {
  purse.free -= amount;
  purse.held += amount;
}

/**
 * Decides a hold. A token with less quota than the hold is exhausted until the call ends: its quota is a limit, and only the balance
 * is money. So the balance is never held for more than it has, and never for less than the call can cost while there is enough.
 * @param token undefined for a call without a limited token
 */
export function grant(wish: Wish, user: Purse | undefined, token: Purse | undefined): Granted | Refusal {
  if (token !== undefined && !hasRoom(token, wish)) return "token_quota";
  if (user === undefined || !hasRoom(user, wish)) return "user_quota";
  const amount = Math.min(wish.amount, user.free);
  const granted = { amount, spendable: token === undefined ? amount : Math.min(amount, token.free) };
  take(user, amount);
  if (token !== undefined) take(token, amount);
  return granted;
}

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

/** The statements of one transaction, in the SQL of an engine. Rows are locked in ascending order of ids, until the transaction ends. */
export interface HoldSession {
  lockTokens(ids: readonly number[]): Promise<Purses>;
  lockUsers(ids: readonly number[]): Promise<Purses>;
  addToTokens(sums: SumsById): Promise<unknown>;
  addToUsers(sums: SumsById): Promise<unknown>;
  insert(rows: readonly HoldRow[]): Promise<unknown>;
}

/** The token whose quota a hold takes from; 0 where none does. */
export const limitedToken = (request: HoldRequest): number => (request.isTokenLimited ? request.tokenId : 0);

/** Grants the whole amount. */
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

// Sums of holds that end in a batch, and which of its ledger rows were new: what PostgreSQL and MySQL have in common.

/** A locked row of users or tokens; drivers give whole numbers as numbers or as text. */
export interface PurseRow {
  id: number | string;
  /** 1 for a token without a quota of its own. */
  unlimited_quota: number;
  free: number | string;
  held: number | string;
}

export const pursesOf = (rows: readonly PurseRow[]): Map<number, Purse> =>
  new Map(
    rows.map(({ id, unlimited_quota: unlimited, free, held }) => [
      Number(id),
      { free: Number(unlimited) === 1 ? Infinity : Number(free), held: Number(held) },
    ]),
  );

function sumHolds(held: readonly EndedHold[], keyOf: (hold: EndedHold) => number): Map<number, number> {
  const sums = new Map<number, number>();
  for (const hold of held) {
    const id = keyOf(hold);
    if (id !== 0) sums.set(id, (sums.get(id) ?? 0) + hold.amount);
  }
  return sums;
}

export const holdsByToken = (held: readonly EndedHold[]): Map<number, number> => sumHolds(held, (hold) => hold.tokenId);
export const holdsByUser = (held: readonly EndedHold[]): Map<number, number> => sumHolds(held, (hold) => hold.userId);

/** Adds to each row what its holds give back; rows that have only holds join in. Ascending by id. */
export function withHolds(sums: readonly KeySums[], held: ReadonlyMap<number, number>): (KeySums & { held: number })[] {
  const known = new Set(sums.map(({ id }) => id));
  const both = sums.map((entry) => ({ ...entry, held: held.get(entry.id) ?? 0 }));
  for (const [id, amount] of held) {
    if (!known.has(id)) both.push({ id, quota: 0, used: 0, requests: 0, seen: 0, held: amount });
  }
  return both.sort((a, b) => a.id - b.id);
}

/** Of ledger entries with the same entry id in one batch only the first is new. `inserted` is used up. */
export function newRows(ledgerEntries: readonly LedgerEntry[], inserted: Set<string>): boolean[] {
  return ledgerEntries.map(({ ledger }) => ledger === undefined || inserted.delete(ledger.entryId));
}
