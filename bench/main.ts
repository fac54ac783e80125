/**
 * `npm run bench`: runs the parts one after the other, stores each result, prints the targets and, once every part ran on this state of the code,
 * writes docs/benchmarks.md. `profile` instead shows where the CPU goes, `logs` what a log of millions of rows costs, `translate` what translating
 * streams costs, `dry-run` what trying prices on past calls costs, `prices` what 2,000 models cost, `routing` what thousands of channels cost, `sockets`
 * what 1,000 sockets of Responses cost and `playground` how long answers of 100 KB block a browser's main thread. `guard` compares with the last release,
 * `history` commits with each other.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, homedir, loadavg, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { killEverything, stopEverything } from "./machine/children.ts";
import { nginxVersion } from "./gateways/nginx.ts";
import { measureGuard } from "./guard/guard.ts";
import { measureHistory } from "./guard/history.ts";
import { HISTORY_HEADING, RELEASES_HEADING } from "./guard/report.ts";
import { measureDryRun } from "./dry-run/dry-run.ts";
import { DRY_RUN_HEADING } from "./dry-run/report.ts";
import { measureLogs } from "./logs/logs.ts";
import { logHeading } from "./logs/report.ts";
import { engines } from "../tests/support/databases/databases.ts";
import { measureAccounts } from "./parts/accounts.ts";
import { measureFsync } from "./parts/fsync.ts";
import { measureLatency } from "./parts/latency.ts";
import { measureMemory } from "./parts/memory.ts";
import { measureRelay } from "./parts/relay.ts";
import { measureStart } from "./parts/start.ts";
import { measureStreams } from "./parts/streams.ts";
import { measureWorkers } from "./parts/workers.ts";
import { measurePlayground } from "./playground/playground.ts";
import { measurePrices } from "./prices/prices.ts";
import { profileTurnpike } from "./profile.ts";
import { ROUTING_HEADING } from "./routing/report.ts";
import { measureRouting } from "./routing/routing.ts";
import { readPlan } from "./run/plan.ts";
import type { Plan } from "./run/plan.ts";
import { type Provider, startProvider } from "./provider/provider.ts";
import { circumstanceLines, document, targetTable } from "./run/report.ts";
import type { Circumstances } from "./run/report.ts";
import { type KeptPart, joined, keepPart, missingParts, readKept } from "./run/kept.ts";
import type { PartName } from "./run/sample.ts";
import { withKept } from "./run/sections.ts";
import { closeSession, openSession } from "./run/session.ts";
import type { Session } from "./run/session.ts";
import { SOCKETS_HEADING } from "./sockets/report.ts";
import { measureSockets } from "./sockets/sockets.ts";
import { measureTranslate } from "./translate/translate.ts";
import { HEADING } from "./translate/report.ts";
import { wrkVersion } from "./load/wrk.ts";

const DOCUMENT = new URL("../docs/benchmarks.md", import.meta.url);

const MEASURES: Record<PartName, (session: Session) => Promise<void>> = {
  memory: measureMemory,
  start: measureStart,
  relay: measureRelay,
  latency: measureLatency,
  streams: measureStreams,
  fsync: measureFsync,
  accounts: measureAccounts,
  workers: measureWorkers,
};
const NGINX_PARTS: ReadonlySet<PartName> = new Set(["start", "relay", "latency", "streams"]);
const WRK_PARTS: ReadonlySet<PartName> = new Set(["start", "relay", "workers"]);

/** Throws when a program that the run needs is missing, naming its package. */
async function requirePrograms({ parts }: Plan): Promise<void> {
  if (parts.some((part) => NGINX_PARTS.has(part)) && nginxVersion() === undefined)
    throw new Error("nginx is missing: apt-get install nginx-light");
  if (parts.some((part) => WRK_PARTS.has(part)) && wrkVersion() === undefined)
    throw new Error("wrk is missing: apt-get install wrk");
  if (parts.includes("workers") && !(await engines()).includes("postgres"))
    throw new Error("PostgreSQL does not answer: start it, set TEST_POSTGRES_URL, or name the other parts");
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores ${cpu?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
}

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

/** What the numbers depend on: code and packages as they are committed, machine and Node. Undefined where something is changed. */
function identity(): string | undefined {
  const measured = ["server", "contract", "bench", "package-lock.json"];
  if (git("status", "--porcelain", "--", ...measured) !== "") return undefined;
  return [...measured.map((path) => git("rev-parse", `HEAD:${path}`)), machine(), process.version].join(" ");
}

const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "turnpike-bench");
const KEPT = join(CACHE, "results.json");

