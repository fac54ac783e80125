/** The ledger on SQLite: balances and holds in the memory of the one process, settlements in batches through the writer thread. */
import type { Database } from "../../db/database.ts";
import type { SqliteHandle } from "../../db/engines/sqlite.ts";
import { LedgerFault, type HoldRequest, type Adjustment } from "../billing.ts";
import type { LedgerEntry, EndedHold } from "../ledger-entry.ts";
import type { LedgerBackend } from "./backend.ts";
import { isDataError } from "./entry-errors.ts";
import { packEntries } from "./cells.ts";

/** The batch module of the writer thread: `openDatabase(config, { writerModules: SQLITE_WRITER_MODULES })`. */
export const SQLITE_WRITER_MODULES = { settle: new URL("./sqlite-settle.ts", import.meta.url) } as const;

/** A balance as it will stand when everything queued is committed, and what open holds took of it. */
interface Account {
  balance: number;
  held: number;
}

const free = ({ balance, held }: Account): number => balance - held;

/**
 * Every change of a balance goes through here, so memory is as good as the table once an account was read. Reading an account
 * and posting an adjustment exclude each other: an adjustment is counted either by the read or by its own delta, never by both. Charges
 * need not wait for that: every call's account is read before its hold is given, also where nothing is held.
 */
export class SqliteLedger implements LedgerBackend {
  readonly #database: Database;
  readonly #sqlite: SqliteHandle;
  readonly #users = new Map<number, Account>();
  readonly #tokens = new Map<number, Account>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, sqlite: SqliteHandle) {
    this.#database = database;
    this.#sqlite = sqlite;
  }

  readonly storesHolds = false;
  readonly isDataError = isDataError;

  reserve(request: HoldRequest, amount: number): Promise<void> | void {
    const user = this.#users.get(request.userId);
    const token = this.#tokens.get(request.tokenId);
    if (user === undefined || (request.isTokenLimited && token === undefined))
      return this.#readThenHold(request, amount);
    if (amount === 0) return;
    if (request.isTokenLimited && token !== undefined) {
      if (free(token) < amount) throw new LedgerFault("token_quota");
      if (free(user) < amount) throw new LedgerFault("user_quota");
      token.held += amount;
    } else if (free(user) < amount) throw new LedgerFault("user_quota");
    user.held += amount;
  }

  async #readThenHold(request: HoldRequest, amount: number): Promise<void> {
    await this.#read(request.userId, request.isTokenLimited ? request.tokenId : 0);
    if (amount === 0) return;
    if (!this.#users.has(request.userId)) throw new LedgerFault("user_quota");
    if (request.isTokenLimited && !this.#tokens.has(request.tokenId)) throw new LedgerFault("token_quota");
    await this.reserve(request, amount);
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #read(userId: number, tokenId: number): Promise<void> {
    const { kysely } = this.#database;
    return this.#exclusively(async () => {
      if (!this.#users.has(userId)) {
        const row = await kysely.selectFrom("users").select("quota").where("id", "=", userId).executeTakeFirst();
        if (row !== undefined) this.#users.set(userId, { balance: row.quota, held: 0 });
      }
      if (tokenId !== 0 && !this.#tokens.has(tokenId)) {
        const row = await kysely
          .selectFrom("tokens")
          .select("remain_quota")
          .where("id", "=", tokenId)
          .executeTakeFirst();
        if (row !== undefined) this.#tokens.set(tokenId, { balance: row.remain_quota, held: 0 });
      }
    });
  }

  async post(ledgerEntries: readonly LedgerEntry[]): Promise<readonly boolean[]> {
    const isNew = (await this.#sqlite.call("settle", packEntries(ledgerEntries))) as number[]; // what sqlite-settle.ts gives
    return isNew.map((bit) => bit === 1);
  }

  async available(userId: number): Promise<number> {
    if (!this.#users.has(userId)) await this.#read(userId, 0);
    const user = this.#users.get(userId);
    return user === undefined ? 0 : free(user);
  }

  expect({ ledger, hold }: LedgerEntry): void {
    if (hold !== undefined) this.#release(hold);
    if (ledger !== undefined) this.#add(ledger.userId, ledger.quotaDelta, ledger.tokenId, ledger.tokenQuotaDelta);
  }

  forget({ ledger }: LedgerEntry): void {
    if (ledger !== undefined) this.#add(ledger.userId, -ledger.quotaDelta, ledger.tokenId, -ledger.tokenQuotaDelta);
  }

  #release({ userId, tokenId, amount }: EndedHold): void {
    const user = this.#users.get(userId);
    if (user !== undefined) user.held -= amount;
    const token = tokenId === 0 ? undefined : this.#tokens.get(tokenId);
    if (token !== undefined) token.held -= amount;
  }

  #add(userId: number, quotaDelta: number, tokenId: number, tokenQuotaDelta: number): void {
    const user = this.#users.get(userId);
    if (user !== undefined) user.balance += quotaDelta;
    const token = this.#tokens.get(tokenId);
    if (token !== undefined) token.balance += tokenQuotaDelta;
  }

  move(adjustment: Adjustment, transaction: () => Promise<boolean>): Promise<boolean> {
    return this.#exclusively(async () => {
      const quotaDelta = adjustment.quotaDelta ?? 0;
      const isNew = await transaction();
      if (isNew) this.#add(adjustment.userId, quotaDelta, adjustment.tokenId ?? 0, adjustment.tokenQuotaDelta ?? 0);
      return isNew;
    });
  }
}
