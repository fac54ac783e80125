/** What the ledger of each engine can do; open-billing.ts makes the one Billing out of it. */
import type { HoldRequest } from "../billing.ts";
import type { Posted } from "../adjustments.ts";
import type { LedgerEntry } from "../ledger-entry.ts";
import type { Granted } from "./grant.ts";

export interface LedgerBackend {
  /** True where open holds are rows, which have to be deleted when they end. */
  readonly storesHolds: boolean;
  /**
   * Sets quota aside, for a new hold or on top of an open one; of 0 only where memory has to know the account. At least `least` where
   * nothing else is held, else all of `amount`. Throws LedgerFault.
   */
  reserve(request: HoldRequest, amount: number, least: number): Promise<Granted> | Granted;
  /** Posts all or nothing, durably; says for each ledger entry whether its ledger row is new (true where it has none). */
  post(ledgerEntries: readonly LedgerEntry[]): Promise<readonly boolean[]>;
  /** True where an error of `post` is the data's fault, so that trying again would never help. */
  isDataError(error: unknown): boolean;
  /** Balance less open holds. */
  available(userId: number): Promise<number>;
  /** Told when a ledger entry is sure to be posted, before it is: memory may count it at once. */
  expect(ledgerEntry: LedgerEntry): void;
  /** Told when an expected charge had been posted before, or never will be. */
  forget(ledgerEntry: LedgerEntry): void;
  /** Resolves when memory, where there is one, knows the accounts of an entry, so that `expect` counts it. */
  know(userId: number, tokenId: number): Promise<void> | void;
  /** Runs an adjustment's transaction; memory may have to stand still meanwhile. */
  move(transaction: () => Promise<Posted>): Promise<Posted>;
}

/** The part of the server's log that billing writes to. */
export interface LedgerLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
