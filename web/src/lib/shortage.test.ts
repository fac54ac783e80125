/** Tests of the amounts in a refusal for lack of balance, as the pages read and show them. */
import { expect, test } from "vitest";
import { shortageOf, shownShortage } from "./shortage.ts";

test("amounts are read of a refusal for lack of balance alone, the rest of it as far as the relay says", () => {
  const code = "insufficient_user_quota";
  expect(shortageOf({ code, quota_needed: 90, quota_left: 5 })).toEqual({ needed: 90, left: 5 });
  expect(shortageOf({ code, quota_needed: 90 })).toEqual({ needed: 90 });
  expect(shortageOf({ code })).toBeUndefined();
  expect(shortageOf({ code: "model_not_found", quota_needed: 90 })).toBeUndefined();
  for (const other of [undefined, null, "text", 7]) expect(shortageOf(other)).toBeUndefined();
});

test("amounts that round to the same text are shown with the decimals that tell them apart", () => {
  expect(shownShortage({ needed: 1_000_000, left: 250 })).toEqual({ needed: "$2.00", left: "$0.000500" });
  expect(shownShortage({ needed: 1_000_002, left: 1_000_001 })).toEqual({ needed: "$2.000004", left: "$2.000002" });
  expect(shownShortage({ needed: 1_000_000 })).toEqual({ needed: "$2.00", left: "" });
});
