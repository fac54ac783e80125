/** The result of `npm run bench -- translate`: its targets, and its section of docs/benchmarks.md. Pure. */
import { rawTable, targetTable } from "../run/report.ts";
import { type Sample, differences, ratios } from "../run/sample.ts";
import { median } from "../run/statistics.ts";
import type { Target } from "../run/targets.ts";

export const LEVELS = [200, 1000] as const;
export const HEADING = "## Translated streams";
/** Translated streams may cost so many times what streams that pass through cost. */
const LIMIT = 2;

/** `pass-through` is an OpenAI client of an OpenAI upstream. */
export type Subject = "direct" | "pass-through" | "translated";

export const MAIN_PAIR = "Anthropic client, OpenAI upstream";

/** What is translated into what, in the order of measuring. All but the first are measured at 200 streams alone. */
export const PAIRS = [
  MAIN_PAIR,
  "Anthropic client, OpenAI upstream, 8 events in each write",
  "Responses client, OpenAI upstream",
  "Gemini client, OpenAI upstream",
  "OpenAI client, Anthropic upstream",
] as const;
export type Pair = (typeof PAIRS)[number];

/** Names of the measurements; each pair has its own pass-through beside it. */
const shapeOf = (pair: Pair, streams: number): string =>
  pair === MAIN_PAIR ? `${streams} streams` : `${streams} streams (${pair})`;
export const cpuPerEvent = (pair: Pair, streams: number): string => `CPU per event, ${shapeOf(pair, streams)}`;
export const eventDelay = (pair: Pair, streams: number): string => `delay of an event, ${shapeOf(pair, streams)}, p99`;
export const firstChunk = (pair: Pair, streams: number, share: 50 | 99): string =>
  `call to first chunk, ${shapeOf(pair, streams)}, p${share}`;

const ratio = (pair: Pair, streams: number): Target => ({
  name: `CPU per event against pass-through, ${streams} streams: ${pair}`,
  limit: LIMIT,
  unit: "x",
  values: (samples) => ratios(samples, cpuPerEvent(pair, streams), "translated", "pass-through"),
});

/** Every limit is "at most". */
const TRANSLATE_TARGETS: readonly Target[] = PAIRS.flatMap((pair) =>
  (pair === MAIN_PAIR ? LEVELS : LEVELS.slice(0, 1)).map((streams) => ratio(pair, streams)),
);

/** What the gateway adds to the first chunk: a direct run is taken off within each round. */
function addedRows(samples: readonly Sample[]): string[] {
  const cell = (subject: Subject, what: string): string => {
    const added = differences(samples, what, subject, "direct");
    return added.length === 0 ? "-" : median(added).toFixed(1);
  };
  return LEVELS.flatMap((streams) =>
    (["pass-through", "translated"] as const).map((subject) => {
      const cells = ([50, 99] as const).map((share) => cell(subject, firstChunk(MAIN_PAIR, streams, share)));
      return `| ${[streams, subject, ...cells].join(" | ")} |`;
    }),
  );
}

/** The table of first chunks in Markdown; it is also what the run prints. */
export const addedTable = (samples: readonly Sample[]): string =>
  [
    "| streams | subject | p50, ms more than direct | p99, ms more than direct |",
    "| --- | --- | --- | --- |",
    ...addedRows(samples),
  ].join("\n");

export const translateTargets = (samples: readonly Sample[]): string => targetTable(samples, TRANSLATE_TARGETS);

const INTRODUCTION = `Written by \`npm run bench -- translate\` (about three minutes; \`--quick\` makes one round and writes nothing). Each subject has
a provider, a load client and, but for "direct", a Turnpike of its own; a provider sends ten words a second in every open stream, and
one stream of five calls a tool. All open their streams first, one every 4 ms beside those already streaming: that is where first
chunks are measured. Then they stream in turns of one second while the others' streams are silent: CPU is user and system time of
the whole server during its turn, for each event of its upstream, without the opening and closing of calls. Ratios are taken
between turns that follow one another, and their median is compared.`;

/** The section of the document; `lines` say where and when. */
export function section(samples: readonly Sample[], lines: readonly string[], failures: readonly string[]): string {
  const checks = failures.length === 0 ? ["Every stream was answered completely, and the ledger balances."] : failures;
  return [
    HEADING,
    "",
    INTRODUCTION,
    "",
    ...lines.map((line) => `- ${line}`),
    ...checks.map((line) => `- ${line}`),
    "",
    translateTargets(samples),
    "",
    addedTable(samples),
    "",
    rawTable(samples),
    "",
  ].join("\n");
}