function circumstances({ versions, when }: Pick<KeptPart, "versions" | "when">): Circumstances {
  const commit = git("rev-parse", "--short", "HEAD");
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${machine()}; ${when}`,
    versions: new Map([...versions, ["turnpike", `commit ${commit}`], ["node", process.version]]),
  };
}

const loadNow = (): string => `load average before it ${(loadavg()[0] ?? 0).toFixed(2)}`;

/** Sections of other commands stay as they are. */
const OTHER_SECTIONS = [
  HEADING,
  DRY_RUN_HEADING,
  ROUTING_HEADING,
  SOCKETS_HEADING,
  RELEASES_HEADING,
  HISTORY_HEADING,
  logHeading("sqlite"),
  logHeading("postgres"),
];

/** One part with gateways of its own, from their start to their ledgers' check. */
async function runPart(plan: Plan, part: PartName, provider: Provider, folder: string): Promise<KeptPart> {
  const when = `${new Date().toISOString().slice(0, 16)}Z, ${loadNow()}`;
  process.stdout.write(`${part}\n`);
  const partFolder = join(folder, part);
  mkdirSync(partFolder);
  const session = openSession(plan, provider, partFolder);
  await MEASURES[part](session);
  await closeSession(session);
  const versions = [...session.versions, ...(WRK_PARTS.has(part) ? [["wrk", wrkVersion() ?? "unknown"] as const] : [])];
  return { ...session.findings, versions, when };
}

/** Runs the parts; each result is stored at once, unless the run is quick or the code is not committed. */
async function run(plan: Plan, folder: string): Promise<boolean> {
  await requirePrograms(plan);
  const state = plan.quick ? undefined : identity();
  if (!plan.quick && state === undefined) process.stdout.write("Uncommitted changes: the numbers are not kept.\n");
  const provider = await startProvider();
  let parts = state === undefined ? {} : readKept(KEPT, state);
  for (const part of plan.parts) {
    const found = await runPart(plan, part, provider, folder);
    parts = state === undefined ? { ...parts, [part]: found } : keepPart(KEPT, state, part, found);
  }
  const all = joined(parts);
  process.stdout.write(`\n${targetTable(all.samples)}\n`);
  const missing = missingParts(parts);
  if (state !== undefined && missing.length === 0) {
    const text = document(all, plan, circumstances(all));
    writeFileSync(DOCUMENT, withKept(text, readFileSync(DOCUMENT, "utf8"), OTHER_SECTIONS));
  } else if (state !== undefined) process.stdout.write(`Still to run for the document: ${missing.join(" ")}\n`);
  return plan.parts.every((part) => parts[part]?.failures.length === 0);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-"));
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  process.once("exit", () => {
    killEverything();
    rmSync(folder, { recursive: true, force: true });
  });
  try {
    const [first, second] = process.argv.slice(2);
    if (first === "profile") return await profileTurnpike(await startProvider(), folder, second === "streams");
    const where = circumstanceLines(circumstances({ versions: [], when: loadNow() }));
    const rest = process.argv.slice(3);
    if (first === "logs") {
      process.exitCode = (await measureLogs(await startProvider(), rest, where, DOCUMENT)) ? 0 : 1;
      return;
    }
    if (first === "dry-run") return await measureDryRun(await startProvider(), rest, where, DOCUMENT);
    if (first === "prices") return await measurePrices(await startProvider(), folder);
    if (first === "playground") return await measurePlayground();
    if (first === "routing") return await measureRouting(where, DOCUMENT);
    if (first === "sockets") {
      process.exitCode = (await measureSockets(where, DOCUMENT)) ? 0 : 1;
      return;
    }
    if (first === "guard") {
      const passed = await measureGuard(await startProvider(), { folder, cache: CACHE }, rest, DOCUMENT);
      process.exitCode = passed ? 0 : 1;
      return;
    }
    if (first === "history")
      return await measureHistory(await startProvider(), { folder, cache: CACHE }, rest, where, DOCUMENT);
    if (first === "translate") {
      process.exitCode = (await measureTranslate(folder, rest, where, DOCUMENT)) ? 0 : 1;
      return;
    }
    const everyCallWasAnswered = await run(readPlan(process.argv.slice(2)), folder);
    process.exitCode = everyCallWasAnswered ? 0 : 1;
  } finally {
    await stopEverything();
  }
}

await main();
