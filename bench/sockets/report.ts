/** The result of `npm run bench -- sockets` as a section of docs/benchmarks.md. Pure. */
import { quantile } from "../run/statistics.ts";

export const SOCKETS_HEADING = "## Sockets of Responses";

/** Bounds of what is promised: milliseconds that a socket adds, and kB of one that is idle. */
const LIMITS = { addedP99Ms: 5, idleKilobytes: 40 } as const;

/** What one run found. */
interface SocketFindings {
  sockets: number;
  /** Calls of each kind. */
  calls: number;
  /** To the first event. */
  socketMs: readonly number[];
  httpMs: readonly number[];
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

function rowsOf({ socketMs, httpMs, idleBytes, keptBytes }: SocketFindings): Row[] {
  const added = (share: number): number => quantile(socketMs, share) - quantile(httpMs, share);
  const kB = (bytes: number): number => bytes / 1024;
  return [
    { what: "first event over HTTP, p50", value: quantile(httpMs, 0.5), unit: "ms" },
    { what: "first event over HTTP, p99", value: quantile(httpMs, 0.99), unit: "ms" },
    { what: "added by a socket, p50", value: added(0.5), unit: "ms" },
    { what: "added by a socket, p99", limit: LIMITS.addedP99Ms, value: added(0.99), unit: "ms" },
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

const failuresText = (failures: SocketFindings["failures"]): string =>
  Object.entries(failures)
    .map(([reason, count]) => `${count} (${reason})`)
    .join(", ") || "none";

/** The section; `where` says on which machine and when. */
export const socketsSection = (found: SocketFindings, where: readonly string[]): string =>
  [
    SOCKETS_HEADING,
    "",
    `Written by \`npm run bench -- sockets\`: ${found.sockets.toLocaleString("en")} open sockets of \`/v1/responses\` on SQLite, and ${found.calls.toLocaleString("en")} calls over them and as many over HTTP, in turn,`,
    "at the same upstream. What a socket adds is the difference of the two kinds. Memory is after a collection of garbage, as the difference by socket.",
    "",
    ...where.map((each) => `- ${each}`),
    `- calls that were not answered: ${failuresText(found.failures)}; values of the ledger that are wrong: ${found.wrongValues}`,
    "",
    "| what | limit | measured | result |",
    "| --- | --- | --- | --- |",
    ...rowsOf(found).map(line),
    "",
  ].join("\n");
