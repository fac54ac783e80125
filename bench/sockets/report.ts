/** The result of `npm run bench -- sockets` as a section of docs/benchmarks.md. Pure. */
import { median, quantile } from "../run/statistics.ts";

export const SOCKETS_HEADING = "## Sockets of Responses";

/** Bounds of what is promised: milliseconds that a socket adds, and kB of one that is idle. */
const LIMITS = { addedP99Ms: 5, idleKilobytes: 40 } as const;

/** Of plain HTTP alone; where it takes longer the machine has other work, and the difference of two such figures says nothing. */
const BUSY_P99_MS = 40;

/** Milliseconds to the first event of calls that were made beside each other. */
export interface Round {
  readonly socketMs: readonly number[];
  readonly httpMs: readonly number[];
}

/** What one run found. */
export interface SocketFindings {
  sockets: number;
  /** Rounds that were to be made, each of one call of each kind for each socket. */
  wantedRounds: number;
  rounds: readonly Round[];
  /** Of one open socket that has not asked yet, and of one that keeps its last answer, in bytes. */
  idleBytes: { resident: number; heap: number };
  keptBytes: { resident: number; heap: number };
  /** How often a call was not answered to its end, by what came instead. */
  failures: Readonly<Record<string, number>>;
  wrongValues: number;
}

interface Row {
  what: string;
  limit?: number;
  value: number;
  unit: string;
}

const result = ({ limit, value }: Row): string =>
  limit === undefined ? "shown" : value <= limit ? "met" : "**missed**";

const line = (row: Row): string => {
  const limit = row.limit === undefined ? "" : `<= ${row.limit} ${row.unit}`;
  return `| ${[row.what, limit, `${row.value.toFixed(2)} ${row.unit}`, result(row)].join(" | ")} |`;
};

/** The middle one of what the rounds say, so that what else the machine did in one of them decides nothing. */
const ofRounds = ({ rounds }: SocketFindings, say: (round: Round) => number): number =>
  median(rounds.filter(({ socketMs, httpMs }) => socketMs.length > 0 && httpMs.length > 0).map(say));

const added = (found: SocketFindings, share: number): number =>
  ofRounds(found, ({ socketMs, httpMs }) => quantile(socketMs, share) - quantile(httpMs, share));

function rowsOf(found: SocketFindings): Row[] {
  const { idleBytes, keptBytes } = found;
  const overHttp = (share: number): number => ofRounds(found, ({ httpMs }) => quantile(httpMs, share));
  const kB = (bytes: number): number => bytes / 1024;
  return [
    { what: "first event over HTTP, p50", value: overHttp(0.5), unit: "ms" },
    { what: "first event over HTTP, p99", value: overHttp(0.99), unit: "ms" },
    { what: "added by a socket, p50", value: added(found, 0.5), unit: "ms" },
    { what: "added by a socket, p99", limit: LIMITS.addedP99Ms, value: added(found, 0.99), unit: "ms" },
    {
      what: "resident memory of an idle socket",
      limit: LIMITS.idleKilobytes,
      value: kB(idleBytes.resident),
      unit: "kB",
    },
    { what: "heap of an idle socket", limit: LIMITS.idleKilobytes, value: kB(idleBytes.heap), unit: "kB" },
    { what: "resident memory of one that answered", value: kB(keptBytes.resident), unit: "kB" },
    { what: "heap of one that answered", value: kB(keptBytes.heap), unit: "kB" },
  ];
}

const callsOf = ({ rounds }: SocketFindings): number => rounds.reduce((sum, { socketMs }) => sum + socketMs.length, 0);

/** What kept a run from a figure that holds; empty where nothing did. */
function doubtOf(found: SocketFindings): string {
  const { sockets, wantedRounds } = found;
  const [calls, wanted] = [callsOf(found), sockets * wantedRounds];
  if (calls < wanted) return `${calls} of ${wanted} calls were made in the time there is`;
  const ms = ofRounds(found, ({ httpMs }) => quantile(httpMs, 0.99));
  return ms > BUSY_P99_MS
    ? `the machine had other work: p99 over plain HTTP is ${ms.toFixed(0)} ms, more than ${BUSY_P99_MS}`
    : "";
}

/** `missed` where a call failed, the ledger is wrong or a limit is exceeded on a machine that was free for the run; `none` where it was not, and its times say nothing. */
export function verdictOf(found: SocketFindings): "met" | "missed" | "none" {
  const { failures, wrongValues } = found;
  if (Object.keys(failures).length > 0 || wrongValues > 0) return "missed";
  const isMissed = ({ limit, value }: Row): boolean => limit !== undefined && value > limit;
  const rows = rowsOf(found).filter(isMissed);
  if (rows.some(({ unit }) => unit === "kB")) return "missed";
  if (doubtOf(found) !== "") return "none";
  return rows.length === 0 ? "met" : "missed";
}

function verdictText(found: SocketFindings): string {
  const verdict = verdictOf(found);
  if (verdict === "none") return `**No verdict on the times**: ${doubtOf(found)}.`;
  return verdict === "met" ? "**Every limit is met.**" : "**A limit is missed, or a call failed.**";
}

const failuresText = (failures: SocketFindings["failures"]): string =>
  Object.entries(failures)
    .map(([reason, count]) => `${count} (${reason})`)
    .join(", ") || "none";

/** The section; `where` says on which machine and when. */
export const socketsSection = (found: SocketFindings, where: readonly string[]): string =>
  [
    SOCKETS_HEADING,
    "",
    `Written by \`npm run bench -- sockets\`: ${found.sockets.toLocaleString("en")} open sockets of \`/v1/responses\` on SQLite, and ${callsOf(found).toLocaleString("en")} calls over them and as many over HTTP beside each other,`,
    `at the same upstream, one of each kind at a time and the one first in turn, in ${found.rounds.length} rounds. What a socket adds is the difference of the two kinds in a round, of which the middle one is shown.`,
    "Memory is after a collection of garbage, as the difference by socket.",
    "",
    ...where.map((each) => `- ${each}`),
    `- calls that were not answered: ${failuresText(found.failures)}; values of the ledger that are wrong: ${found.wrongValues}`,
    "",
    verdictText(found),
    "",
    "| what | limit | measured | result |",
    "| --- | --- | --- | --- |",
    ...rowsOf(found).map(line),
    "",
  ].join("\n");
