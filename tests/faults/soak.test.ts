/** Fault: the short form of the soak of `npm run test:long`: streams that clients abort, in every pair of formats, leak nothing in the server. */
import { expect, test } from "vitest";
import { soak, soakFaults } from "../support/soak/cycles.ts";

const CYCLES = 300;
const WARM_UP = 200;

test(`${CYCLES} aborted streams: descriptors within 10, resident memory within 10 %, books that balance`, async () => {
  const result = await soak(CYCLES, WARM_UP);
  expect(soakFaults(result)).toEqual([]);
  // Most of them reached it: a run that is refused everything proves nothing.
  expect(result.upstreamCount).toBeGreaterThan((CYCLES + WARM_UP) * 0.9);
});
