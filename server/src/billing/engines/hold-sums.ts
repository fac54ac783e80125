/** Sums of holds that end in a batch, and which of its ledger rows were new: what PostgreSQL and MySQL have in common. */
import type { LedgerEntry, EndedHold, KeySums } from "../ledger-entry.ts";
import type { Purse } from "./grant.ts";

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
