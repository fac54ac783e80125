/** Tests of the fields, refusals and requests of the token form. */
import { expect, test } from "vitest";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { amountQuota, amountText, quotaViewOf } from "../../../ui/form/amount.ts";
import {
  createBody,
  formErrors,
  formOf,
  movedGroup,
  newForm,
  shortcutText,
  updateBody,
  type Shown,
} from "./token-form.ts";
import { isChanged } from "../../../ui/form/use-form.ts";

const shown: Shown = {
  ...quotaViewOf({ currency: { sign: "$", perUsd: "1" }, quotaPerUnit: "500000" }),
  language: "en",
};
const NOW_S = 1_790_000_000;

const token: TokenRow = {
  id: 7,
  user_id: 1,
  key: "k".repeat(48),
  status: 1,
  name: "ci-evals",
  created_time: NOW_S,
  accessed_time: 0,
  expired_time: NOW_S + 33,
  remain_quota: 49_984_948,
  used_quota: 15_052,
  unlimited_quota: false,
  model_limits_enabled: true,
  model_limits: "gpt-4o,o3-mini",
  allow_ips: "10.0.0.0/8",
  group: "batch",
  auto_groups: [],
  cross_group_retry: false,
};

test("the list of groups moves one step at a time and not over its ends, and is sent where it changed", () => {
  const groups = ["a", "b", "c"];
  expect(movedGroup(groups, 0, 1)).toEqual(["b", "a", "c"]);
  expect(movedGroup(groups, 2, -1)).toEqual(["a", "c", "b"]);
  expect([movedGroup(groups, 0, -1), movedGroup(groups, 2, 1), movedGroup(groups, 9, 1)]).toEqual([
    groups,
    groups,
    groups,
  ]);
  const stored = { ...token, group: "auto", auto_groups: groups };
  const start = formOf(stored, shown);
  expect(updateBody(stored, start, start, shown)).toEqual({ id: 7 });
  const changed = { ...start, autoGroups: movedGroup(groups, 0, 1), retriesAcrossGroups: true };
  expect(updateBody(stored, changed, start, shown)).toEqual({
    id: 7,
    auto_groups: ["b", "a", "c"],
    cross_group_retry: true,
  });
});

test("an amount goes from quota to text and back to the same unit, with 2 decimals where 2 are enough", () => {
  expect(amountText(25_000_000, shown)).toBe("50.00");
  expect(amountText(49_984_948, shown)).toBe("99.969896");
  for (const quota of [0, 1, 3, 499_999, 49_984_948, 500_000_000])
    expect(amountQuota(amountText(quota, shown), shown)).toBe(quota);
  expect(amountQuota("$1,000.50", shown)).toBe(500_250_000);
  expect(["", "abc", "-1", "1e9", "1.2.3"].map((text) => amountQuota(text, shown))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("where the site shows quota, the amount is whole quota units", () => {
  const units = { ...shown, ...quotaViewOf({ currency: undefined, quotaPerUnit: "500000" }) };
  expect(amountText(500_000, units)).toBe("500000");
  expect(amountQuota("1,500", units)).toBe(1500);
  expect(amountQuota("1.5", units)).toBeUndefined();
});

test("a new token starts with $1, no expiry, every model and the group given", () => {
  const form = { ...newForm("vip", shown, " agent "), models: ["gpt-4o"], allowIps: "10.0.0.1", count: "3" };
  expect(createBody(form, shown)).toEqual({
    name: "agent",
    group: "vip",
    count: 3,
    unlimited_quota: false,
    remain_quota: 500_000,
    expired_time: -1,
    auto_groups: [],
    cross_group_retry: false,
    allow_ips: "10.0.0.1",
    model_limits_enabled: true,
    model_limits: "gpt-4o",
  });
  expect(createBody({ ...form, isUnlimited: true, models: [] }, shown)).toMatchObject({
    unlimited_quota: true,
    remain_quota: 0,
    model_limits_enabled: false,
    model_limits: "",
  });
});

test("each bad field is refused with its own sentence, a bad address by its line", () => {
  const start = newForm("default", shown);
  const form = { ...start, name: " ", count: "0", amount: "x", expires: "someday", allowIps: "10.0.0.1\nhello" };
  expect(formErrors(form, start, true, shown, NOW_S)).toEqual({
    name: { key: "nameMissing" },
    count: { key: "count", values: { most: 100 } },
    amount: { key: "amount" },
    expires: { key: "expiryFormat" },
    allowIps: { key: "address", values: { line: 2, text: "hello" } },
  });
  expect(formErrors({ ...start, name: "n".repeat(31), expires: "2020-01-01" }, start, true, shown, NOW_S)).toEqual({
    name: { key: "nameLong", values: { most: 30 } },
    expires: { key: "expiryPast" },
  });
  expect(formErrors({ ...start, name: "a", count: "101" }, start, true, shown, NOW_S)).toHaveProperty("count");
});

test("an expired token stays renamable, and nothing but the name is sent", () => {
  const start = formOf(token, shown);
  const form = { ...start, name: "renamed" };
  expect(formErrors(form, start, false, shown, NOW_S + 1_000_000)).toEqual({});
  expect(updateBody(token, form, start, shown)).toEqual({ id: 7, name: "renamed" });
});

test("an untouched form sends nothing, so seconds of the expiry and fractions of the quota stay", () => {
  const start = formOf(token, shown);
  expect(isChanged(start, start)).toBe(false);
  expect(updateBody(token, start, start, shown)).toEqual({ id: 7 });
});

test("a changed quota goes with the quota the drawer was opened with", () => {
  const start = formOf(token, shown);
  expect(updateBody(token, { ...start, amount: "10" }, start, shown)).toEqual({
    id: 7,
    remain_quota: 5_000_000,
    remain_quota_seen: 49_984_948,
  });
  expect(updateBody(token, { ...start, amount: "10", isUnlimited: true }, start, shown)).toEqual({
    id: 7,
    unlimited_quota: true,
  });
});

test("taking off the last model lifts the limit", () => {
  const start = formOf(token, shown);
  expect(start.models).toEqual(["gpt-4o", "o3-mini"]);
  expect(updateBody(token, { ...start, models: [] }, start, shown)).toEqual({
    id: 7,
    model_limits_enabled: false,
    model_limits: "",
  });
});

test("shortcuts are never, and so many seconds from now to the minute", () => {
  expect(shortcutText("never", NOW_S, "en")).toBe("");
  const month = new Date((NOW_S + 30 * 86_400) * 1000);
  expect(shortcutText("month", NOW_S, "zh")).toContain(`${month.getFullYear()}-`);
});
