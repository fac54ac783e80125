/** The context of one part of a run: the provider, the gateways started so far, the plan and the results. */
import type { Gateway } from "../gateways/gateway.ts";
import { startNginx } from "../gateways/nginx.ts";
import { startPortkey } from "../gateways/portkey.ts";
import { startTurnpike } from "../gateways/turnpike.ts";
import type { Turnpike } from "../gateways/turnpike.ts";
import type { Plan } from "./plan.ts";
import type { Provider } from "../provider/provider.ts";
import { join } from "node:path";
import type { Findings, Sample } from "./sample.ts";

/** Gateways are started when the part first asks for them and stay until its end. */
export interface Session {
  readonly plan: Plan;
  readonly provider: Provider;
  readonly folder: string;
  readonly findings: Findings;
  /** Version of each gateway started so far, by its name. */
  readonly versions: ReadonlyMap<string, string>;
  /** Every other gateway started so far. */
  readonly gateways: readonly Gateway[];
  /** Every Turnpike started so far. */
  readonly turnpikes: readonly Turnpike[];
  readonly direct: Gateway;
  nginx(): Promise<Gateway>;
  portkey(): Promise<Gateway>;
  turnpike(): Promise<Turnpike>;
  /** A further Turnpike with its own database, for what must be measured on a fresh or specially started process. */
  freshTurnpike(name: string, environment?: NodeJS.ProcessEnv): Promise<Turnpike>;
}

/** Makes the session of a run; `folder` takes databases, logs and scripts and is deleted by the caller. */
export function openSession(plan: Plan, provider: Provider, folder: string): Session {
  const port = provider.direct.port;
  const versions = new Map<string, string>();
  const gateways: Gateway[] = [];
  const turnpikes: Turnpike[] = [];
  const noted = async (gateway: Promise<Gateway>): Promise<Gateway> => {
    const started = await gateway;
    versions.set(started.name, started.version);
    gateways.push(started);
    return started;
  };
  const freshTurnpike = async (name: string, environment: NodeJS.ProcessEnv = {}): Promise<Turnpike> => {
    const turnpike = await startTurnpike(port, join(folder, name), environment);
    turnpikes.push(turnpike);
    return turnpike;
  };
  return {
    plan,
    provider,
    folder,
    findings: { samples: [], failures: [], books: [] },
    versions,
    gateways,
    turnpikes,
    direct: provider.direct,
    nginx: once(() => noted(startNginx(port, join(folder, "nginx")))),
    portkey: once(() => noted(startPortkey(port))),
    turnpike: once(() => freshTurnpike("turnpike")),
    freshTurnpike,
  };
}

function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= start());
}

/** Adds one number to the findings and prints it. */
export function record(session: Session, sample: Sample): void {
  session.findings.samples.push(sample);
  const value = sample.value.toFixed(sample.value < 100 ? 2 : 0);
  process.stdout.write(
    `  ${sample.part} round ${sample.round}  ${sample.subject.padEnd(9)} ${sample.what}: ${value} ${sample.unit}\n`,
  );
}

/** Notes failed calls, so that the report shows them and the run ends with a failure. */
export function recordFailures(session: Session, where: string, count: number): void {
  if (count === 0) return;
  const line = `${where}: ${count} calls failed`;
  session.findings.failures.push(line);
  process.stdout.write(`  FAILED  ${line}\n`);
}

/** Loads every subject before its first round, so that none is measured while its code is still being compiled. */
export async function warm<T>(
  session: Session,
  subjects: readonly T[],
  load: (subject: T, seconds: number) => Promise<unknown>,
): Promise<void> {
  for (const subject of subjects) await load(subject, session.plan.warmSeconds);
}

/** The subjects of one round; each round begins with another one, so that no subject always follows the same one. */
export function rotated<T>(subjects: readonly T[], round: number): T[] {
  const shift = (round - 1) % subjects.length;
  return [...subjects.slice(shift), ...subjects.slice(0, shift)];
}

/** Stops every gateway and notes what each ledger says; books that do not balance are a failure of the run. */
export async function closeSession(session: Session): Promise<void> {
  for (const gateway of session.gateways) await gateway.stop();
  for (const turnpike of session.turnpikes) {
    await turnpike.stop();
    const { charges, balanced } = turnpike.books();
    const line = `Ledger of one Turnpike after its run: ${charges} charges, balances ${balanced ? "are" : "are NOT"} the sums of their entries.`;
    session.findings.books.push(line);
    if (!balanced) session.findings.failures.push(line);
    process.stdout.write(`  ${line}\n`);
  }
}
