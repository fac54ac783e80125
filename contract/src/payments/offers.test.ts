/** What an amount costs with its discount, and which methods are offered with which least amount. */
import { describe, expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { optionDefinition } from "../options/options.ts";
import { offeredMethods } from "./offer-options.ts";
import { offerFor, type PriceTerms } from "./price.ts";

const TERMS: PriceTerms = {
  isInUnits: true,
  quotaPerUnit: 500_000,
  currency: "CNY",
  price: "7.3",
  groupRatio: "1",
  discounts: { "3": "0.95", "10": "0", "100": "0.9", "200": "0.123456789012345678" },
  minimumUnits: 2,
};

describe("an offer", () => {
  test("is the price times the discount of just that amount, rounded once, and credits the amount", () => {
    // 7.3 x 3 x 0.95 = 20.805: half a cent goes up, and only once.
    expect(offerFor(3, TERMS)).toEqual({ quota: 1_500_000, moneyMinor: 2_081, fullMinor: 2_190, discount: "0.95" });
    expect(offerFor(4, TERMS)).toMatchObject({ moneyMinor: 2_920, fullMinor: 2_920, discount: "1" });
    // 0 is no discount, as in the family.
    expect(offerFor(10, TERMS)).toMatchObject({ moneyMinor: 7_300, discount: "1" });
    // 730 x 2 x 0.95 x 0.123456789012345678 has no rounding of its own in between.
    expect(offerFor(200, { ...TERMS, groupRatio: "0.95" })).toMatchObject({ moneyMinor: 17_123, fullMinor: 138_700 });
  });

  test("of quota has the discount of its units, where they are whole", () => {
    const inQuota = { ...TERMS, isInUnits: false };
    expect(offerFor(50_000_000, inQuota)).toMatchObject({ moneyMinor: 65_700, discount: "0.9" });
    expect(offerFor(50_000_001, inQuota)).toMatchObject({ moneyMinor: 73_000, discount: "1" });
    expect(offerFor(999_999, inQuota)).toBe("below_minimum");
  });

  test("is none below the least amount, for nothing, or for more than a provider takes", () => {
    expect(offerFor(1, TERMS)).toBe("below_minimum");
    expect(offerFor(3, { ...TERMS, discounts: { "3": "0.0001" } })).toBe("too_small");
    expect(offerFor(200_000, { ...TERMS, discounts: { "200000": "0.5" } })).toBe("too_large");
    // A name of an object's own prototype is no discount.
    expect(offerFor(3, { ...TERMS, discounts: {} })).toMatchObject({ discount: "1" });
  });
});

describe("the options of what is offered", () => {
  const read = (
    name: "PayMethods" | "payment_setting.amount_discount" | "payment_setting.amount_options",
    text: string,
  ) => optionDefinition(name).read(text).value;
  const refusal = (...asked: Parameters<typeof read>) => {
    try {
      return read(...asked);
    } catch (error) {
      return error instanceof AppError ? error.values?.["reason"] : error;
    }
  };

  test("are read as new-api writes them", () => {
    const theirs = `[{"name": "支付宝", "color": "rgba(var(--semi-blue-5), 1)", "type": "alipay"},
      {"name": "微信", "color": "green", "type": "wxpay", "min_topup": "50"}]`;
    expect(read("PayMethods", theirs)).toEqual([
      { method: "zfb", name: "支付宝", color: "rgba(var(--semi-blue-5), 1)", min_topup: 0 },
      { method: "wx", name: "微信", color: "green", min_topup: 50 },
    ]);
    expect(read("payment_setting.amount_discount", '{"100": 0.95, "200": 0.9}')).toEqual({
      "100": "0.95",
      "200": "0.9",
    });
    expect(read("payment_setting.amount_options", "[10, 20, 10]")).toEqual([10, 20, 10]);
  });

  test.each([
    ["PayMethods", '[{"type": "custom1"}]', "choice"],
    ["PayMethods", '[{"type": "alipay"}, {"type": "zfb"}]', "method_twice"],
    ["PayMethods", '[{"type": "alipay", "icon": "x"}]', "unknown_name"],
    ["payment_setting.amount_discount", '{"100": 1.05}', "discount"],
    ["payment_setting.amount_discount", '{"100": -0.5}', "discount"],
    ["payment_setting.amount_discount", '{"1.5": 0.5}', "whole"],
    ["payment_setting.amount_options", "[0]", "smallest"],
    ["payment_setting.amount_options", "[1.5]", "whole"],
    ["payment_setting.amount_options", JSON.stringify(Array.from({ length: 31 }, (_, at) => at + 1)), "entries"],
  ] as const)("%s refuses %s", (name, text, reason) => expect(refusal(name, text)).toBe(reason));

  test("say which methods are offered: in their order, and of epay only those that they name", () => {
    const row = (method: "zfb" | "wx" | "stripe", min_topup = 0) => ({ method, name: "", color: "", min_topup });
    const names = (...asked: Parameters<typeof offeredMethods>) => offeredMethods(...asked).map(({ method }) => method);
    expect(names(["zfb", "wx", "stripe"], [])).toEqual(["zfb", "wx", "stripe"]);
    expect(names(["zfb", "wx", "stripe"], [row("stripe")])).toEqual(["stripe", "zfb", "wx"]);
    expect(names(["zfb", "wx", "stripe"], [row("wx", 20)])).toEqual(["wx", "stripe"]);
    expect(names(["zfb", "wx"], [row("stripe"), row("zfb")])).toEqual(["zfb"]);
  });
});
