/** Tests of a statement's file and sums. */
import { expect, it } from "vitest";
import type { StatementLine, StatementLines } from "../../../../contract/src/payments/statement.ts";
import { monthAfter, statementCsv, statementTotals } from "./statement-csv.ts";

const line = (kind: StatementLine["kind"], quota: number, more: Partial<StatementLine> = {}): StatementLine => ({
  time: 1_790_812_800,
  until: 1_790_816_400,
  day: "2026-10-01",
  kind,
  count: 1,
  quota,
  balance: 0,
  reference: "",
  order_id: 0,
  ...more,
});

const STATEMENT: StatementLines = {
  month: "2026-10",
  time_zone: "UTC",
  start: 1_790_812_800,
  end: 1_793_491_200,
  opening: 5,
  closing: 12,
  is_grouped: false,
  lines: [line("top_up", 10, { balance: 15, reference: "=TP1" }), line("calls", -3, { balance: 12, count: 2 })],
};

it("the file begins with the opening balance, ends with the closing one, and has nothing that a spreadsheet runs", () => {
  expect(statementCsv(STATEMENT).split("\r\n")).toEqual([
    "\uFEFFtime,day,kind,count,quota,balance,reference",
    "2026-10-01T00:00:00.000Z,,opening_balance,,,5,",
    "2026-10-01T00:00:00.000Z,2026-10-01,top_up,1,10,15,'=TP1",
    "2026-10-01T00:00:00.000Z,2026-10-01,calls,2,-3,12,",
    "2026-11-01T00:00:00.000Z,,closing_balance,,,12,",
    "",
  ]);
});

it("sums are of every line, once", () => {
  const lines = [line("top_up", 10), line("reversal", -4), line("gift", 3), line("adjustment", -1), line("refund", 2)];
  const totals = statementTotals([...lines, line("calls", -5)]);
  expect(totals).toEqual({ topUps: 6, credits: 2, refunds: 2, calls: -5 });
  expect(Object.values(totals).reduce((sum, each) => sum + each)).toBe(5);
});

it("months go over the end of a year in both directions", () => {
  expect([monthAfter("2026-12", 1), monthAfter("2026-01", -1), monthAfter("2026-10", 0)]).toEqual([
    "2027-01",
    "2025-12",
    "2026-10",
  ]);
});
