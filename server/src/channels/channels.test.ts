/** Resting, probing and switching off. */
import { expect, test } from "vitest";
import { disableReason } from "./auto-disable.ts";
import { ChannelHealth } from "./health.ts";

const RULES = { failures: 3, restMs: 100, maxRestMs: 300 };

test("a channel rests after failures in a row, longer each time, and one probe decides", () => {
  const health = new ChannelHealth(RULES);
  health.failed(1, 0);
  health.failed(1, 0);
  expect(health.isResting(1, 0)).toBe(false);
  health.failed(1, 0);
  expect([health.isResting(1, 99), health.isResting(1, 100), health.isResting(2, 0)]).toEqual([true, false, false]);
  health.started(1, 100);
  expect(health.isResting(1, 100)).toBe(true);
  health.failed(1, 100);
  expect([health.isResting(1, 299), health.isResting(1, 300)]).toEqual([true, false]);
  health.started(1, 300);
  health.failed(1, 300);
  expect([health.isResting(1, 599), health.isResting(1, 600)]).toEqual([true, false]);
  health.started(1, 600);
  health.ended(1);
  expect(health.isResting(1, 600)).toBe(false);
  health.succeeded(1);
  expect(health.hasRecords).toBe(false);
});

test("a success between failures starts the count again", () => {
  const health = new ChannelHealth(RULES);
  for (let index = 0; index < 10; index += 1) {
    health.failed(1, 0);
    health.failed(1, 0);
    health.succeeded(1);
  }
  expect(health.isResting(1, 0)).toBe(false);
});

const failure = { status: 500, code: "", type: "", message: "x" };
const options = { AutomaticDisableChannelEnabled: true, AutomaticDisableKeywords: ["credit balance is too low"] };

test.each([
  [{ ...failure, status: 401 }, true],
  [{ ...failure, status: 403 }, false],
  [{ ...failure, status: 400, message: "Your Credit Balance is too low" }, true],
  [{ ...failure, code: "account_deactivated" }, true],
  [{ ...failure, type: "insufficient_quota" }, true],
  [failure, false],
])("%o switches off: %s", (each, isOff) => {
  expect(disableReason(each, true, options) !== undefined).toBe(isOff);
  expect(disableReason(each, false, options)).toBeUndefined();
  expect(disableReason(each, true, { ...options, AutomaticDisableChannelEnabled: false })).toBeUndefined();
});
