/** What the rest of the server may ask of the books; the engines' implementations stand beside it. Only billing/ writes a balance. */

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
}

/** Quota set aside for one call. Ends in exactly one settle or void. */
export interface Hold extends HoldRequest {
  readonly isOpen: boolean;
}

export type HoldRefusal =
  /** The user's balance less open holds does not reach. */
  | "user_quota"
  /** The token's remaining quota less open holds does not reach. */
  | "token_quota"
  /** Settlements cannot be committed now (see journal), so nothing new is let in. */
  | "unavailable";

export class HoldRefused extends Error {
  readonly reason: HoldRefusal;
  constructor(reason: HoldRefusal) {
    super(`hold refused: ${reason}`);
    this.name = "HoldRefused";
    this.reason = reason;
  }
}

export type MovementRefusal = "unknown_user" | "unknown_token" | "reward_quota";

/** A movement that was not booked; nothing of it remains. */
export class MovementRefused extends Error {
  readonly reason: MovementRefusal;
  constructor(reason: MovementRefusal) {
    super(`movement refused: ${reason}`);
    this.name = "MovementRefused";
    this.reason = reason;
  }
}

/** The log row of a call or another event, as the relay or the console knows it; billing adds nothing to it. */
export interface LogEntry {
  type: 1 | 2 | 3 | 4 | 5;
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

export type SettleOutcome = "committed" | "journaled" | "already_settled";

/** A movement that is not a call: everything an administrator, a code, a payment or a reward does to a balance. */
export interface Movement {
  /** Unique: the same id is never booked twice. */
  entryId: string;
  kind: "opening" | "gift" | "redemption" | "top_up" | "adjustment" | "transfer" | "reward" | "refund" | "token_quota";
  userId: number;
  tokenId?: number;
  quotaDelta?: number;
  tokenQuotaDelta?: number;
  affQuotaDelta?: number;
  /** Compact JSON: reason and actor. */
  detail: string;
  log?: LogEntry;
}

export interface Billing {
  /** Sets quota aside in one conditional step. Throws HoldRefused. */
  hold(request: HoldRequest): Promise<Hold> | Hold;
  /** Adds to an open hold by the same conditional step; false where the balance does not reach or the books are unavailable. */
  extend(hold: Hold, amount: number): Promise<boolean> | boolean;
  /** Ends the hold and books the charge; resolves when it is durable (or in the journal). Settling twice books once. */
  settle(hold: Hold, settlement: Settlement): Promise<SettleOutcome>;
  /** Ends the hold without a charge. */
  void(hold: Hold): Promise<void> | void;
  /**
   * Books a movement with its balance change in one transaction; false when `entryId` was booked before. What takes from rewards
   * (`affQuotaDelta` below 0) is conditional, everything else is not. Throws MovementRefused.
   */
  move(movement: Movement): Promise<boolean>;
  /** Writes log rows that carry no money (errors, admin acts), batched with settlements. */
  record(entry: LogEntry): Promise<void>;
  /** False while settlements go to the journal: `/readyz` is red and holds are refused. */
  readonly isHealthy: boolean;
  /** Balance less open holds of one user, in quota, as this engine knows it. */
  available(userId: number): Promise<number>;
  /** Waits for everything queued and stops. */
  close(): Promise<void>;
}
