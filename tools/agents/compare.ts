/** Compares how a coding agent takes a fault of its upstream, at its vendor and through the relay: its calls, its waits, and whether it comes to its end. */
import { startCounter } from "../../tests/support/systems/counter.ts";
import type { Endpoint } from "./acts.ts";
import type { Fault } from "./faults.ts";
import { newPlace, removePlace, start } from "./process.ts";
import { type Agent, offersTool } from "./programs.ts";

export interface Outcome {
  /** Calls of the conversation itself; those for titles and the like are left out. */
  calls: number;
  /** It has the answer that comes once the fault is over. */
  hasRecovered: boolean;
  /** Between its first call and its second; 0 where there was none. */
  waitMs: number;
  /** What it printed, to find the reason. */
  text: string;
}

const ANSWER = "The numbers are added.";
/** What Codex sends ahead on its socket, which asks no model. */
const WARM_UP = /"generate": ?false/;
/** Of a wait, what clocks and rounding may take. */
const WAIT_PART = 0.9;

/** Runs the agent once against an endpoint whose upstream fails its first calls. */
export async function outcomeOf(agent: Agent, fault: Fault, { upstream, url, limitMs }: Endpoint): Promise<Outcome> {
  let failed = 0;
  upstream.plan((seen) => {
    if (!offersTool(agent, seen.body.toString())) return { text: "Sum" };
    failed += 1;
    return failed <= fault.calls ? fault.plan(seen) : { text: ANSWER };
  });
  const counter = await startCounter(url, (text) => offersTool(agent, text) && !WARM_UP.test(text));
  const place = newPlace(agent, counter.url);
  try {
    const { text } = await start(agent, place, "Add the numbers.", limitMs()).ended;
    const [first = 0, second = first] = counter.callsMs;
    return { calls: counter.callsMs.length, hasRecovered: text.includes(ANSWER), waitMs: second - first, text };
  } finally {
    removePlace(place);
    await counter.close();
  }
}

/**
 * Whether an agent fares no worse than at its vendor: it comes to its end where it does there and waits where it does there, and asks no more often than there
 * unless it gives up there and comes to its end here.
 * @param waitMs for how long the upstream asks to be left alone; 0 where it does not
 */
export function isNoWorse(seen: Outcome, direct: Outcome, waitMs: number): boolean {
  const askedMs = waitMs * WAIT_PART;
  return (
    (seen.calls <= direct.calls || (seen.hasRecovered && !direct.hasRecovered)) &&
    (seen.hasRecovered || !direct.hasRecovered) &&
    (seen.calls < 2 || direct.waitMs < askedMs || seen.waitMs >= askedMs)
  );
}

/** An outcome in a few words. */
export const outcomeText = ({ calls, hasRecovered }: Outcome): string =>
  `${calls} ${calls === 1 ? "call" : "calls"}${hasRecovered ? "" : ", gives up"}`;
