/** The result of `npm run bench -- routing` as a section of docs/benchmarks.md. Pure. */
import { median, quantile } from "../run/statistics.ts";

export const ROUTING_HEADING = "## Routing at size";

/** Bounds of what is promised: microseconds of a choice, milliseconds of an edit and of a list. */
const LIMITS = { choiceUs: 5, editMs: 50, listMs: 100 } as const;

/** One kind of measurement at one size; a number a round, in `unit`. */
export interface Measured {
  channels: number;
  kind: "choice" | "edit" | "list";
  what: string;
  values: readonly number[];
}

const OF_KIND = {
  choice: { limit: LIMITS.choiceUs, unit: "µs" },
  edit: { limit: LIMITS.editMs, unit: "ms" },
  list: { limit: LIMITS.listMs, unit: "ms" },
} as const;

function row({ channels, kind, what, values }: Measured): string {
  const { limit, unit } = OF_KIND[kind];
  const value = median(values);
  const spread = `${quantile(values, 0).toFixed(2)} to ${quantile(values, 1).toFixed(2)}`;
  const result = value <= limit ? "met" : "**missed**";
  return `| ${[channels, what, `<= ${limit} ${unit}`, `${value.toFixed(2)} ${unit}`, spread, result].join(" | ")} |`;
}

/** The section; `where` says on which machine and when. */
export const routingSection = (measured: readonly Measured[], where: readonly string[]): string =>
  [
    ROUTING_HEADING,
    "",
    "Written by `npm run bench -- routing`: channels with 200 models each on SQLite. A choice is the first channel of a call among all of them, as the relay",
    "draws it, in processor time, with prompt caches also the lookup and note of who has one; an edit is from the request to the answer, when it is in force in the process; a list is one page of 100 with its total, over HTTP.",
    "",
    ...where.map((line) => `- ${line}`),
    "",
    "| channels | what | limit | median | lowest to highest round | result |",
    "| --- | --- | --- | --- | --- | --- |",
    ...measured.map(row),
    "",
  ].join("\n");
