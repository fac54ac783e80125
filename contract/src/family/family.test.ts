/** The forms of this API family: every field has one rule, bodies become ours, and unknown fields are refused by name or listed as ignored. */
import { describe, expect, test } from "vitest";
import { API } from "../api.ts";
import { AppError } from "../errors.ts";
import { ALIAS_CALLS } from "./alias-calls.ts";
import { BODY_FORMS, bodyInOurForm, queryInOurForm } from "./body-forms.ts";
import { FAMILY_FIELDS, judgeUnknown, knownFields } from "./fields.ts";

const endpointOf = (name: string) => {
  const [feature = "", endpoint = ""] = name.split(".");
  return Object.entries(API).find(([key]) => key === feature)?.[1][endpoint];
};

const knownOf = (name: string): ReadonlySet<string> => {
  const body = endpointOf(name)?.body;
  const known = body === undefined ? undefined : knownFields(body);
  if (known === undefined) throw new Error(`${name} has no body with known fields`);
  return known;
};

describe.each(Object.entries(FAMILY_FIELDS))("the fields of %s", (name, table) => {
  test("that are obeyed are in its schema", () => {
    const known = knownOf(name);
    expect(Object.keys(table).filter((field) => table[field] === "obeyed" && !known.has(field))).toEqual([]);
  });

  test("that are refused are in no schema, so that the refusal is reached", () => {
    const known = knownOf(name);
    expect(Object.keys(table).filter((field) => table[field] === "refused" && known.has(field))).toEqual([]);
  });
});

test("aliases and forms lead to endpoints that exist", () => {
  for (const { to } of ALIAS_CALLS) expect([to, endpointOf(to) !== undefined]).toEqual([to, true]);
  for (const name of Object.keys(BODY_FORMS))
    expect([name, endpointOf(name)?.body !== undefined]).toEqual([name, true]);
});

describe("a field that the schema does not know", () => {
  const judged = (body: object) => judgeUnknown("channels.createChannel", body, knownOf("channels.createChannel"));

  test.each([
    ["header_override", '{"X-A":"b"}'],
    ["key_mode", "append"],
    ["multi_key_mode", "polling"],
    ["only_chat", true],
  ])("%s is refused by name where its value would change something", (field, value) => {
    const known = knownOf("channels.createChannel");
    if (known.has(field)) return;
    expect(judged({ name: "x", [field]: value }).refused).toBe(field);
  });

  test.each([
    ["header_override", ""],
    ["header_override", " {} "],
    ["header_override", null],
    ["only_chat", false],
    ["multi_key_mode", "random"],
    ["channel_info", { is_multi_key: true }],
    ["constructor", 1],
    ["x_unknown", 1],
  ])("%s as %j is listed as ignored, not refused", (field, value) => {
    if (knownOf("channels.createChannel").has(field)) return;
    expect(judged({ [field]: value })).toEqual({ refused: undefined, ignored: [field] });
  });

  test("the list of ignored fields is bounded in number and length", () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${"x".repeat(100)}${index}`, 1]));
    const { ignored } = judged(body);
    expect(ignored).toHaveLength(50);
    expect(ignored[0]).toBe("x".repeat(64));
  });
});

describe("the form of new channels", () => {
  const made = (body: object) => bodyInOurForm("channels.createChannel", body);
  const channel = { type: 1, name: "x", key: "sk-1", models: "m" };

  test.each([
    [{ mode: "single", channel }, channel],
    [{ channel }, channel],
    [
      { mode: "batch", channel: { ...channel, key: "a\nb" } },
      { ...channel, key: "a\nb", keys_make: "channels" },
    ],
    [
      { mode: "multi_to_single", multi_key_mode: "polling", channel },
      { ...channel, keys_make: "one_channel", key_choice: "in_turn" },
    ],
    [
      { mode: "multi_to_single", channel },
      { ...channel, keys_make: "one_channel", key_choice: "random" },
    ],
    [channel, channel],
  ])("%j", (sent, ours) => expect(made(sent)).toEqual(ours));

  test.each([
    [{ mode: "single", channel: { ...channel, key: "a\nb" } }, "mode"],
    [{ mode: "sideways", channel }, "mode"],
    [{ mode: "multi_to_single", multi_key_mode: "best", channel }, "multi_key_mode"],
    [{ mode: "single" }, "channel"],
    [{ mode: "single", channel: [] }, "channel"],
  ])("%j is refused and says why", (sent, field) => {
    let refusal: unknown;
    try {
      made(sent);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(AppError);
    expect((refusal as AppError).field).toBe(field);
  });
});

test("words of payments, options and acts become ours, and nothing else is touched", () => {
  expect(bodyInOurForm("wallet.payAmount", { amount: 1, payment_method: "alipay" })).toMatchObject({
    payment_method: "zfb",
  });
  expect(bodyInOurForm("wallet.priceAmount", { amount: 1, payment_method: "wxpay" })).toMatchObject({
    payment_method: "wx",
  });
  expect(bodyInOurForm("wallet.payAmount", { payment_method: "constructor" })).toEqual({
    payment_method: "constructor",
  });
  expect(bodyInOurForm("options.updateOption", { key: "CreateCacheRatio", value: "{}" })).toEqual({
    key: "CacheCreationRatio",
    value: "{}",
  });
  expect(bodyInOurForm("tokens.batchTokens", { ids: [1] })).toEqual({ ids: [1], action: "delete" });
  expect(bodyInOurForm("tokens.batchTokens", { ids: [1], action: "disable" })).toEqual({ ids: [1], action: "disable" });
  expect(bodyInOurForm("tokens.batchTokens", [1])).toEqual([1]);
});

test("size stands for page_size where a list has that name alone", () => {
  const known = new Set(["p", "page_size"]);
  expect(queryInOurForm({ p: "1", size: "5" }, known)).toEqual({ p: "1", page_size: "5" });
  expect(queryInOurForm({ size: "5", page_size: "7" }, known)).toEqual({ size: "5", page_size: "7" });
  expect(queryInOurForm({ size: "5" }, new Set(["page_size", "size"]))).toEqual({ size: "5" });
  expect(queryInOurForm({ size: "5" }, new Set(["p"]))).toEqual({ size: "5" });
});
