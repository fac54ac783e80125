/** What is done about a client that takes its answer more slowly than it comes, or not at all: the upstream waits, but not for ever. */
import type { UpstreamCall } from "../../upstream/client.ts";
import type { Call } from "./call.ts";

/**
 * Lets go of a client that takes nothing for as long as an upstream may send nothing: what waits for it would be kept until it deigns to
 * leave. Call where bytes wait; the system's own progress with them counts as taking.
 */
export function guardSlowReader({ response, context }: Call): void {
  if (response.listenerCount("timeout") === 0) response.on("timeout", () => response.destroy());
  response.setTimeout(context.timeouts.idleMs);
}

/** Stops the upstream until the client has taken what waits for it; then calls back. */
export function waitForReader(call: Call, upstream: UpstreamCall | undefined, isReady: () => void): void {
  const { response } = call;
  upstream?.pause();
  guardSlowReader(call);
  response.once("drain", () => {
    response.setTimeout(0);
    isReady();
  });
}
