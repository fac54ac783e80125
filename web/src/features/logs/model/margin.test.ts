/** Cost and margin of a call as text: to the last digit, with a sign that colour alone does not carry. */
import { expect, test } from "vitest";
import { marginFigures } from "./price-table.ts";
import { receiptOf } from "./receipt.ts";

const cost = (quota: number, margin: number) => ({ quota, margin, origin: "list", factor: undefined });

test.each([
  [1000, cost(620, 380), { cost: "$0.001240", margin: "+$0.000760", share: "38.0%" }],
  [1000, cost(1500, -500), { cost: "$0.003000", margin: "−$0.001000", share: "−50.0%" }],
  [0, cost(10, -10), { cost: "$0.000020", margin: "−$0.000020", share: "" }],
  [2_000_000_000, cost(2_000_000_000, 0), { cost: "$4,000.000000", margin: "$0.000000", share: "0.0%" }],
])("a charge of %i", (charge, of, figures) => {
  expect(marginFigures(charge, of, "500000")).toEqual(figures);
});

test("is read from what only administrators get, and left out where it is no cost", () => {
  const read = (info: unknown, type = 2) =>
    receiptOf({ other: JSON.stringify({ admin_info: info }), type, use_time_ms: 1 }).cost;
  expect(read({ cost: { quota: 5, margin: -2, origin: "typed" } })).toEqual({
    quota: 5,
    margin: -2,
    origin: "typed",
    factor: undefined,
  });
  expect(read({ cost: { quota: 5, margin: 1, origin: "list", factor: "0.8" } })?.factor).toBe("0.8");
  for (const info of [{}, { cost: "5" }, { cost: { quota: "5", margin: 1 } }]) expect(read(info)).toBeUndefined();
  expect(read({ cost: { quota: 5, margin: 1, origin: "list" } }, 3)).toBeUndefined();
});
