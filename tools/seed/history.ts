/** Writes past usage through the ledger itself, so that balances, counters, roll-ups and the audit agree with it. */
import { chargeQuota, type PerTokenPrice } from "../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type Usage } from "../../contract/src/pricing/usage.ts";
import { chargeDetail } from "../../server/src/billing/charge-detail.ts";
import { isHoldFault, type LogEntry, type Settlement } from "../../server/src/billing/billing.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import { newRequestId } from "../../server/src/http/request-id.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import { type Chance, repeatableChance } from "./chance.ts";
import type { Scenario } from "./scenario.ts";

/** A token that calls were made with. */
export interface Caller {
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  isLimited: boolean;
  /** Empty: every model. */
  models: readonly string[];
}

const DAY_SECONDS = 86_400;
const FIRST_BYTE_MS = 420;
/** Calls in flight while seeding; the ledger commit what queues together. */
const BATCH = 64;
/** Relative load of each hour of a day, from midnight UTC. */
export const HOURS = [1, 1, 1, 1, 1, 2, 3, 5, 8, 10, 10, 9, 7, 8, 10, 10, 9, 7, 5, 4, 4, 3, 2, 1];

interface PastCall {
  caller: Caller;
  channel: SnapshotChannel;
  model: string;
  usage: Usage;
  createdAt: number;
  isStream: boolean;
  useTimeMs: number;
  isFailure: boolean;
  /** Id of the program that called; "" for one that is not known. */
  client: string;
}

/** Who asks for which models; agents send a conversation again and again, of which upstreams have most in their caches. */
const AGENTS: readonly (readonly [models: RegExp, client: string, cachedShare: number])[] = [
  [/claude/, "claude-code", 0.9],
  [/^(?:gpt|o\d)/, "codex", 0.7],
  [/gemini/, "gemini-cli", 0.5],
];

function pastMoment(chance: Chance, dayStart: number): number {
  let place = chance.between(
    1,
    HOURS.reduce((sum, load) => sum + load, 0),
  );
  const hour = HOURS.findIndex((load) => (place -= load) <= 0);
  return dayStart + hour * 3600 + chance.between(0, 3599);
}

function pastUsage(chance: Chance, model: string, isAgent: boolean): Usage {
  const isEmbedding = model.startsWith("text-embedding");
  const inputTokens = chance.between(40, isEmbedding ? 900 : 6_000);
  const share = isAgent ? (AGENTS.find(([models]) => models.test(model))?.[2] ?? 0) : 0.3;
  const cacheReadTokens = !isEmbedding && chance.next() < share ? Math.floor(inputTokens * 0.6) : 0;
  return { ...NO_USAGE, inputTokens, cacheReadTokens, outputTokens: isEmbedding ? 0 : chance.between(20, 1_400) };
}

/** A model that a channel offers. */
interface Offer {
  channel: SnapshotChannel;
  model: string;
}

/** A call of one token to a channel that offers a model it may use; undefined where there is none. */
function pastCall(
  chance: Chance,
  callers: readonly Caller[],
  offers: readonly Offer[],
  scenario: Pick<Scenario, "failureShare">,
  dayStart: number,
): PastCall | undefined {
  const caller = chance.pick(callers);
  const open = offers.filter(({ model }) => caller.models.length === 0 || caller.models.includes(model));
  if (open.length === 0) return undefined;
  const { channel, model } = chance.pick(open);
  const client = chance.next() < 0.6 ? (AGENTS.find(([models]) => models.test(model))?.[1] ?? "") : "";
  const usage = pastUsage(chance, model, client !== "");
  return {
    caller,
    channel,
    model,
    usage,
    createdAt: pastMoment(chance, dayStart),
    isStream: usage.outputTokens > 0 && chance.next() < 0.8,
    useTimeMs: 300 + usage.outputTokens * chance.between(6, 18),
    isFailure: chance.next() < scenario.failureShare,
    client,
  };
}

