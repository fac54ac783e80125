/** What a caller's body may take before a byte of it is read: a share of the memory for all, and a large one only with quota and calls left. */
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Caller } from "./caller.ts";
import { refuseBeyondLimits } from "./rate-limit.ts";

/** Bodies up to this size are read without a question: most are smaller, and asking may cost a look at the database. */
const SMALL_BYTES = 262_144;
/** One user's part of the memory for all calls. */
const SHARE = 4;
/** What somebody without quota may send, to models that cost nothing. */
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

/** Throws RelayError 503 where nobody can say now. */
async function quotaOf({ context: { billing, logger }, requestId }: Call, { user }: Caller): Promise<number> {
  try {
    return await billing.available(user.id);
  } catch (error) {
    logger.warn({ requestId, err: error }, "a balance could not be read before a large body");
    throw new RelayError("books_unavailable");
  }
}

async function shareFor(call: Call, caller: Caller, shareBytes: number): Promise<number> {
  await checkRate(call, caller);
  const available = await quotaOf(call, caller);
  return available > 0 ? shareBytes : Math.min(shareBytes, SHARE_WITHOUT_QUOTA_BYTES);
}

/** Says how much memory the call's request may take; nothing to wait for where its body is small. Throws RelayError 403, 413, 429 or 503. */
export function admitBody(call: Call, caller: Caller): Promise<void> | undefined {
  const { context, request, requestMemory } = call;
  const { bodyBytes, sseBudgetBytes } = context.limits;
  // The largest body has to fit, and its copy for an upstream. Where nothing would be left for others there are no shares.
  const share = Math.max(2 * bodyBytes, Math.floor(sseBudgetBytes / SHARE));
  const shareBytes = share < sseBudgetBytes ? share : Number.POSITIVE_INFINITY;
  if (isSmall(call)) return void requestMemory.allow(caller.user.id, shareBytes);
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > bodyBytes) throw new RelayError("body_too_large");
  return shareFor(call, caller, shareBytes).then((bytes) => {
    if (declared > bytes) throw new RelayError("insufficient_user_quota");
    requestMemory.allow(caller.user.id, bytes);
  });
}
