/** Tests of the user forms: refusals, requests, and the balance they show. */
import { expect, test } from "vitest";
import type { ManagedUser } from "../../../../../contract/src/features/users.ts";
import { balanceAfter, changeOf, formErrors, formOf, NEW_USER_FORM } from "./user-form.ts";
import { quotaViewOf } from "../../../ui/form/amount.ts";

const view = quotaViewOf({ currency: { sign: "$", perUsd: "1" }, quotaPerUnit: "500000" });
const user = {
  id: 9,
  username: "an-imported-name",
  display_name: "x".repeat(64),
  group: "vip",
  remark: "",
  quota: 1_000_000,
};
// The form reads no other field.
const stored = user as ManagedUser;

test("a new user needs a name of 1 to 32 characters and a password of 8 to 128", () => {
  const errorsOf = (change: object) => formErrors({ ...NEW_USER_FORM, ...change }, undefined, view);
  expect(errorsOf({})).toEqual({ username: { key: "usernameMissing" }, password: { key: "passwordMissing" } });
  expect(errorsOf({ username: "字".repeat(32), password: "12345678" })).toEqual({});
  for (const username of ["x".repeat(33), "a b", "a@b"])
    expect(errorsOf({ username, password: "12345678" }).username).toEqual({ key: "username", values: { most: 32 } });
  expect(errorsOf({ username: "a", password: "1234567" }).password?.key).toBe("passwordShort");
  expect(errorsOf({ username: "a", password: "x".repeat(129) }).password?.key).toBe("passwordLong");
  expect(errorsOf({ username: "a", password: "12345678", displayName: "x".repeat(33) }).displayName?.key).toBe(
    "displayName",
  );
});

test("what an imported user has may stay, and only what was changed is sent", () => {
  const form = formOf(stored);
  expect(formErrors(form, stored, view)).toEqual({});
  expect(changeOf(stored, form, view)).toEqual({ id: 9 });
  expect(changeOf(stored, { ...form, displayName: " Ada ", password: "new-password", amount: "-1.5" }, view)).toEqual({
    id: 9,
    display_name: "Ada",
    password: "new-password",
    quota_delta: -750_000,
  });
  expect(changeOf(stored, { ...form, group: "default", username: "ada" }, view)).toEqual({
    id: 9,
    username: "ada",
    group: "default",
  });
});

test.each([
  ["", 1_000_000],
  ["+1", 1_500_000],
  ["-3", -500_000],
  ["x", undefined],
  ["+18014398509.481984", undefined],
])("after %j there is %s", (amount, balance) => {
  expect(balanceAfter(amount, user.quota, view)).toBe(balance);
  expect(formErrors({ ...formOf(stored), amount }, stored, view).amount !== undefined).toBe(balance === undefined);
});
