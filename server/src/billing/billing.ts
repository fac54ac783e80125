/** The interface of the ledger for the rest of the server; engines/ implements it for each database. Only billing/ writes a balance. */
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
  /** Quota to set aside; ≥ 0. 0 (a free model) is always granted, otherwise the balance less open holds must cover it. */
  amount: number;
  /**
   * The minimum if `amount` is not available and the user has no other hold: the call is then admitted with the whole remaining balance as
   * its hold, and no other call beside it. `amount` if absent.
   */
  least?: number;
}

/** Quota set aside for one call. Ends in exactly one settle or void. */
export interface Hold extends HoldRequest {
  readonly isOpen: boolean;
  /** Quota that was set aside: less than requested if the balance did not cover it. */
  readonly amount: number;
  /** The part of it that the call may cost before balance or token are exhausted: less than `amount` if the token has less left. */
  readonly spendable: number;
}

const HOLD_FAULT_KINDS = [
  /** The user's balance less open holds is too low. */
  "user_quota",
  /** The token's remaining quota less open holds is too low. */
  "token_quota",
  /** Settlements cannot be committed now (see journal), so no call is admitted. */
  "unavailable",
] as const;

export type HoldFaultKind = (typeof HOLD_FAULT_KINDS)[number];

type AdjustmentFaultKind =
  | "unknown_user"
  | "unknown_token"
  | "reward_quota"
  /** A balance would be beyond ±(2^53 - 1), where it could not be counted exactly. */
  | "balance_limit";

/** A hold or an adjustment that the ledger refused; it changed nothing. */
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
  /** Upstream cost of the call, in quota; ≥ 0, a safe integer. Absent if unknown, which is not 0. */
  cost?: number;
  /** True if the token has a quota of its own, which the call reduces. */
  isTokenLimited: boolean;
  promptTokens: number;
  completionTokens: number;
  createdAt: number;
  /** Compact JSON: usage and price version. */
  detail: string;
  /** Absent where LogConsumeEnabled is off. */
  log?: LogEntry;
}

/** The charge of failed work, as the ledger has it. */
export interface Refund {
  /** Unique: the same id is never posted twice. */
  entryId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  groupName: string;
  /** Quota to refund; > 0. */
  quota: number;
  /** The part of it that is refunded to a token with a quota of its own. */
  tokenQuota: number;
  /** True if the charge has an upstream cost: a refund keeps the cost, since it is unknown whether the upstream refunds it. */
  hasCost: boolean;
  createdAt: number;
  /** Compact JSON: reason. */
  detail: string;
  log: LogEntry;
}

/** "pending": neither database nor journal has accepted it in time; it is in memory, and goes to the first that is available again. */
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

/** A ledger entry that is not a call: every change of a balance by an administrator, a code, a payment or a reward. */
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
 * A conditional write on other tables that must succeed together with an adjustment: a code is used, an order is paid. False if the
 * condition does not hold (any more); then nothing is posted, and its writes are rolled back. A transaction that
 * loses a deadlock runs again from its beginning.
 */
export type Claim = (transaction: Transaction<Schema>) => Promise<boolean>;

/**
 * An adjustment that depends on what the transaction itself reads and locks (`locked` of db/portable.ts). Undefined: nothing is
 * posted, but its writes are committed.
 */
export type Decision = (transaction: Transaction<Schema>) => Promise<Adjustment | undefined>;

/** What the ledger of this process has under way, for its metrics. */
export interface LedgerFigures {
  /** Holds of this process that are neither settled nor void. */
  openHolds: number;
  /** Quota set aside by these. */
  heldQuota: number;
  /** Entries that wait for the database: charges, ends of holds and log rows. */
  waiting: number;
  /** Milliseconds for which the oldest of them has waited; 0 where there is none. */
  oldestMs: number;
  /** Entries that went to the journal and are not replayed yet. */
  journaled: number;
}

export interface Billing {
  /** Sets quota aside in one conditional step. Throws LedgerFault. */
  hold(request: HoldRequest): Promise<Hold> | Hold;
  /** Increases an open hold by the same conditional step; false if the balance is too low or the ledger is unavailable. */
  extend(hold: Hold, amount: number): Promise<boolean> | boolean;
  /**
   * Ends the hold and posts the charge; resolves when it is durable (or in the journal), when a stalled disk was waited for long enough once
   * it is written (ANSWER_WAIT_MS), or "pending" after a while. Settling twice posts once.
   */
  settle(hold: Hold, settlement: Settlement): Promise<SettleOutcome>;
  /** Ends the hold without a charge. */
  void(hold: Hold): Promise<void> | void;
  /**
   * Posts an adjustment with its balance change in one transaction; false when `entryId` was posted before, or `claim`, the first part
   * of the same transaction, was refused. Taking rewards (`affQuotaDelta` below 0) is conditional, everything else is not.
   * Throws LedgerFault, and what `claim` throws, with nothing changed.
   */
  move(adjustment: Adjustment, claim?: Claim): Promise<boolean>;
  /** As `move`, for an adjustment that is decided in the posting transaction; false, and nothing changed, if its `entryId` was posted before. */
  moveAsDecided(decide: Decision): Promise<boolean>;
  /**
   * Posts a refund as `settle` posts a charge: the counters of user, token, channel and hour are reduced, the balance is increased. One that
   * would exceed a balance's maximum (2^53 - 1) is refused as invalid data.
   */
  refund(refund: Refund): Promise<SettleOutcome>;
  /** Writes log rows without money (errors, administrators' actions), batched with settlements. */
  record(entry: LogEntry): Promise<void>;
  /** False while settlements go to the journal: `/readyz` fails and holds are refused. */
  readonly isHealthy: boolean;
  /** Counted when asked. */
  readonly figures: LedgerFigures;
  /** Balance less open holds of one user, in quota, as this engine knows it. */
  available(userId: number): Promise<number>;
  /** Waits for everything queued and stops. */
  close(): Promise<void>;
}