function logRow(call: PastCall, requestId: string): LogEntry {
  const { caller, channel, usage } = call;
  return {
    type: 2,
    requestId,
    createdAt: call.createdAt,
    userId: caller.userId,
    username: caller.username,
    tokenId: caller.tokenId,
    tokenName: caller.tokenName,
    channelId: channel.id,
    modelName: call.model,
    groupName: "default",
    quota: 0,
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    useTimeMs: call.useTimeMs,
    firstTokenMs: Math.min(call.useTimeMs, FIRST_BYTE_MS),
    isStream: call.isStream,
    ip: "127.0.0.1",
    content: "",
    other: "{}",
  };
}

/** How past calls failed, in rotation: the message of the call, and of the one channel that was tried. */
const FAILURES = [
  {
    facts: { error_type: "upstream_error", error_code: "upstream_unreachable", status_code: 502 },
    attempt: { status: 0, reason: "network: the upstream could not be reached" },
    content: "The upstream could not be reached.",
  },
  {
    facts: { error_type: "rate_limit_error", error_code: "rate_limit_exceeded", status_code: 429 },
    attempt: { status: 429, reason: "rate: Rate limit reached for requests" },
    content: "Rate limit reached for requests",
  },
] as const;

function failureRow(call: PastCall): LogEntry {
  const { id, name } = call.channel;
  const { facts, attempt, content } = FAILURES[call.createdAt % FAILURES.length] ?? FAILURES[0];
  const tried = [{ id, name, start_ms: 0, ms: call.useTimeMs, ...attempt }];
  const other = { ...facts, frt: -1000, admin_info: { use_channel: [id], tried, skipped: [] } };
  return {
    ...logRow(call, newRequestId()),
    type: 5,
    promptTokens: 0,
    completionTokens: 0,
    firstTokenMs: 0,
    content,
    other: JSON.stringify(other),
  };
}

async function writeFailure({ billing }: Foundation, call: PastCall): Promise<boolean> {
  await billing.record(failureRow(call));
  return true;
}

/** What the call cost at its channel's upstream, as the relay works it out; undefined if unknown. */
function costOf({ snapshot }: Foundation, { usage, channel, model }: PastCall, quotaPerUnit: string) {
  const asked = snapshot.upstreamPriceOf(channel, model);
  if (asked === undefined) return undefined;
  const { price, factor, origin } = asked;
  return { quota: chargeQuota(usage, price, factor, quotaPerUnit), origin, ...(factor === "1" ? {} : { factor }) };
}

type PastCost = ReturnType<typeof costOf>;

/** The receipt as the relay writes it. */
function receiptOf(
  { usage, channel, client }: PastCall,
  price: PerTokenPrice,
  groupRatio: string,
  priceVersion: number,
  charge: number,
  cost: PastCost,
): string {
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  return JSON.stringify({
    model_ratio: Number(price.ratio),
    model_price: -1,
    completion_ratio: Number(price.completionRatio),
    cache_ratio: Number(price.cacheRatio),
    group_ratio: Number(groupRatio),
    price_version: priceVersion,
    cache_tokens: cacheReadTokens,
    usage: { inputTokens, outputTokens, cacheReadTokens },
    ...(client === "" ? {} : { client }),
    frt: FIRST_BYTE_MS,
    admin_info: {
      use_channel: [channel.id],
      ...(cost === undefined ? {} : { cost: { ...cost, margin: charge - cost.quota } }),
    },
  });
}

/** The settlement of a past call, priced by the tables in force; undefined where its model has no price by the token. */
function settlementOf(foundation: Foundation, call: PastCall): Settlement | undefined {
  const { snapshot } = foundation;
  const { caller, usage, model } = call;
  const price = snapshot.priceOf(model);
  if (price?.kind !== "per_token") return undefined;
  const { priceVersion } = snapshot;
  const groupRatio = snapshot.groupRatio("default", "default")?.ratio ?? "1";
  const quotaPerUnit = String(snapshot.options.QuotaPerUnit);
  const charge = chargeQuota(usage, price, groupRatio, quotaPerUnit);
  const cost = costOf(foundation, call, quotaPerUnit);
  const requestId = newRequestId();
  return {
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    channelId: call.channel.id,
    model,
    groupName: "default",
    charge,
    ...(cost === undefined ? {} : { cost: cost.quota }),
    isTokenLimited: caller.isLimited,
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    createdAt: call.createdAt,
    detail: chargeDetail({ usage, price, groupRatio, quotaPerUnit, priceVersion, model, namedModel: model }),
    log: {
      ...logRow(call, requestId),
      quota: charge,
      other: receiptOf(call, price, groupRatio, priceVersion, charge, cost),
    },
  };
}

