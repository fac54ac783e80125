/** The command line of the benchmark is parsed as its documentation says. */
import { expect, test } from "vitest";
import { PARTS, readPlan } from "./plan.ts";

test("without arguments all parts run in five rounds of 6 s, warmed for 20 s and 5 s again", () => {
  const plan = readPlan([]);
  expect(plan).toMatchObject({ rounds: 5, seconds: 6, warmSeconds: 20, rewarmSeconds: 5, parts: PARTS });
});

test("named parts run alone, the quick form in one round", () => {
  const plan = readPlan(["--quick", "fsync", "relay"]);
  expect(plan).toMatchObject({ quick: true, rounds: 1, parts: ["relay", "fsync"] });
});

test("an unknown argument is refused with the accepted ones", () => {
  expect(() => readPlan(["relais"])).toThrow("accepted: --quick memory start relay");
});
