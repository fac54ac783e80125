/** Limits of a caller beside the rate limits: memory for bodies, and unpaid calls; both are checked before a byte of a body is read. */
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { topUpSentence } from "../metering/shortage.ts";
import type { Caller } from "./caller.ts";
import { refuseBeyondLimits } from "./rate-limits.ts";

/** Bodies up to this size are read unchecked: most are smaller, and a check may cost a query. */
const SMALL_BYTES = 262_144;
/** One user's part of the memory for all calls. */
const SHARE = 4;
/** What a user without quota may send, to models that cost nothing. */
const SHARE_WITHOUT_QUOTA_BYTES = 4 * 1_048_576;

function isSmall({ request: { headers } }: Call): boolean {
  // A request that says nothing of a body has none.
  const bodiless = headers["transfer-encoding"] === undefined ? 0 : Number.NaN;
  const declared = Number(headers["content-length"] ?? bodiless);
  return declared <= SMALL_BYTES && headers["content-encoding"] === undefined;
}

/** The rate limit of the group as far as it is known without the model. Throws RelayError 429. */
async function checkRate(call: Call, { user, token }: Caller): Promise<void> {
  const groupName = token.groupName || user.groupName;
  if (groupName !== AUTO_GROUP) await refuseBeyondLimits(call, user.id, groupName);
}

/** Throws RelayError 503 where the database does not answer. */
async function quotaOf({ context: { billing, logger }, logFields }: Call, { user }: Caller): Promise<number> {
  try {
    return await billing.available(user.id);
  } catch (error) {
    logger.warn({ ...logFields, err: error }, "a balance could not be read before a large body");
    throw new RelayError("books_unavailable");
  }
}

async function shareFor(call: Call, caller: Caller, shareBytes: number): Promise<number> {
  await checkRate(call, caller);
  const available = await quotaOf(call, caller);
  return available > 0 ? shareBytes : Math.min(shareBytes, SHARE_WITHOUT_QUOTA_BYTES);
}

const noQuotaForBody = ({ snapshot }: RelayContext): string =>
  `A body of this size takes a balance above nothing.${topUpSentence(snapshot.options)}`;

/** Bytes that the requests of one user may have at a time. The largest body has to fit, and its copy for an upstream; where nothing would be left for others there are no shares. */
export function shareOfUser({ limits: { bodyBytes, sseBudgetBytes } }: Pick<RelayContext, "limits">): number {
  const share = Math.max(2 * bodyBytes, Math.floor(sseBudgetBytes / SHARE));
  return share < sseBudgetBytes ? share : Number.POSITIVE_INFINITY;
}

/** Sets how much memory the call's request may take; undefined where its body is small. Throws RelayError 403, 413, 429 or 503. */
export function admitBody(call: Call, caller: Caller): Promise<void> | undefined {
  const { context, request, requestMemory } = call;
  const { bodyBytes } = context.limits;
  const shareBytes = shareOfUser(context);
  if (isSmall(call)) return void requestMemory.allow(caller.user.id, shareBytes);
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bodyBytes) throw new RelayError("body_too_large");
  return shareFor(call, caller, shareBytes).then((bytes) => {
    if (declared > bytes) throw new RelayError("insufficient_user_quota", { message: noQuotaForBody(context) });
    requestMemory.allow(caller.user.id, bytes);
  });
}

/** True where the user has quota; a database that does not answer is not the user's fault. */
async function hasQuota({ context: { billing, logger }, logFields }: Call, userId: number): Promise<boolean> {
  try {
    return (await billing.available(userId)) > 0;
  } catch (error) {
    logger.warn({ ...logFields, err: error }, "a balance could not be read for the limit of unpaid calls");
    return true;
  }
}

/** A pause before the answer, which ends with its client and with the server. */
async function pause(call: Call, userId: number): Promise<void> {
  const held = call.context.heldRefusals.hold(userId, (end) => {
    call.listener = { clientGone: end, serverStops: end };
  });
  if (held !== undefined) await held;
  call.listener = undefined;
}

async function refuseUnlessPaying(call: Call, userId: number, perMinute: number, waitMs: number): Promise<void> {
  const { unpaidCalls } = call.context;
  if (!unpaidCalls.isKnownPoor(userId)) {
    if (await hasQuota(call, userId)) waitMs = unpaidCalls.waitMs(userId, perMinute, true);
    else unpaidCalls.notePoor(userId);
    if (waitMs === 0) return;
  }
  await pause(call, userId);
  throw new RelayError("too_many_unpaid_calls", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Nothing to wait for within the allowance of option UnpaidCallsPerMinute. Rejects with RelayError 429. */
export function limitUnpaid(call: Call, { user }: Caller): Promise<void> | undefined {
  const { snapshot, unpaidCalls } = call.context;
  const { UnpaidCallsPerMinute } = snapshot.options;
  const waitMs = unpaidCalls.waitMs(user.id, UnpaidCallsPerMinute);
  return waitMs === 0 ? undefined : refuseUnlessPaying(call, user.id, UnpaidCallsPerMinute, waitMs);
}
