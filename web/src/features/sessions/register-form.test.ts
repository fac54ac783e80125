/** Tests of refusals of the registration form before it is sent, each at its field. */
import { expect, test } from "vitest";
import { passwordProblem } from "../../../../contract/src/passwords.ts";
import { EMPTY_FORM, registerErrors } from "./register-form.ts";
import type { RegisterForm } from "./register-form.ts";

const GOOD = {
  username: "somebody",
  password: "long enough",
  password2: "long enough",
  email: "",
  verification_code: "",
};
const MAILED = { ...GOOD, email: "a@b.example", verification_code: "123456" };

const errorsOf = (form: RegisterForm, needsCode: boolean) =>
  registerErrors(form, needsCode, passwordProblem(form.password, [form.username], ""));

test("a form that is filled in is sent", () => {
  expect(errorsOf(GOOD, false)).toEqual({});
  expect(errorsOf(MAILED, true)).toEqual({});
  expect(errorsOf({ ...GOOD, username: "maria.fernandez" }, false)).toEqual({});
});

test("an empty one is wrong where something is wanted", () => {
  expect(errorsOf(EMPTY_FORM, false)).toEqual({ username: "username_invalid", password: "password_short" });
  expect(errorsOf(GOOD, true)).toEqual({ email: "email_invalid" });
});

test.each([
  [{ username: "two words" }, { username: "username_invalid" }],
  [{ username: "a@b" }, { username: "username_invalid" }],
  [{ username: "x".repeat(33) }, { username: "username_invalid" }],
  [{ username: "  padded  " }, {}],
  [{ username: "名".repeat(12) }, {}],
  [{ password: "seven77" }, { password: "password_short" }],
  [{ password: "xyz".repeat(43) }, { password: "password_long" }],
  [{ password: "Somebody!" }, { password: "password_is_name" }],
  [{ password2: "else" }, { password2: "passwords_differ" }],
  [{ email: "no address" }, { email: "email_invalid" }],
  [{ verification_code: " " }, { verification_code: "email_code_missing" }],
])("%j: %j", (change, errors) => {
  expect(errorsOf({ ...MAILED, ...change }, true)).toEqual(errors);
});
