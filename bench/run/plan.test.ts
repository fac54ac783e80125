/** Holds that the command line of the benchmark is read as its documentation says. */
import { expect, test } from "vitest";
import { readPlan } from "./plan.ts";

test("without arguments all parts run in three rounds", () => {
  const plan = readPlan([]);
  expect(plan.rounds).toBe(3);
  expect(plan.parts).toEqual(["memory", "relay", "latency", "streams", "fsync"]);
});

test("named parts run alone, the quick form in one round", () => {
  const plan = readPlan(["--quick", "fsync", "relay"]);
  expect(plan).toMatchObject({ quick: true, rounds: 1, parts: ["relay", "fsync"] });
});

test("an unknown word is refused with the accepted ones", () => {
  expect(() => readPlan(["relais"])).toThrow("accepted: --quick memory relay");
});
