/** The wizard refuses what the server would refuse, before it sends anything. */
import { expect, test } from "vitest";
import { checkAccount, type SetupForm, setupBody } from "./rules.ts";

const form: SetupForm = {
  username: "root",
  password: "long enough",
  confirmPassword: "long enough",
  usageMode: "external",
  code: "",
};

test("a blank username, a password under 8 characters and a differing confirmation are refused, in this order", () => {
  expect(checkAccount({ ...form, username: "  ", password: "short" }, "short")).toEqual({
    field: "username",
    key: "usernameMissing",
  });
  expect(checkAccount({ ...form, password: "1234567", confirmPassword: "x" }, "short")).toEqual({
    field: "password",
    key: "passwordShort",
  });
  expect(checkAccount({ ...form, confirmPassword: "long enougH" }, undefined)).toEqual({
    field: "confirmPassword",
    key: "passwordMismatch",
  });
  expect(checkAccount(form, "common")).toEqual({ field: "password", key: "passwordCommon" });
  expect(checkAccount(form, undefined)).toBeUndefined();
});

test("the usage mode becomes the two switches, and no account is sent where one exists", () => {
  expect(setupBody({ ...form, usageMode: "self" }, false)).toMatchObject({
    username: "root",
    SelfUseModeEnabled: true,
    DemoSiteEnabled: false,
  });
  expect(setupBody({ ...form, usageMode: "demo", code: " ab12 " }, true)).toEqual({
    SelfUseModeEnabled: false,
    DemoSiteEnabled: true,
    code: "ab12",
  });
});
