/** Tests that upstream keys are redacted from error texts, whatever their shape. */
import { expect, test } from "vitest";
import { withoutUpstreamKey } from "./fault.ts";

test.each([
  ["bad key abcdefgh!", "abcdefgh", "bad key [key]!"],
  ["abcdefgh and abcdefgh", "abcdefgh", "[key] and [key]"],
  ["the secret part 12345678", "ident|12345678", "the secret part [key]"],
  ["there is no channel here", "no", "there is no channel here"],
  ["nothing of it", "abcdefgh", "nothing of it"],
])("%j called with %j is %j", (text, key, shown) => {
  expect(withoutUpstreamKey(text, key)).toBe(shown);
});
