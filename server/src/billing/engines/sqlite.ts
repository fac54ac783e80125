/** The ledger backend for SQLite: balances and holds are kept in the memory of the single process, settlements go in batches through the writer thread. */
import type { Database } from "../../db/database.ts";
import type { SqliteHandle } from "../../db/engines/sqlite.ts";
import { LedgerFault, type HoldRequest } from "../billing.ts";
import type { Posted } from "../adjustments.ts";
import type { LedgerEntry, EndedHold } from "../ledger-entry.ts";
import { isDataError, type LedgerBackend, type PostedBatch } from "./backend.ts";
import { packEntries } from "./cells.ts";
import { grant, type Granted, grantedOr, type Purse } from "./hold-batch.ts";

/** The batch module of the writer thread: `openDatabase(config, { writerModules: SQLITE_WRITER_MODULES })`. */
export const SQLITE_WRITER_MODULES = { settle: new URL("./sqlite-settle.ts", import.meta.url) } as const;

const NOTHING: Granted = { amount: 0, spendable: 0 };

function giveBack(purse: Purse | undefined, amount: number): void {
  if (purse === undefined) return;
  purse.free += amount;
  purse.held -= amount;
}

/**
 * Every change of a balance goes through here, so memory equals the table once an account was read. Reading an account
 * and posting an adjustment exclude each other: an adjustment is counted either by the read or by its own delta, never by both. Charges
 * and refunds need not wait for that: their accounts are read before the hold is given, also where nothing is held, or before the refund
 * is queued. So what `expect` counts is what `forget` takes back.
 */
export class SqliteLedger implements LedgerBackend {
  readonly #database: Database;
  readonly #sqlite: SqliteHandle;
  readonly #syncsLater: boolean;
  /** Balances after everything queued is committed, and the sums of open holds. */
  readonly #users = new Map<number, Purse>();
  readonly #tokens = new Map<number, Purse>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param syncsLater batches are posted once the operating system has them, and synced behind that */
  constructor(database: Database, sqlite: SqliteHandle, syncsLater: boolean) {
    this.#database = database;
    this.#sqlite = sqlite;
    this.#syncsLater = syncsLater;
  }

  readonly storesHolds = false;
  readonly isDataError = isDataError;

  reserve(request: HoldRequest, amount: number, least: number): Promise<Granted> | Granted {
    const user = this.#users.get(request.userId);
    const token = request.isTokenLimited ? this.#tokens.get(request.tokenId) : undefined;
    if (user === undefined || (request.isTokenLimited && token === undefined))
      return this.#readThenHold(request, amount, least);
    return amount === 0 ? NOTHING : grantedOr(grant({ amount, least }, user, token));
  }

  async #readThenHold(request: HoldRequest, amount: number, least: number): Promise<Granted> {
    await this.know(request.userId, request.isTokenLimited ? request.tokenId : 0);
    if (amount === 0) return NOTHING;
    if (!this.#users.has(request.userId)) throw new LedgerFault("user_quota");
    if (request.isTokenLimited && !this.#tokens.has(request.tokenId)) throw new LedgerFault("token_quota");
    return this.reserve(request, amount, least);
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  know(userId: number, tokenId: number): Promise<void> | void {
    if (this.#users.has(userId) && (tokenId === 0 || this.#tokens.has(tokenId))) return;
    const { kysely } = this.#database;
    return this.#exclusively(async () => {
      if (!this.#users.has(userId)) {
        const row = await kysely.selectFrom("users").select("quota").where("id", "=", userId).executeTakeFirst();
        if (row !== undefined) this.#users.set(userId, { free: row.quota, held: 0 });
      }
      if (tokenId !== 0 && !this.#tokens.has(tokenId)) {
        const row = await kysely
          .selectFrom("tokens")
          .select("remain_quota")
          .where("id", "=", tokenId)
          .executeTakeFirst();
        if (row !== undefined) this.#tokens.set(tokenId, { free: row.remain_quota, held: 0 });
      }
    });
  }

  async post(ledgerEntries: readonly LedgerEntry[]): Promise<PostedBatch> {
    const cells = packEntries(ledgerEntries);
    const post = this.#syncsLater ? this.#sqlite.callUnsynced : this.#sqlite.call;
    const bits = (await post("settle", cells)) as number[]; // the result of sqlite-settle.ts
    const isNew = bits.map((bit) => bit === 1);
    return this.#syncsLater ? { isNew, synced: this.#sqlite.sync() } : { isNew };
  }

  async available(userId: number): Promise<number> {
    await this.know(userId, 0);
    return this.#users.get(userId)?.free ?? 0;
  }

  expect({ ledger, hold }: LedgerEntry): void {
    if (hold !== undefined) this.#release(hold);
    if (ledger !== undefined) this.#add(ledger.userId, ledger.quotaDelta, ledger.tokenId, ledger.tokenQuotaDelta);
  }

  forget({ ledger }: LedgerEntry): void {
    if (ledger !== undefined) this.#add(ledger.userId, -ledger.quotaDelta, ledger.tokenId, -ledger.tokenQuotaDelta);
  }

  #release({ userId, tokenId, amount }: EndedHold): void {
    giveBack(this.#users.get(userId), amount);
    if (tokenId !== 0) giveBack(this.#tokens.get(tokenId), amount);
  }

  #add(userId: number, quotaDelta: number, tokenId: number, tokenQuotaDelta: number): void {
    const user = this.#users.get(userId);
    if (user !== undefined) user.free += quotaDelta;
    const token = this.#tokens.get(tokenId);
    if (token !== undefined) token.free += tokenQuotaDelta;
  }

  move(transaction: () => Promise<Posted>): Promise<Posted> {
    return this.#exclusively(async () => {
      const posted = await transaction();
      const { adjustment } = posted;
      if (adjustment !== undefined) {
        const { userId, quotaDelta = 0, tokenId = 0, tokenQuotaDelta = 0 } = adjustment;
        this.#add(userId, quotaDelta, tokenId, tokenQuotaDelta);
      }
      return posted;
    });
  }
}
