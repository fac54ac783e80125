/** Tests of cool-down, half-open probes and automatic disabling. */
import { expect, test } from "vitest";
import { disableReason, retryAfterMs } from "./auto-disable.ts";
import { ChannelHealth } from "./health.ts";

const RULES = { failures: 3, openMs: 100, maxOpenMs: 300, halfOpenMs: 50 };
const REST = "resting";
const PROBED = "probed";
const ASKED = "resting_as_asked";

test("a breaker opens after failures in a row, for longer each time, and one probe decides", () => {
  const health = new ChannelHealth(RULES);
  const reasons = (...times: number[]) => times.map((nowMs) => health.openReason(1, nowMs));
  health.failed(1, { nowMs: 0 });
  health.failed(1, { nowMs: 0 });
  expect(reasons(0)).toEqual([undefined]);
  health.failed(1, { nowMs: 0 });
  expect([...reasons(99, 100), health.openReason(2, 0)]).toEqual([REST, undefined, undefined]);
  const second = health.started(1, 100);
  expect(reasons(100)).toEqual([PROBED]);
  health.failed(1, { nowMs: 100, halfOpenProbe: second });
  expect(reasons(299, 300)).toEqual([REST, undefined]);
  health.failed(1, { nowMs: 300, halfOpenProbe: health.started(1, 300) });
  expect(reasons(599, 600)).toEqual([REST, undefined]);
  health.ended(1, health.started(1, 600));
  expect(reasons(600)).toEqual([undefined]);
  health.succeeded(1, 600);
  expect(health.hasRecords).toBe(false);
});

test("a call that ends, or fails as it may, clears no other call's half-open probe", () => {
  const health = new ChannelHealth({ ...RULES, failures: 1 });
  health.failed(1, { nowMs: 0 });
  const earlier = 0;
  const halfOpenProbe = health.started(1, 100);
  expect([halfOpenProbe > 0, health.started(1, 110)]).toEqual([true, 0]);
  health.ended(1, earlier);
  expect(health.openReason(1, 120)).toBe(PROBED);
  // Its time is over: the half-open probe is another call's, and the first one's end leaves it alone.
  const next = health.started(1, 150);
  health.ended(1, halfOpenProbe);
  expect([next > 0, health.openReason(1, 160)]).toEqual([true, PROBED]);
  health.ended(1, next);
  expect(health.openReason(1, 160)).toBeUndefined();
});

test("a probe that lasts keeps the others away for a while only", () => {
  const health = new ChannelHealth({ ...RULES, failures: 1 });
  health.failed(1, { nowMs: 0 });
  health.started(1, 100);
  expect([health.openReason(1, 149), health.openReason(1, 150)]).toEqual([PROBED, undefined]);
  health.started(1, 150);
  expect(health.openReason(1, 199)).toBe(PROBED);
});

test("calls under way when the cooldown began do not lengthen it", () => {
  const health = new ChannelHealth(RULES);
  for (let index = 0; index < 50; index += 1) health.failed(1, { nowMs: index / 10 });
  expect([health.openReason(1, 100), health.openReason(1, 101)]).toEqual([REST, undefined]);
});

test("an upstream's Retry-After is kept at once, up to the longest cooldown, and ends with a probe", () => {
  const health = new ChannelHealth(RULES);
  health.failed(1, { nowMs: 0, requestedOpenMs: 200 });
  expect([health.openReason(1, 199), health.openReason(1, 200)]).toEqual([ASKED, undefined]);
  health.failed(1, { nowMs: 10, requestedOpenMs: 100 });
  expect(health.openReason(1, 199)).toBe(ASKED);
  health.started(1, 200);
  expect(health.openReason(1, 200)).toBe(PROBED);
  health.failed(1, { nowMs: 210, requestedOpenMs: 3_600_000 });
  expect([health.openReason(1, 509), health.openReason(1, 510)]).toEqual([ASKED, undefined]);
  health.succeeded(1, 510);
  expect(health.openReason(1, 510)).toBeUndefined();
});

