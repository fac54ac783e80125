/** Promises that every program of tests/agents is tested by, with an upstream of each format: a conversation with its tool, an abort, and errors taken as at its own vendor. */
import { beforeAll, describe, expect, inject, test } from "vitest";
import { type Agent, agentNamed } from "../../tools/agents/programs.ts";
import {
  atItsVendor,
  converse,
  type Endpoint,
  interrupt,
  INTERRUPTED_MS,
  REFUSAL,
  refuse,
  throughRelay,
  until,
} from "../../tools/agents/acts.ts";
import { isNoWorse, type Outcome, outcomeOf } from "../../tools/agents/compare.ts";
import { FAULTS } from "../../tools/agents/faults.ts";
import { UPSTREAMS } from "../../tools/agents/report.ts";

/** A run takes one to twelve seconds; on a machine that is busy, five times that. Then it is killed. */
const RUN_MS = 120_000;
/** All runs of one program. Where it hangs each time, the runs after that end at once. */
const PROGRAM_MS = 600_000;
/** The one fault of FAULTS that is met here; `npm run test:long -- agents` has them all. Only the first call meets it, so that each program waits once. */
const FAULT = { ...FAULTS.find(({ name }) => name === "500 internal"), calls: 1 } as (typeof FAULTS)[number];

/** Gives the same promise each time, so that what a program does at its vendor is run once. */
function once<T>(act: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= act());
}

/** For how long the next run may last, from one budget that begins with the first. */
function budget(totalMs: number): () => number {
  let endMs: number | undefined;
  return () => {
    endMs ??= performance.now() + totalMs;
    return Math.max(1, Math.min(RUN_MS, endMs - performance.now()));
  };
}

const fares = ({ calls, hasRecovered }: Outcome): string => `${calls} calls, ${hasRecovered ? "answered" : "given up"}`;

/** Registers the tests of one program. @param name as AGENTS has it */
export function holdsThroughRelay(name: string): void {
  const agent = agentNamed(name);
  const limitMs = budget(PROGRAM_MS);
  const vendor = <T>(act: (itself: Agent, endpoint: Endpoint) => Promise<T>): (() => Promise<T>) =>
    once(() => atItsVendor(agent, limitMs, act));
  const refusedThere = vendor(refuse);
  const failedThere = vendor((itself, endpoint) => outcomeOf(itself, FAULT, endpoint));

  beforeAll(() => {
    const lack = inject("programsLack");
    if (lack !== "") throw new Error(lack);
  });

  describe.each(UPSTREAMS)("with an upstream of %s", (_format, type) => {
    test("its tool is called twice, and the conversation is resumed with what was said", () =>
      throughRelay(agent, type, limitMs, async (endpoint) => {
        const { calls, hasEnded, isResumed, text } = await converse(agent, endpoint);
        expect({ calls, hasEnded, isResumed }, `${text}`).toEqual({ calls: 3, hasEnded: true, isResumed: true });
      }));

    test("an interrupted run ends at its upstream, and nothing is held any more", () =>
      throughRelay(agent, type, limitMs, async (endpoint, { billing }) => {
        expect(await interrupt(agent, endpoint)).toBe(true);
        expect(await until(() => billing.holds.size === 0, INTERRUPTED_MS)).toBe(true);
      }));

    test("a refusal is shown in the upstream's words, and asked again no more than at its vendor", () =>
      throughRelay(agent, type, limitMs, async (endpoint) => {
        const [{ tries, text }, there] = [await refuse(agent, endpoint), await refusedThere()];
        expect(text).toContain(REFUSAL);
        expect(there.text).toContain(REFUSAL);
        expect(tries, `${text}`).toBeGreaterThan(0);
        expect(tries, `${text}`).toBeLessThanOrEqual(there.tries);
      }));

    test("after a failure it comes to its answer with no more calls than at its vendor", () =>
      throughRelay(agent, type, limitMs, async (endpoint) => {
        const [here, there] = [await outcomeOf(agent, FAULT, endpoint), await failedThere()];
        expect(fares(there), `${there.text}`).toBe("2 calls, answered");
        expect(isNoWorse(here, there, FAULT.waitMs), `${fares(here)}\n${here.text}`).toBe(true);
      }));
  });
}
