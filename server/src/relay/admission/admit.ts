/** Step 3: may this caller use this model in this group now, and is there quota for it; ends with a hold. */
import type { ChannelTier } from "../../snapshot/snapshot.ts";
import type { Call, CallEnd } from "../call/call.ts";
import type { OpenCall, OpenCalls } from "../call/open-calls.ts";
import { RelayError } from "../call/relay-error.ts";
import { showRetirement } from "../call/respond.ts";
import { type Group, type Routes, routesThrough } from "../call/target.ts";
import { HeldQuota, holdQuota } from "../metering/held-quota.ts";
import { coversFor, quoteFor, toolQuota } from "../metering/hold-estimate.ts";
import { meterOf } from "../metering/meters.ts";
import type { SentRequest } from "../metering/sent-request.ts";
import { type Quote, termsFor } from "../metering/terms.ts";
import type { Accepted } from "../request/accepted.ts";
import { formTexts } from "../request/multipart-form.ts";
import { furtherGroups, groupsOf } from "./groups.ts";
import { noChannelFor, noteAbsent } from "./skip-reasons.ts";
import { type Caller, callerId, checkModelLimits } from "./caller.ts";
import { limitRate } from "./rate-limits.ts";
import { mostWaitMs, waitForPlace } from "./waiting.ts";
import { checkWords, refuseWords } from "./sensitive-words.ts";

/** The result of an admission. */
export interface Admission {
  readonly caller: Caller;
  readonly quote: Quote;
  readonly routes: Routes;
  readonly hold: HeldQuota;
  /** The request as it goes to the channel that is tried now, where its override has changed it: what is charged follows this one. */
  sent: SentRequest | undefined;
}

/** Channels of the group that offer the model; none are looked for where the key names one. Throws RelayError 403, 404 or 503. */
function tiersFor(call: Call, model: string, caller: Caller, group: Group): readonly ChannelTier[] {
  if (caller.pinnedChannelId !== 0) return [];
  checkModelLimits(caller, model);
  const tiers = call.context.snapshot.tiersFor(group.name, model);
  if (tiers.length > 0) return tiers;
  noteAbsent(call, group.name, model);
  const groupNames = groupsOf(call.context.snapshot, caller);
  throw noChannelFor(call.context, groupNames, model, caller.token.groupName || group.name);
}

/** Of these groups the one with the highest ratio. */
const dearestOf = (first: Group, further: readonly Group[]): Group =>
  further.reduce((dearest, each) => (Number(each.ratio) > Number(dearest.ratio) ? each : dearest), first);

/** The slot of a call among the open ones of its caller. */
class OpenSlot implements CallEnd {
  readonly #calls: OpenCalls;
  readonly #open: OpenCall;

  constructor(calls: OpenCalls, open: OpenCall) {
    this.#calls = calls;
    this.#open = open;
  }

  ended(): void {
    this.#calls.ended(this.#open);
  }
}

/** Interval of checks whether another call has ended, in milliseconds. */
const LOOK_MS = 50;

/** Takes a slot, also one that is free a moment later; undefined where none is. */
async function openSlot(call: Call, caller: Caller, limit: number): Promise<OpenCall | undefined> {
  const { tokenCalls } = call.context;
  const id = callerId(caller);
  const untilMs = performance.now() + mostWaitMs(call);
  for (;;) {
    const open = tokenCalls.hasRoom(id, limit) ? await tokenCalls.begin(id, limit) : undefined;
    const mayWait = performance.now() < untilMs;
    if (open !== undefined || !mayWait || !(await waitForPlace(call, caller.user.id, LOOK_MS))) return open;
  }
}

/** Counts the call as open for its caller until it ends; over the bound it is refused. Without one there is nothing to wait for. */
export async function countOpen(call: Call, caller: Caller, limit: number): Promise<void> {
  const { tokenCalls } = call.context;
  const open = await openSlot(call, caller, limit);
  if (open === undefined)
    throw new RelayError("concurrency_exceeded", {
      message: `This API key may have ${limit} calls open at a time.`,
      retryAfterSeconds: 1,
    });
  call.atEnd(new OpenSlot(tokenCalls, open));
}

/** Sets aside what the call may cost. Throws RelayError 403 or 503. */
async function holdFor(
  call: Call,
  accepted: Accepted,
  caller: Caller,
  quote: Quote,
  routes: Routes,
): Promise<HeldQuota> {
  const { snapshot } = call.context;
  const { least, bound } = coversFor(snapshot, accepted, quote, routes);
  const tools = toolQuota(snapshot, accepted, quote.terms);
  const all = bound.quota + tools.most;
  const made = holdQuota(call, caller.token, all, call.requestId, least.quota + tools.least);
  const held = made instanceof Promise ? await made : made;
  const isCovered = held.spendable >= all;
  const rest = { quota: held.spendable - tools.least, tokens: least.tokens };
  const hold = new HeldQuota(call, held, isCovered ? bound : rest, !isCovered);
  call.atEnd(hold);
  return hold;
}

/** Checks and counts the call, then holds quota for it. Throws RelayError. */
export async function admit(call: Call, accepted: Accepted, caller: Caller, group: Group): Promise<Admission> {
  const { snapshot } = call.context;
  const { model, operation, form } = accepted;
  const tiers = tiersFor(call, model, caller, group);
  showRetirement(call, model);
  const further = caller.pinnedChannelId === 0 ? furtherGroups(snapshot, caller, group, accepted) : [];
  const routes: Routes =
    further.length === 0
      ? { tiers, pinnedChannelId: caller.pinnedChannelId }
      : routesThrough([
          { group, tiers },
          ...further.map((each) => ({ group: each, tiers: snapshot.tiersFor(each.name, model) })),
        ]);
  // Before anything is waited for: the groups' ratios are of the same moment. What is held covers the dearest of them.
  const terms = termsFor(snapshot, model, caller.user, dearestOf(group, further));
  const { TokenConcurrencyLimit } = snapshot.options;
  if (TokenConcurrencyLimit > 0) await countOpen(call, caller, TokenConcurrencyLimit);
  const limited = limitRate(call, caller.user.id, group.name);
  if (limited !== undefined) await limited;
  if (form === undefined) checkWords(snapshot, accepted.body);
  else refuseWords(snapshot, formTexts(form));
  const recording = await meterOf(operation).measure?.(accepted, call.context.recordingReads);
  const quote = quoteFor(snapshot, accepted, terms, routes, recording);
  return { caller, quote, routes, hold: await holdFor(call, accepted, caller, quote, routes), sent: undefined };
}
