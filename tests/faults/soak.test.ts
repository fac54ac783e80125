/** Holds, in short what the soak of `npm run test:long` does: streams that clients leave, in every pair of formats, leave nothing behind in the server. */
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
