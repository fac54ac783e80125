/** Tests of refunds and disputes: in any order of events, never more than was credited is reversed, exactly their share where it is left, and nothing after a dispute that was won. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReversalStatus } from "../../../../contract/src/payments/orders.ts";
import { quotaShare } from "../../../../contract/src/payments/price.ts";
import { type ReversalReport, isNewer, moneyStateOf, quotaToTake, latestReports } from "./refunds.ts";

const PAID = 997;
/** Money missing after each event, and whether the balance has everything then. */
const steps = fc.array(fc.record({ missing: fc.integer({ min: 0, max: PAID }), free: fc.nat() }), { maxLength: 12 });
const quotas = fc.integer({ min: 1, max: 10 ** 15 });

/** What was taken in all after the steps, of a balance that has `free` each time. */
function taken(quota: number, sequence: readonly { missing: number; free: number }[]): number[] {
  let missingBefore = 0;
  let taken_back = 0;
  return sequence.map(({ missing, free }) => {
    const most = quotaToTake({ quota, taken_back }, PAID, { missingBefore, missingAfter: missing });
    missingBefore = missing;
    return (taken_back += most > 0 ? Math.min(most, free) : most);
  });
}

test("with everything left it is the exact share of the money that is missing", () => {
  fc.assert(
    fc.property(quotas, steps, (quota, sequence) => {
      const all = taken(
        quota,
        sequence.map(({ missing }) => ({ missing, free: Number.MAX_SAFE_INTEGER })),
      );
      expect(all).toEqual(sequence.map(({ missing }) => quotaShare(quota, missing, PAID)));
    }),
  );
});

test("with less left it is between nothing and the share, and nothing once no money is missing", () => {
  fc.assert(
    fc.property(quotas, steps, (quota, sequence) => {
      const all = taken(quota, [...sequence, { missing: 0, free: 0 }]);
      for (const [index, sum] of all.entries()) {
        expect(sum).toBeGreaterThanOrEqual(0);
        expect(sum).toBeLessThanOrEqual(quotaShare(quota, sequence[index]?.missing ?? 0, PAID));
      }
      expect(all.at(-1)).toBe(0);
    }),
  );
});

/** Stories of refunds and disputes: what each went through, second by second. */
const STORIES: readonly (readonly ReversalStatus[])[] = [
  ["pending", "done"],
  ["pending", "done", "failed"],
  ["done", "failed"],
  ["inquiry", "won"],
  ["inquiry", "open", "lost"],
  ["open", "lost", "open", "won"],
  ["open", "won", "open", "lost"],
];
const REFUNDS = 3;

const reports = fc
  .array(fc.tuple(fc.integer({ min: 0, max: STORIES.length - 1 }), fc.integer({ min: 1, max: PAID })), { maxLength: 5 })
  .map((picked) =>
    picked.map(([story, amountMinor], index) =>
      (STORIES[story] ?? []).map((status, second): ReversalReport => {
        const kind = story < REFUNDS ? "refund" : "dispute";
        return {
          kind,
          reference: `${kind}${index}`,
          status,
          amountMinor,
          reportedTime: kind === "refund" ? 0 : 100 + second,
        };
      }),
    ),
  );

/** The state of each after all events arrived in this order, events that change nothing left out. */
function heard(events: readonly ReversalReport[]): ReadonlyMap<string, ReversalReport> {
  const changes: ReversalReport[] = [];
  for (const event of events) if (isNewer(latestReports(changes).get(event.reference), event)) changes.push(event);
  return latestReports(changes);
}

test("whatever the sequence and however often they come, events end where their last ones say", () => {
  fc.assert(
    fc.property(
      reports.chain((stories) =>
        fc.tuple(
          fc.constant(stories),
          fc.shuffledSubarray([...stories, ...stories].flat(), { minLength: stories.flat().length * 2 }),
        ),
      ),
      ([stories, shuffled]) => {
        const last = new Map(stories.flatMap((story) => story.slice(-1)).map((event) => [event.reference, event]));
        expect(new Map([...heard(shuffled)].toSorted())).toEqual(new Map([...last].toSorted()));
      },
    ),
  );
});

test("refunds and disputes add up to what was paid at most, failed and won ones and inquiries to nothing", () => {
  const of = (...events: readonly [ReversalReport["kind"], ReversalStatus, number][]) =>
    moneyStateOf(
      events.map(([kind, status, amountMinor], index) => ({
        kind,
        reference: `${index}`,
        status,
        amountMinor,
        reportedTime: 0,
      })),
      PAID,
    );
  expect(of(["refund", "done", 300], ["refund", "pending", 200], ["refund", "failed", 400])).toMatchObject({
    refundedMinor: 500,
  });
  expect(of(["refund", "done", 600], ["refund", "done", 600])).toMatchObject({ refundedMinor: PAID });
  expect(of(["dispute", "open", 400], ["dispute", "lost", 100], ["dispute", "won", 300])).toEqual({
    refundedMinor: 0,
    disputedMinor: 500,
    disputeStatus: "open",
  });
  expect(of(["dispute", "inquiry", 400], ["dispute", "lost", 100])).toMatchObject({
    disputedMinor: 100,
    disputeStatus: "inquiry",
  });
  expect(of(["dispute", "won", 400])).toEqual({ refundedMinor: 0, disputedMinor: 0, disputeStatus: "won" });
});
