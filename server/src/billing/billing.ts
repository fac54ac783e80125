/** What the rest of the server may ask of the ledger; the engines' implementations stand beside it. Only billing/ writes a balance. */
import type { Transaction } from "kysely";
import { Fault } from "../../../contract/src/fault.ts";
import type { LOG_TYPE } from "../../../contract/src/constants.ts";
import type { Schema } from "../db/schema.ts";

export interface HoldRequest {
  /** Request id of the call; also the key of its ledger entry. */
  requestId: string;
  userId: number;
  /** 0 where no token is involved (playground). */
  tokenId: number;
  /** True where the token has a quota of its own; false without a token and for unlimited ones. */
  isTokenLimited: boolean;
  /** Quota to set aside; ≥ 0. With 0 (a free model) everybody is let in, else the balance less open holds has to reach. */
  amount: number;
  /**
   * What is enough where `amount` is not there and nothing else is held: the call is then let in with all that is left as its hold, and
   * alone, for nothing remains for another one. `amount` where absent.
   */
  least?: number;
}

/** Quota set aside for one call. Ends in exactly one settle or void. */
export interface Hold extends HoldRequest {
  readonly isOpen: boolean;
  /** What was set aside: less than was asked for where the balance did not reach. */
  readonly amount: number;
  /** What of it the call may cost before balance or token are at their end: less than `amount` where the token has less left. */
  readonly spendable: number;
}

const HOLD_FAULT_KINDS = [
  /** The user's balance less open holds does not reach. */
  "user_quota",
  /** The token's remaining quota less open holds does not reach. */
  "token_quota",
  /** Settlements cannot be committed now (see journal), so nothing new is let in. */
  "unavailable",
] as const;

export type HoldFaultKind = (typeof HOLD_FAULT_KINDS)[number];

type AdjustmentFaultKind =
  | "unknown_user"
  | "unknown_token"
  | "reward_quota"
  /** A balance would be beyond ±(2^53 - 1), where it could not be counted exactly. */
  | "balance_limit";

/** A hold or an adjustment that the ledger refused; nothing of it remains. */
export class LedgerFault<Kind extends HoldFaultKind | AdjustmentFaultKind> extends Fault<Kind> {
  constructor(kind: Kind, cause?: unknown) {
    super(kind, `refused by the ledger: ${kind}`, cause);
  }
}

/** True for an adjustment that was refused because the balance after it could not be counted exactly. */
export const isBalanceLimit = (error: unknown): boolean =>
  error instanceof LedgerFault && error.kind === "balance_limit";

/** The fault of a hold that was refused, among all that `hold` may throw. */
export const isHoldFault = (error: unknown): error is LedgerFault<HoldFaultKind> =>
  error instanceof LedgerFault && (HOLD_FAULT_KINDS as readonly string[]).includes(error.kind);

type LogType = (typeof LOG_TYPE)[keyof typeof LOG_TYPE];

/** The log row of a call or another event, as the relay or the console knows it; billing adds nothing to it. */
export interface LogEntry {
  type: LogType;
  requestId: string;
  createdAt: number;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  channelId: number;
  modelName: string;
  groupName: string;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  useTimeMs: number;
  firstTokenMs: number;
  isStream: boolean;
  ip: string;
  content: string;
  /** Receipt as JSON text. */
  other: string;
}

export interface Settlement {
  requestId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  groupName: string;
  /** Quota to charge; ≥ 0, a safe integer. */
  charge: number;
  /** What the call cost at the upstream, in quota; ≥ 0, a safe integer. Absent where nobody knows: that is not 0. */
  cost?: number;
  /** True when the token has a quota of its own that goes down with the call. */
  isTokenLimited: boolean;
  promptTokens: number;
  completionTokens: number;
  createdAt: number;
  /** Compact JSON: usage and price version. */
  detail: string;
  /** Absent where LogConsumeEnabled is off. */
  log?: LogEntry;
}