/** Posts one past call as the relay would have: hold, then settlement with its log row. False where the quota did not reach. */
async function writeCharge(foundation: Foundation, call: PastCall): Promise<boolean> {
  const settlement = settlementOf(foundation, call);
  if (settlement === undefined) return false;
  const { requestId, userId, tokenId, charge: amount, isTokenLimited } = settlement;
  try {
    const hold = await foundation.billing.hold({ requestId, userId, tokenId, amount, isTokenLimited });
    await foundation.billing.settle(hold, settlement);
    return true;
  } catch (error) {
    if (isHoldFault(error)) return false; // the token is used up, as it would be
    throw error;
  }
}

function callsOfDay(
  chance: Chance,
  callers: readonly Caller[],
  offers: readonly Offer[],
  scenario: Scenario,
  dayStart: number,
): PastCall[] {
  const isWeekend = [0, 6].includes(new Date(dayStart * 1000).getUTCDay());
  const mean = scenario.callsPerDay * (isWeekend && scenario.days > 7 ? 0.4 : 1);
  const count = Math.round(mean * (0.8 + chance.next() * 0.4));
  const calls = Array.from({ length: count }, () => pastCall(chance, callers, offers, scenario, dayStart));
  return calls.filter((call) => call !== undefined);
}

/** A past call as a row of the log and, where it was charged, of the ledger. */
export interface PastEntry {
  log: LogEntry;
  /** Undefined for a call that failed. */
  settlement: Settlement | undefined;
}

/** A number of calls of the callers, priced but not posted; a bulk load repeats them with other times and request ids. */
export function sampleEntries(
  foundation: Foundation,
  callers: readonly Caller[],
  failureShare: number,
  count: number,
): PastEntry[] {
  const offers = pricedOffers(foundation);
  const chance = repeatableChance(11);
  const ledgerEntries: PastEntry[] = [];
  while (ledgerEntries.length < count) {
    const call = pastCall(chance, callers, offers, { failureShare }, 0);
    const settlement = call?.isFailure === false ? settlementOf(foundation, call) : undefined;
    const log = settlement?.log ?? (call === undefined ? undefined : failureRow(call));
    if (log === undefined) throw new Error("the scenario has a token without any model to call");
    ledgerEntries.push({ log, settlement });
  }
  return ledgerEntries;
}

function pricedOffers({ snapshot }: Foundation): Offer[] {
  const offers = snapshot.channels().flatMap((channel) => [...channel.models].map((model) => ({ channel, model })));
  return offers.filter(({ model }) => snapshot.priceOf(model)?.kind === "per_token");
}

/** Writes the scenario's days up to `nowSeconds`; gives the number of calls. */
export async function writeHistory(
  foundation: Foundation,
  scenario: Scenario,
  callers: readonly Caller[],
  nowSeconds: number,
): Promise<number> {
  const offers = pricedOffers(foundation);
  if (callers.length === 0 || offers.length === 0) return 0;
  const chance = repeatableChance(7);
  const today = nowSeconds - (nowSeconds % DAY_SECONDS);
  const days = Array.from({ length: scenario.days + 1 }, (_, index) => today - (scenario.days - index) * DAY_SECONDS);
  const calls = days
    .flatMap((dayStart) => callsOfDay(chance, callers, offers, scenario, dayStart))
    .filter(({ createdAt }) => createdAt < nowSeconds)
    .toSorted((a, b) => a.createdAt - b.createdAt);
  let written = 0;
  for (let start = 0; start < calls.length; start += BATCH) {
    const batch = calls.slice(start, start + BATCH);
    const outcomes = await Promise.all(
      batch.map((call) => (call.isFailure ? writeFailure(foundation, call) : writeCharge(foundation, call))),
    );
    written += outcomes.filter(Boolean).length;
  }
  return written;
}
