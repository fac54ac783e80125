/** A statement as CSV: opening balance, one record a line, closing balance; amounts in quota. Also its sums by what moved. Pure. */
import type { StatementLine, StatementLines } from "../../../../contract/src/payments/statement.ts";

const HEAD = ["time", "day", "kind", "count", "quota", "balance", "reference"];

/** Spreadsheets run what begins like this. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number): string {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The file, with the mark by which spreadsheets read it as UTF-8. */
export function statementCsv({ start, end, opening, closing, lines }: StatementLines): string {
  const records = [
    HEAD,
    [isoTime(start), "", "opening_balance", "", "", opening, ""],
    ...lines.map(({ time, day, kind, count, quota, balance, reference }) => [
      isoTime(time),
      day,
      kind,
      count,
      quota,
      balance,
      reference,
    ]),
    [isoTime(end), "", "closing_balance", "", "", closing, ""],
  ];
  return `\uFEFF${records.map((record) => `${record.map(cell).join(",")}\r\n`).join("")}`;
}

/** Sums of credits, refunds of calls and payments, and costs of calls; in quota, together the change of the balance. */
export interface StatementTotals {
  topUps: number;
  credits: number;
  refunds: number;
  calls: number;
}

const TOTAL_OF: Readonly<Partial<Record<StatementLine["kind"], keyof StatementTotals>>> = {
  calls: "calls",
  refund: "refunds",
  top_up: "topUps",
  reversal: "topUps",
};

/** The sums of all lines; everything that is no call and no payment is a credit. */
export function statementTotals(lines: readonly StatementLine[]): StatementTotals {
  const totals = { topUps: 0, credits: 0, refunds: 0, calls: 0 };
  for (const { kind, quota } of lines) totals[TOTAL_OF[kind] ?? "credits"] += quota;
  return totals;
}

/** The month so many months later (`YYYY-MM`), earlier where below 0. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}
