/** Counts outcomes by vendor and kind, and writes them: to the console, and as docs/corpus.md. */
import { type Difference, KINDS, type Kind, shown } from "./compare.ts";
import { EXPLANATIONS, type Explanation, explanationOf } from "./explained.ts";
import type { Outcome } from "./replay.ts";

export interface Row {
  source: string;
  vendor: string;
  format: string;
  recordings: number;
  calls: number;
  whole: number;
  cuts: number;
  honestCuts: number;
}

export interface Result {
  /** Recordings that are not judged. */
  leftOut: number;
  rows: readonly Row[];
  calls: number;
  whole: number;
  cuts: number;
  honestCuts: number;
  wholeShare: number;
  kinds: ReadonlyMap<Kind, number>;
  explained: ReadonlyMap<Explanation, number>;
  /** What no explanation has. */
  differing: readonly (Outcome & { unexplained: readonly Difference[] })[];
}

function rowFor(rows: Map<string, Row>, { recording: { source, vendor, format } }: Outcome): Row {
  const key = `${source} ${vendor} ${format}`;
  const found = rows.get(key);
  if (found !== undefined) return found;
  const row = { source, vendor, format, recordings: 0, calls: 0, whole: 0, cuts: 0, honestCuts: 0 };
  rows.set(key, row);
  return row;
}

const sum = (rows: readonly Row[], field: "calls" | "whole" | "cuts" | "honestCuts"): number =>
  rows.reduce((total, row) => total + row[field], 0);

/** Counts what was replayed; `leftOut` is the number of recordings that were not. */
export function tally(outcomes: readonly Outcome[], leftOut = 0): Result {
  const rows = new Map<string, Row>();
  const kinds = new Map<Kind, number>();
  const explained = new Map<Explanation, number>();
  const seen = new Set<unknown>();
  const differing: (Outcome & { unexplained: Difference[] })[] = [];
  for (const outcome of outcomes) {
    const row = rowFor(rows, outcome);
    if (!seen.has(outcome.recording)) row.recordings += 1;
    seen.add(outcome.recording);
    const unexplained = outcome.differences.filter((each) => {
      const explanation = explanationOf(each, outcome);
      if (explanation !== undefined) explained.set(explanation, (explained.get(explanation) ?? 0) + 1);
      return explanation === undefined;
    });
    for (const { kind } of unexplained) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (unexplained.length > 0) differing.push({ ...outcome, unexplained });
    const isWhole = unexplained.length === 0 ? 1 : 0;
    if (outcome.cutAtByte === undefined) [row.calls, row.whole] = [row.calls + 1, row.whole + isWhole];
    else [row.cuts, row.honestCuts] = [row.cuts + 1, row.honestCuts + isWhole];
  }
  const all = [...rows.values()].toSorted((a, b) =>
    `${a.source} ${a.vendor} ${a.format}`.localeCompare(`${b.source} ${b.vendor} ${b.format}`),
  );
  const [calls, whole, cuts, honestCuts] = [
    sum(all, "calls"),
    sum(all, "whole"),
    sum(all, "cuts"),
    sum(all, "honestCuts"),
  ];
  const wholeShare = calls + cuts === 0 ? 0 : (whole + honestCuts) / (calls + cuts);
  return { leftOut, rows: all, calls, whole, cuts, honestCuts, wholeShare, kinds, explained, differing };
}

const percent = (part: number, of: number): string => (of === 0 ? "-" : `${((100 * part) / of).toFixed(2)} %`);

/** The counts as lines for a terminal. */
export function summaryText(result: Result): string {
  const lines = result.rows.map(
    ({ source, vendor, format, recordings, calls, whole, cuts, honestCuts }) =>
      `${source.padEnd(13)}${vendor.padEnd(18)}${format.padEnd(20)}${String(recordings).padStart(5)} answers` +
      `${`${whole}/${calls}`.padStart(12)} whole${`${honestCuts}/${cuts}`.padStart(12)} cuts`,
  );
  const kinds = KINDS.map((kind) => `${kind} ${result.kinds.get(kind) ?? 0}`).join(", ");
  return [
    ...lines,
    `whole ${result.whole} of ${result.calls} (${percent(result.whole, result.calls)}), cuts ${result.honestCuts} of ${result.cuts}`,
    `differences by kind: ${kinds}`,
    ...[...result.explained].map(([{ name }, count]) => `explained, ${name}: ${count}`),
  ].join("\n");
}

/** The first differences that nothing explains, one of each kind of each recording. */
export function differencesText({ differing }: Result, atMost: number): string {
  return differing
    .slice(0, atMost)
    .map(({ recording, client, cutAtByte, unexplained }) => {
      const head = `${recording.vendor} ${recording.format} for ${client}: ${recording.source} ${recording.name}`;
      const cut = cutAtByte === undefined ? "" : `, cut at byte ${cutAtByte}`;
      const texts = unexplained.map(
        ({ kind, expected, actual }) => `  ${kind}: recorded ${shown(expected)}\n    heard ${shown(actual)}`,
      );
      return [head + cut, ...texts].join("\n");
    })
    .join("\n");
}

/** docs/corpus.md. */
export function pageOf(result: Result): string {
  const rows = result.rows.map(
    ({ source, vendor, format, recordings, calls, whole, cuts, honestCuts }) =>
      `| ${source} | ${vendor} | ${format} | ${recordings} | ${whole}/${calls} | ${honestCuts}/${cuts} |`,
  );
  const reasons = EXPLANATIONS.map((each) => `| ${each.name} | ${each.reason} | ${result.explained.get(each) ?? 0} |`);
  const rest = result.differing
    .filter(({ cutAtByte }) => cutAtByte === undefined)
    .map(({ recording, client, unexplained }) => {
      const kinds = unexplained.map(({ kind }) => kind).join(", ");
      return `| ${recording.vendor} | ${recording.source} ${recording.name} | ${client} | ${kinds} |`;
    });
  return `# Recorded answers of vendors

Written by \`npm run corpus -- <folders> --write=docs/corpus.md\`. It replays answers that others recorded of real vendors through the relay:
a fake upstream sends the recorded bytes, the official JavaScript libraries of OpenAI, Anthropic and Google ask for them in all four dialects,
and what they heard (text, thinking, calls, finish, usage) and what was charged is compared with what the recording says by a reader of its
own in \`tools/corpus\`. Streams are also cut behind their events: each has to end in an error of the client's dialect.

The corpora are not part of this repository: checkouts of pydantic/pydantic-ai and traceloop/openllmetry (cassettes), vercel/ai (fixtures)
and agentgateway/agentgateway (golden files). Answers of other operations than chat are not counted; ${result.leftOut} of chat are left out, since
they are several answers in one file, were shortened so that a stream and its own summary differ, or are in no format that a vendor sends.

**${result.whole} of ${result.calls} answers whole (${percent(result.whole, result.calls)}), ${result.honestCuts} of ${result.cuts} cuts
ended honestly (${percent(result.honestCuts, result.cuts)}).**

| source | vendor | format | answers | whole, for four clients | cuts |
| ------ | ------ | ------ | ------- | ----------------------- | ---- |
${rows.join("\n")}

## Differences that are right

They count as whole.

| difference | reason | times |
| ---------- | ------ | ----- |
${reasons.join("\n")}

## Differences that are not

| vendor | recording | client | what differs |
| ------ | --------- | ------ | ------------ |
${rest.join("\n")}
`;
}
