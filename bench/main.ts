/** `npm run bench`: runs the parts one after the other, prints the targets, and after a full run writes docs/benchmarks.md; `profile` instead shows where the CPU goes, `logs` what a log of millions of rows costs, and `translate` what translating streams costs. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { killEverything, stopEverything } from "./children.ts";
import { nginxVersion } from "./gateways/nginx.ts";
import { measureLogs } from "./logs.ts";
import { logHeading } from "./logs-report.ts";
import { measureFsync } from "./parts/fsync.ts";
import { measureLatency } from "./parts/latency.ts";
import { measureMemory } from "./parts/memory.ts";
import { measureRelay } from "./parts/relay.ts";
import { measureStreams } from "./parts/streams.ts";
import { profileTurnpike } from "./profile.ts";
import { readPlan } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { startProvider } from "./provider.ts";
import { circumstanceLines, document, targetTable } from "./report.ts";
import type { Circumstances } from "./report.ts";
import type { PartName } from "./sample.ts";
import { withKept } from "./sections.ts";
import { checkBooks, openSession } from "./session.ts";
import type { Session } from "./session.ts";
import { measureTranslate } from "./translate.ts";
import { HEADING } from "./translate-report.ts";
import { wrkVersion } from "./wrk.ts";

const DOCUMENT = new URL("../docs/benchmarks.md", import.meta.url);

const MEASURES: Record<PartName, (session: Session) => Promise<void>> = {
  memory: measureMemory,
  relay: measureRelay,
  latency: measureLatency,
  streams: measureStreams,
  fsync: measureFsync,
};

/** Throws when a program that the run needs is missing, naming its package. */
function requirePrograms(plan: Plan): void {
  const needsNginx = plan.parts.some((part) => part === "relay" || part === "latency" || part === "streams");
  if (needsNginx && nginxVersion() === undefined) throw new Error("nginx is missing: apt-get install nginx-light");
  if (plan.parts.includes("relay") && wrkVersion() === undefined)
    throw new Error("wrk is missing: apt-get install wrk");
}

function circumstances(versionsUsed: ReadonlyMap<string, string>, loadBefore: number): Circumstances {
  const [cpu] = cpus();
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const versions = new Map([...versionsUsed, ["turnpike", `commit ${commit}`], ["node", process.version]]);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores ${cpu?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}; load average before the run ${loadBefore.toFixed(2)}`,
    versions,
  };
}

/** Sections of other commands stay as they are. */
const OTHER_SECTIONS = [HEADING, logHeading("sqlite"), logHeading("postgres")];

async function run(plan: Plan, folder: string): Promise<boolean> {
  requirePrograms(plan);
  const [loadBefore = 0] = loadavg();
  const session = openSession(plan, await startProvider(), folder);
  for (const part of plan.parts) {
    process.stdout.write(`${part}\n`);
    await MEASURES[part](session);
  }
  await checkBooks(session);
  process.stdout.write(`\n${targetTable(session.findings.samples)}\n`);
  const isWhole = !plan.quick && plan.parts.length === Object.keys(MEASURES).length;
  if (isWhole) {
    const versions = new Map([...session.versions, ["wrk", wrkVersion() ?? "not used"]]);
    const text = document(session.findings, plan, circumstances(versions, loadBefore));
    writeFileSync(DOCUMENT, withKept(text, readFileSync(DOCUMENT, "utf8"), OTHER_SECTIONS));
  }
  return session.findings.failures.length === 0;
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
    const [loadBefore = 0] = loadavg();
    const where = circumstanceLines(circumstances(new Map(), loadBefore));
    const rest = process.argv.slice(3);
    if (first === "logs") {
      process.exitCode = (await measureLogs(await startProvider(), rest, where, DOCUMENT)) ? 0 : 1;
      return;
    }
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
