/** Tests of the drawer of one's own data: only what changed is sent, the old password only with a new one. */
import { expect, test } from "vitest";
import { changedProfile, checkProfile, profileForm } from "./profile.ts";

const stored = { username: "ada", display_name: "Ada" };
const form = profileForm(stored);

test("only what changed is sent", () => {
  expect(changedProfile(form, stored)).toEqual({});
  expect(changedProfile({ ...form, display_name: " Ada L ", original_password: "x" }, stored)).toEqual({
    display_name: "Ada L",
  });
  expect(changedProfile({ ...form, username: "lovelace", password: "new", original_password: "old" }, stored)).toEqual({
    username: "lovelace",
    password: "new",
    original_password: "old",
  });
});

test.each([
  [{}, true, undefined],
  [{ username: " " }, true, "usernameMissing"],
  [{ username: "x".repeat(33) }, true, "usernameLong"],
  [{ password: "new-password" }, true, "originalMissing"],
  [{ password: "short", original_password: "old-password" }, true, "short"],
  [{ password: "old-password", original_password: "old-password" }, true, "same"],
  [{ password: "new-password" }, false, undefined],
])("%j, has a password %s: %s", (part, hasPassword, key) => {
  expect(checkProfile({ ...form, ...part }, hasPassword)?.key).toBe(key);
});
