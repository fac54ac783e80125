/** A ledger entry to post: its ledger row, the log row that goes with it and the hold that it ends. Every engine posts lists of these. */
import { assertQuota } from "../../../contract/src/money.ts";
import { storable, storableCut } from "../util/text.ts";
import type { LogEntry, Refund, Settlement } from "./billing.ts";

export interface LedgerRow {
  entryId: string;
  kind: string;
  createdAt: number;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  groupName: string;
  quotaDelta: number;
  tokenQuotaDelta: number;
  affQuotaDelta: number;
  usedDelta: number;
  requestDelta: number;
  promptTokens: number;
  completionTokens: number;
  /** In quota; absent if unknown, as in journal lines of versions without costs. */
  cost?: number;
  detail: string;
}

/** The quota of a hold, as far as it has to be released. */
export interface EndedHold {
  id: string;
  userId: number;
  /** 0 where the token's quota was not touched. */
  tokenId: number;
  amount: number;
}

export interface LedgerEntry {
  /** Undefined for log rows without money and for holds that end without a charge. */
  ledger: LedgerRow | undefined;
  /** Written only where the ledger row is new. */
  log: LogEntry | undefined;
  hold: EndedHold | undefined;
}

/** Lengths of the columns; texts of callers and upstreams may be longer. */
const MAX_MODEL = 255;
const MAX_NAME = 128;
const MAX_SHORT_NAME = 64;
const MAX_CONTENT = 4_000;
/** Maximum of a receipt, which contains texts of clients and upstreams: a database limits its packets (MariaDB's max_allowed_packet). */
const MAX_RECEIPT = 100_000;

/** An invalid cost counts as unknown: it never keeps a charge out of the ledger. */
const knownCost = (cost: number | undefined): { cost?: number } =>
  cost !== undefined && Number.isSafeInteger(cost) && cost >= 0 ? { cost } : {};

const count = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);

/** JSON cannot be cut: a receipt that is too long is replaced by one that says so. */
const receipt = (text: string): string =>
  text.length > MAX_RECEIPT ? JSON.stringify({ omitted_characters: text.length }) : storable(text);

/** The log row with texts that fit their columns. */
export const storableLog = (log: LogEntry): LogEntry => ({
  ...log,
  username: storableCut(log.username, MAX_SHORT_NAME),
  tokenName: storableCut(log.tokenName, MAX_NAME),
  modelName: storableCut(log.modelName, MAX_MODEL),
  groupName: storableCut(log.groupName, MAX_SHORT_NAME),
  ip: storableCut(log.ip, MAX_SHORT_NAME),
  content: storableCut(log.content, MAX_CONTENT),
  other: receipt(log.other),
});

/** The ledger entry of a charge. Throws a RangeError for a charge that is negative or no safe integer. */
export function chargeEntry(settlement: Settlement, hold: EndedHold | undefined): LedgerEntry {
  const charge = assertQuota(settlement.charge);
  if (charge < 0) throw new RangeError(`a charge is at least 0: ${charge}`);
  const { requestId, createdAt, userId, tokenId, channelId } = settlement;
  const ledger: LedgerRow = {
    entryId: requestId,
    kind: "charge",
    createdAt,
    userId,
    tokenId,
    channelId,
    model: storableCut(settlement.model, MAX_MODEL),
    groupName: storableCut(settlement.groupName, MAX_SHORT_NAME),
    quotaDelta: 0 - charge,
    tokenQuotaDelta: settlement.isTokenLimited && tokenId > 0 ? 0 - charge : 0,
    affQuotaDelta: 0,
    usedDelta: charge,
    requestDelta: 1,
    promptTokens: count(settlement.promptTokens),
    completionTokens: count(settlement.completionTokens),
    ...knownCost(settlement.cost),
    detail: storable(settlement.detail),
  };
  return { ledger, log: settlement.log === undefined ? undefined : storableLog(settlement.log), hold };
}

/** The ledger entry of a refund. Throws a RangeError unless it is a positive safe integer. */
export function refundEntry(refund: Refund): LedgerEntry {
  const quota = assertQuota(refund.quota);
  if (quota <= 0) throw new RangeError(`a refund is above 0: ${quota}`);
  const { entryId, createdAt, userId, tokenId, channelId } = refund;
  const ledger: LedgerRow = {
    entryId,
    kind: "refund",
    createdAt,
    userId,
    tokenId,
    channelId,
    model: storableCut(refund.model, MAX_MODEL),
    groupName: storableCut(refund.groupName, MAX_SHORT_NAME),
    quotaDelta: quota,
    tokenQuotaDelta: assertQuota(refund.tokenQuota),
    affQuotaDelta: 0,
    usedDelta: 0 - quota,
    requestDelta: 0,
    promptTokens: 0,
    completionTokens: 0,
    ...(refund.hasCost ? { cost: 0 } : {}),
    detail: storable(refund.detail),
  };
  return { ledger, log: storableLog(refund.log), hold: undefined };
}