test("a call begun before a cooldown does not end it, whether the upstream asked for it or failures began it, and later ones do", () => {
  const health = new ChannelHealth(RULES);
  health.failed(1, { nowMs: 20, requestedOpenMs: 200 });
  health.succeeded(1, 19);
  expect(health.openReason(1, 30)).toBe(ASKED);
  // A lone channel is asked while it cools down; an answer from then on says that it is well.
  health.succeeded(1, 21);
  expect(health.openReason(1, 30)).toBeUndefined();
  for (let index = 0; index < RULES.failures; index += 1) health.failed(1, { nowMs: 40 });
  health.succeeded(1, 39);
  expect(health.openReason(1, 139)).toBe(REST);
  // The cooldown is over, and one call is the probe: neither end of an older call speaks for it.
  const halfOpenProbe = health.started(1, 140);
  health.succeeded(1, 39);
  health.failed(1, { nowMs: 141, startedMs: 39 });
  expect([halfOpenProbe > 0, health.openReason(1, 145)]).toEqual([true, PROBED]);
  health.succeeded(1, 140);
  expect(health.hasRecords).toBe(false);
});

test("a wish that came while a probe was under way outlives the probe, and so does one that is shorter than the cooldown", () => {
  const health = new ChannelHealth({ ...RULES, failures: 1 });
  health.failed(1, { nowMs: 0 });
  health.started(1, 100);
  health.failed(1, { nowMs: 110, startedMs: 0, requestedOpenMs: 250 });
  health.succeeded(1, 100);
  expect(health.openReason(1, 359)).toBe(ASKED);
  health.failed(1, { nowMs: 130, requestedOpenMs: 10 });
  health.succeeded(1, 120);
  expect(health.openReason(1, 359)).toBe(ASKED);
});

test("a success between failures starts the count again", () => {
  const health = new ChannelHealth(RULES);
  for (let index = 0; index < 10; index += 1) {
    health.failed(1, { nowMs: 0 });
    health.failed(1, { nowMs: 0 });
    health.succeeded(1, 0);
  }
  expect(health.openReason(1, 0)).toBeUndefined();
});

const NOW = Date.parse("2026-11-21T12:00:00Z");

test.each([
  [{}, 0],
  [{ "retry-after": "7" }, 7000],
  [{ "retry-after": ["0.5", "9"] }, 500],
  [{ "retry-after": "Sat, 21 Nov 2026 12:01:00 GMT" }, 60_000],
  [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
  [{ "retry-after": "7", "retry-after-ms": "250" }, 250],
  [{ "retry-after": "-3" }, 0],
  [{ "retry-after": "soon" }, 0],
  [{ "retry-after": "Infinity" }, 0],
])("%o asks for %i ms", (headers, expected) => {
  expect(retryAfterMs(headers, NOW)).toBe(expected);
});

const failure = { status: 500, code: "", type: "", message: "x" };
const options = {
  AutomaticDisableChannelEnabled: true,
  AutomaticDisableKeywords: ["credit balance is too low"],
  AutomaticDisableStatusCodes: [{ from: 401, to: 401 }],
};
const OPENAI = { type: 1, autoBan: true };
const GEMINI = { type: 24, autoBan: true };

test.each([
  [{ ...failure, status: 401 }, OPENAI, true],
  [{ ...failure, status: 403 }, OPENAI, false],
  [{ ...failure, status: 403 }, GEMINI, true],
  [
    { ...failure, status: 403, message: "You do not have permission to access the File x or it may not exist." },
    GEMINI,
    false,
  ],
  [{ ...failure, status: 400, message: "Your Credit Balance is too low" }, OPENAI, true],
  [{ ...failure, code: "account_deactivated" }, OPENAI, true],
  [{ ...failure, type: "insufficient_quota" }, OPENAI, true],
  [failure, GEMINI, false],
])("%o of %o switches off: %s", (each, channel, isOff) => {
  expect(disableReason(each, channel, options) !== undefined).toBe(isOff);
  expect(disableReason(each, { ...channel, autoBan: false }, options)).toBeUndefined();
  expect(disableReason(each, channel, { ...options, AutomaticDisableChannelEnabled: false })).toBeUndefined();
});

test("statuses of the option alone disable a channel, but for those with which a vendor refuses its keys", () => {
  const listed = { ...options, AutomaticDisableStatusCodes: [{ from: 402, to: 410 }] };
  const isOff = (status: number, message = "x") =>
    disableReason({ ...failure, status, message }, OPENAI, listed) !== undefined;
  expect([401, 402, 404, 410, 411, 0].map((status) => isOff(status))).toEqual([false, true, true, true, false, false]);
  const foreignFile = "You do not have permission to access the File x or it may not exist.";
  expect(isOff(403, foreignFile)).toBe(false);
  const none = { ...options, AutomaticDisableStatusCodes: [] };
  expect(disableReason({ ...failure, status: 401 }, OPENAI, none)).toBeUndefined();
  expect(disableReason({ ...failure, status: 403 }, GEMINI, none)).toBe("status 403: x");
});