/** What was charged for work that came to nothing later, as the ledger has that charge. */
export interface Refund {
  /** Unique: the same id is never posted twice. */
  entryId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  groupName: string;
  /** Quota that goes back; > 0. */
  quota: number;
  /** What of it goes back to a token that has a quota of its own. */
  tokenQuota: number;
  /** True where the cost of the charge is known: it stays a cost, since nobody knows whether the upstream gives it back. */
  hasCost: boolean;
  createdAt: number;
  /** Compact JSON: reason. */
  detail: string;
  log: LogEntry;
}

/** "pending": neither the database nor the journal has taken it in time; it is in memory, and goes to whichever comes back first. */
export type SettleOutcome = "committed" | "journaled" | "already_settled" | "pending";

/** What an adjustment may be; the one other kind of ledger entry is the charge. */
export const ADJUSTMENT_KINDS = [
  "opening",
  "gift",
  "redemption",
  "checkin",
  "top_up",
  "reversal",
  "adjustment",
  "transfer",
  "reward",
  "refund",
  "token_quota",
] as const;

/** An adjustment that is not a call: everything an administrator, a code, a payment or a reward does to a balance. */
export interface Adjustment {
  /** Unique: the same id is never posted twice. */
  entryId: string;
  kind: (typeof ADJUSTMENT_KINDS)[number];
  userId: number;
  tokenId?: number;
  quotaDelta?: number;
  tokenQuotaDelta?: number;
  affQuotaDelta?: number;
  /** Compact JSON: reason and actor. */
  detail: string;
  log?: LogEntry;
}

/**
 * What must become true together with an adjustment, by conditional statements on tables that are no balances: a code is used, an
 * order is paid. False where it is not to be had (any more); then nothing is posted, and what it wrote is undone. A transaction that
 * loses a deadlock runs again from its beginning.
 */
export type Claim = (transaction: Transaction<Schema>) => Promise<boolean>;

/**
 * An adjustment that depends on what the transaction itself reads and locks (`locked` of db/portable.ts). Undefined: nothing is to be
 * posted; what was written there stays.
 */
export type Decision = (transaction: Transaction<Schema>) => Promise<Adjustment | undefined>;

export interface Billing {
  /** Sets quota aside in one conditional step. Throws LedgerFault. */
  hold(request: HoldRequest): Promise<Hold> | Hold;
  /** Adds to an open hold by the same conditional step; false where the balance does not reach or the ledger is unavailable. */
  extend(hold: Hold, amount: number): Promise<boolean> | boolean;
  /** Ends the hold and posts the charge; resolves when it is durable (or in the journal), or "pending" after a while. Settling twice posts once. */
  settle(hold: Hold, settlement: Settlement): Promise<SettleOutcome>;
  /** Ends the hold without a charge. */
  void(hold: Hold): Promise<void> | void;
  /**
   * Posts an adjustment with its balance change in one transaction; false when `entryId` was posted before, or `claim`, the first part
   * of the same transaction, was refused. What takes from rewards (`affQuotaDelta` below 0) is conditional, everything else is not.
   * Throws LedgerFault, and what `claim` throws, with nothing changed.
   */
  move(adjustment: Adjustment, claim?: Claim): Promise<boolean>;
  /** As `move`, of what is decided in the transaction that posts it; false, and nothing changed, when its `entryId` was posted before. */
  moveAsDecided(decide: Decision): Promise<boolean>;
  /**
   * Posts a charge's way back as `settle` posts the charge: counters of user, token, channel and hour go back with the balance. One that
   * a balance cannot take (2^53 - 1) is refused as data that no database takes.
   */
  refund(refund: Refund): Promise<SettleOutcome>;
  /** Writes log rows that carry no money (errors, admin acts), batched with settlements. */
  record(entry: LogEntry): Promise<void>;
  /** False while settlements go to the journal: `/readyz` is red and holds are refused. */
  readonly isHealthy: boolean;
  /** Balance less open holds of one user, in quota, as this engine knows it. */
  available(userId: number): Promise<number>;
  /** Waits for everything queued and stops. */
  close(): Promise<void>;
}
