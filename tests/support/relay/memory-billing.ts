/** The ledger of one user, in memory, that a test can watch and slow down. */
import {
  type Billing,
  LedgerFault,
  type Hold,
  type HoldRequest,
  type LedgerFigures,
  type LogEntry,
  type Refund,
  type Settlement,
} from "../../../server/src/billing/billing.ts";
import { grant, type Granted, grantedOr } from "../../../server/src/billing/engines/hold-batch.ts";

const NOTHING: Granted = { amount: 0, spendable: 0 };

interface MemoryHold extends Hold {
  amount: number;
  isOpen: boolean;
}

/** Knows one balance for all callers. */
export class MemoryBilling implements Billing {
  balance: number;
  settlements: Settlement[] = [];
  rows: LogEntry[] = [];
  holds = new Set<MemoryHold>();
  voids = 0;
  settleDelayMs = 0;
  /** Waited for before a charge is committed, beside settleDelayMs. */
  beforeCommit: Promise<unknown> | undefined;
  isHealthy = true;

  constructor(balance = 1_000_000_000) {
    this.balance = balance;
  }

  get held(): number {
    return [...this.holds].reduce((sum, { amount }) => sum + amount, 0);
  }

  get figures(): LedgerFigures {
    return { openHolds: this.holds.size, heldQuota: this.held, waiting: 0, oldestMs: 0, journaled: 0 };
  }

  hold(request: HoldRequest): Hold {
    if (!this.isHealthy) throw new LedgerFault("unavailable");
    const { amount, least = amount } = request;
    const { held } = this;
    const purse = { free: this.balance - held, held };
    const granted = amount === 0 ? NOTHING : grantedOr(grant({ amount, least }, purse, undefined));
    const hold: MemoryHold = { ...request, ...granted, isOpen: true };
    this.holds.add(hold);
    return hold;
  }

  extend(hold: Hold, amount: number): boolean {
    if (this.balance - this.held < amount) return false;
    for (const each of this.holds) if (each.requestId === hold.requestId) each.amount += amount;
    return true;
  }

  #end(hold: Hold): void {
    for (const each of this.holds) if (each.requestId === hold.requestId) this.holds.delete(each);
  }

  async settle(hold: Hold, settlement: Settlement): Promise<"committed"> {
    if (this.settleDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.settleDelayMs));
    if (this.beforeCommit !== undefined) await this.beforeCommit;
    this.#end(hold);
    this.balance -= settlement.charge;
    this.settlements.push(settlement);
    if (settlement.log !== undefined) this.rows.push(settlement.log);
    return "committed";
  }

  void(hold: Hold): void {
    this.voids += 1;
    this.#end(hold);
  }

  refund({ quota }: Refund): Promise<"committed"> {
    this.balance += quota;
    return Promise.resolve("committed");
  }

  move(): Promise<boolean> {
    return Promise.resolve(true);
  }

  moveAsDecided(): Promise<boolean> {
    return Promise.resolve(true);
  }

  record(entry: LogEntry): Promise<void> {
    this.rows.push(entry);
    return Promise.resolve();
  }

  available(): Promise<number> {
    return Promise.resolve(this.balance - this.held);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
