/** Turns away who makes calls that bring nothing faster than their allowance, before a byte of a body is read. */
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Caller } from "./caller.ts";

/** True where the user has quota; a database that cannot say now is nobody's fault. */
async function hasQuota({ context: { billing, logger }, requestId }: Call, userId: number): Promise<boolean> {
  try {
    return (await billing.available(userId)) > 0;
  } catch (error) {
    logger.warn({ requestId, err: error }, "a balance could not be read for the limit of unpaid calls");
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
