/** Waits for a free place of a limit: briefly, bounded by user and in all, until the client leaves or the server stops. */
import type { Call } from "../call/call.ts";

/** Agents give up at a 429 or ask again at once (openai/codex retries 5xx alone). */
const MOST_WAIT_MS = 2_000;

/** A limit is waited for if it admits the call within so many milliseconds. */
export const mostWaitMs = ({ context: { limitWaitMs = MOST_WAIT_MS } }: Call): number => limitWaitMs;

/** Waits once. False where there is no room to wait, and once the client has left or the server stops. */
export async function waitForPlace(call: Call, userId: number, ms: number): Promise<boolean> {
  const { waitingCalls } = call.context;
  if (call.isClientGone || !waitingCalls.enter(userId)) return false;
  const before = call.listener;
  let isCalledOff = false;
  try {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      const end = (): void => {
        isCalledOff = true;
        clearTimeout(timer);
        resolve();
      };
      call.listener = { clientGone: end, serverStops: end };
    });
    return !isCalledOff;
  } finally {
    call.listener = before;
    waitingCalls.leave(userId);
  }
}
