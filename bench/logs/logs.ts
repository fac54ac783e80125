/**
 * `npm run bench -- logs [--rows 5000000] [--engine sqlite|postgres] [--strict]`: the usage log and the dashboard on a month of
 * calls, while streams run through the relay. Prints one table and puts its sum into docs/benchmarks.md; with --strict a broken limit ends it with 1.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MONTH_ROWS } from "../../tools/seed/busy-month.ts";
import { engines } from "../../tests/support/databases/databases.ts";
import { clientLoad } from "../load/load.ts";
import { type Case, casesAt } from "./cases.ts";
import { measureDeletion } from "./deletion.ts";
import { type LogEngine, type LogServer, type SeededPlace, seedPlace, startOn } from "./place.ts";
import { compared, isBroken, type Line, LIMITS, linesTable, logHeading, logSection, timed } from "./report.ts";
import type { Gateway } from "../gateways/gateway.ts";
import type { Provider } from "../provider/provider.ts";
import { withSection } from "../run/sections.ts";
import { median } from "../run/statistics.ts";

const STREAMS = 100;
const PACE_MS = 50;
const ROUND_SECONDS = 8;
const ROUNDS = 3;
/** Times that each call is asked; long enough for the rounds of streams beside it. */
const ASKED = 40;
/** One of so many rows is deleted. */
const DELETED_SHARE = 5;

interface LogOptions {
  rows: number;
  engines: readonly LogEngine[];
  isStrict: boolean;
}

async function readOptions(args: readonly string[]): Promise<LogOptions> {
  const { values } = parseArgs({
    args: [...args],
    options: { rows: { type: "string" }, engine: { type: "string" }, strict: { type: "boolean" } },
  });
  const rows = values.rows === undefined ? MONTH_ROWS : Number(values.rows);
  if (!Number.isSafeInteger(rows) || rows < 1000) throw new Error("--rows takes a whole number from 1000 on");
  const reachable = await engines();
  const both = (["sqlite", "postgres"] as const).filter((engine) => reachable.includes(engine));
  const chosen = both.filter((engine) => values.engine === undefined || engine === values.engine);
  if (chosen.length === 0) throw new Error(`--engine takes one of: ${both.join(", ")}`);
  return { rows, engines: chosen, isStrict: values.strict === true };
}

/** One round of streams; the longest that a chunk was late, in milliseconds. Throws where a stream failed. */
async function streamRound(gateway: Gateway): Promise<number> {
  const result = await clientLoad(gateway, { calls: STREAMS, intervalMs: 2, stream: true });
  if (result.failures > 0) throw new Error(`${result.failures} of ${STREAMS} streams failed`);
  return result.chunkDelay.max;
}

/** Medians of the rounds, in milliseconds. */
interface Delays {
  readonly gateway: number;
  /** Without any gateway: what the machine itself does to streams when it is busy. */
  readonly direct: number;
}

/** Rounds of streams, alternating through the gateway and past it, until `work` is done, and at least ROUNDS of each. */
async function longestDelays(gateway: Gateway, direct: Gateway, work: Promise<unknown>): Promise<Delays> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const [through, past]: [number[], number[]] = [[], []];
  while (!isDone || past.length < ROUNDS) {
    through.push(await streamRound(gateway));
    past.push(await streamRound(direct));
  }
  await done;
  return { gateway: median(through), direct: median(past) };
}

async function timeOf({ clients }: LogServer, { caller, path }: Case): Promise<number> {
  const started = performance.now();
  await clients[caller].call("GET", path);
  return performance.now() - started;
}

/** Each call once. */
async function timeAll(server: LogServer, cases: readonly Case[], timings: Map<Case, number[]>): Promise<void> {
  for (const each of cases) timings.set(each, [...(timings.get(each) ?? []), await timeOf(server, each)]);
}

/** Each call as often as requested, interleaved, so that a slow moment of the machine affects all alike. */
async function timeCases(server: LogServer, cases: readonly Case[], timings: Map<Case, number[]>): Promise<void> {
  const asked = cases.filter(({ isFirst }) => isFirst !== true);
  for (let turn = 1; turn < ASKED; turn += 1) await timeAll(server, asked, timings);
}

async function measureQueries(place: SeededPlace, direct: Gateway): Promise<Line[]> {
  const server = await startOn(place);
  const { gateway } = server;
  try {
    await streamRound(gateway); // compiled code and open connections on both sides
    const alone = await longestDelays(gateway, direct, Promise.resolve());
    const cases = casesAt(Math.floor(Date.now() / 1000));
    const timings = new Map<Case, number[]>();
    // The first time that each is asked counts for its own time alone: it compiles what the others find compiled.
    await Promise.all([timeAll(server, cases, timings), streamRound(gateway)]);
    const beside = await longestDelays(gateway, direct, timeCases(server, cases, timings));
    const lines = [...timings].map(([{ what, limit }, all]) => timed(place.engine, what, all, limit));
    const line = (name: keyof Delays, what: string, limit?: number): Line[] =>
      compared(place.engine, what, { alone: alone[name], beside: beside[name] }, limit);
    return [
      ...lines,
      ...line("direct", `longest delay of a chunk, ${STREAMS} streams past the gateway`),
      ...line("gateway", `longest delay of a chunk, ${STREAMS} streams`, LIMITS.streamDelayAdded),
    ];
  } finally {
    await gateway.stop();
  }
}

async function measureEngine(engine: LogEngine, rows: number, provider: Provider): Promise<Line[]> {
  const place = await seedPlace(engine, rows, provider.direct.port);
  try {
    const queries = await measureQueries(place, provider.direct);
    return [...queries, ...(await measureDeletion(place, Math.floor(rows / DELETED_SHARE)))];
  } finally {
    await place.remove();
  }
}

/**
 * Measures, prints, and puts each engine's section into the document where the month is whole; `where` says on which machine and when.
 * False where a limit is broken and the run is strict. Throws on arguments it does not know.
 */
export async function measureLogs(
  provider: Provider,
  args: readonly string[],
  where: readonly string[],
  document: URL,
): Promise<boolean> {
  const options = await readOptions(args);
  await provider.setPace({ chunks: (ROUND_SECONDS * 1000) / PACE_MS, paceMs: PACE_MS });
  const lines: Line[] = [];
  for (const engine of options.engines) {
    const measured = await measureEngine(engine, options.rows, provider);
    lines.push(...measured);
    if (options.rows < MONTH_ROWS) continue;
    const text = logSection(engine, measured, options.rows, where);
    writeFileSync(document, withSection(readFileSync(document, "utf8"), logHeading(engine), text));
  }
  process.stdout.write(`\n${linesTable(lines)}\n`);
  const broken = lines.filter(isBroken).length;
  process.stdout.write(
    `\n${options.rows} rows: ${broken === 0 ? "every limit is kept" : `${broken} limits are broken`}\n`,
  );
  return !options.isStrict || broken === 0;
}