/** Maximum rows and characters of one transaction: messages to a database are bounded too. */
const MAX_BATCH = 1_000;
const MAX_BATCH_CHARACTERS = 1_000_000;

const charactersOf = ({ ledger, log }: LedgerEntry): number =>
  (ledger?.detail.length ?? 0) + (log === undefined ? 0 : log.other.length + log.content.length);

/** How many of the first entries make one batch; at least 1. */
export function batchLength<Item>(items: readonly Item[], entryOf: (item: Item) => LedgerEntry): number {
  let characters = 0;
  const end = items.findIndex((item, index) => {
    characters += charactersOf(entryOf(item));
    return index > 0 && (index >= MAX_BATCH || characters > MAX_BATCH_CHARACTERS);
  });
  return end < 0 ? items.length : end;
}

export interface KeySums {
  id: number;
  quota: number;
  used: number;
  requests: number;
  /** Newest time of a call. */
  seen: number;
}

interface HourSums {
  hour: number;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
  groupName: string;
  requests: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  /** Sums of the calls whose cost is known, and of their charges. */
  cost: number;
  costedQuota: number;
}

/** The changes of other tables' rows by a list of new ledger rows, each list in ascending order of its key. */
export interface Sums {
  hours: HourSums[];
  channels: KeySums[];
  tokens: KeySums[];
  users: KeySums[];
}

const SECONDS_PER_HOUR = 3600;

function addKey(sums: Map<number, KeySums>, id: number, quota: number, row: LedgerRow): void {
  if (id === 0) return;
  let entry = sums.get(id);
  if (entry === undefined) sums.set(id, (entry = { id, quota: 0, used: 0, requests: 0, seen: 0 }));
  entry.quota += quota;
  entry.used += row.usedDelta;
  entry.requests += row.requestDelta;
  // A refund is no call.
  if (row.requestDelta > 0 && row.createdAt > entry.seen) entry.seen = row.createdAt;
}

function addHour(sums: Map<string, HourSums>, row: LedgerRow): void {
  const { userId, tokenId, channelId, model, groupName } = row;
  const hour = row.createdAt - (row.createdAt % SECONDS_PER_HOUR);
  const key = `${hour}|${userId}|${tokenId}|${channelId}|${model}|${groupName}`;
  let entry = sums.get(key);
  if (entry === undefined) {
    entry = {
      hour,
      userId,
      tokenId,
      channelId,
      model,
      groupName,
      requests: 0,
      quota: 0,
      promptTokens: 0,
      completionTokens: 0,
      cost: 0,
      costedQuota: 0,
    };
    sums.set(key, entry);
  }
  entry.requests += row.requestDelta;
  entry.quota += row.usedDelta;
  entry.promptTokens += row.promptTokens;
  entry.completionTokens += row.completionTokens;
  if (row.cost === undefined) return;
  entry.cost += row.cost;
  entry.costedQuota += row.usedDelta;
}

const byId = (a: KeySums, b: KeySums): number => a.id - b.id;

/** Any total order works if every process has the same one. */
const byHour = (a: HourSums, b: HourSums): number =>
  a.hour - b.hour ||
  a.userId - b.userId ||
  a.tokenId - b.tokenId ||
  a.channelId - b.channelId ||
  (a.model < b.model ? -1 : a.model > b.model ? 1 : a.groupName < b.groupName ? -1 : 1);

/** Sums charges by row. One UPDATE for each row, in this order on every process, keeps transactions short and free of deadlocks. */
export function sumCharges(rows: readonly LedgerRow[]): Sums {
  const hours = new Map<string, HourSums>();
  const channels = new Map<number, KeySums>();
  const tokens = new Map<number, KeySums>();
  const users = new Map<number, KeySums>();
  for (const row of rows) {
    addHour(hours, row);
    addKey(channels, row.channelId, 0, row);
    addKey(tokens, row.tokenId, row.tokenQuotaDelta, row);
    addKey(users, row.userId, row.quotaDelta, row);
  }
  return {
    hours: [...hours.values()].sort(byHour),
    channels: [...channels.values()].sort(byId),
    tokens: [...tokens.values()].sort(byId),
    users: [...users.values()].sort(byId),
  };
}
