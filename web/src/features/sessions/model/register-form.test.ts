/** What the registration form refuses before it is sent, each at its field. */
import { expect, test } from "vitest";
import { EMPTY_FORM, registerErrors } from "./register-form.ts";

const GOOD = {
  username: "somebody",
  password: "long enough",
  password2: "long enough",
  email: "",
  verification_code: "",
};
const MAILED = { ...GOOD, email: "a@b.example", verification_code: "123456" };

test("a form that is filled in is sent", () => {
  expect(registerErrors(GOOD, false)).toEqual({});
  expect(registerErrors(MAILED, true)).toEqual({});
});

test("an empty one is wrong where something is wanted", () => {
  expect(registerErrors(EMPTY_FORM, false)).toEqual({ username: "username_invalid", password: "password_short" });
  expect(registerErrors(GOOD, true)).toEqual({ email: "email_invalid" });
});

test.each([
  [{ username: "two words" }, { username: "username_invalid" }],
  [{ username: "a@b" }, { username: "username_invalid" }],
  [{ username: "thirteen-char" }, { username: "username_invalid" }],
  [{ username: "  padded  " }, {}],
  [{ username: "名".repeat(12) }, {}],
  [{ password: "seven77" }, { password: "password_short" }],
  [{ password: "x".repeat(21) }, { password: "password_long" }],
  [{ password2: "else" }, { password2: "passwords_differ" }],
  [{ email: "no address" }, { email: "email_invalid" }],
  [{ verification_code: " " }, { verification_code: "email_code_missing" }],
])("%j: %j", (change, errors) => {
  expect(registerErrors({ ...MAILED, ...change }, true)).toEqual(errors);
});
