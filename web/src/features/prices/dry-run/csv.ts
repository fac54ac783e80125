/** The result of a dry run as CSV: one line a model, user or group; amounts in quota. Pure. */
import type { DryRunResult, DryRunSums } from "../../../../../contract/src/pricing/dry-run.ts";

const HEAD = ["kind", "id", "name", "calls", "current_quota", "draft_quota", "difference_quota"];

/** Spreadsheets run what begins like this. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number): string {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (kind: string, id: string | number, name: string, { calls, old, new: draft }: DryRunSums): string =>
  [kind, id, name, calls, old, draft, draft - old].map(cell).join(",");

export function csvOf({ totals, models, users, groups, others }: DryRunResult): string {
  const rest = (kind: string, sums: DryRunSums | undefined) =>
    sums === undefined ? [] : [line(kind, "", "others", sums)];
  const lines = [
    HEAD.join(","),
    line("total", "", "", totals),
    ...models.map((each) => line("model", "", each.name, each)),
    ...rest("model", others.models),
    ...users.map((each) => line("user", each.id, each.name, each)),
    ...rest("user", others.users),
    ...groups.map((each) => line("group", "", each.name, each)),
    ...rest("group", others.groups),
  ];
  // By the mark spreadsheets read it as UTF-8.
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}
