/** Tests of the form for a new password: the first broken rule is shown, in the order of the fields. */
import { expect, test } from "vitest";
import { checkNewPassword } from "./profile.ts";

test.each([
  ["", "", "", "originalMissing"],
  ["old-password", "", "", "missing"],
  ["old-password", "1234567", "1234567", "short"],
  ["old-password", "old-password", "old-password", "same"],
  ["old-password", "new-password", "new-passwort", "mismatch"],
  ["old-password", "new-password", "new-password", undefined],
])("old %j, new %j, repeat %j: %s", (original_password, password, repeat, key) => {
  expect(checkNewPassword({ original_password, password, repeat }, true)?.key).toBe(key);
});

test("an account without a password has none to prove", () => {
  const form = { original_password: "", password: "new-password", repeat: "new-password" };
  expect(checkNewPassword(form, false)).toBeUndefined();
});
