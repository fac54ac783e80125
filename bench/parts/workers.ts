/** CPU of a call on PostgreSQL with one process and with two, called by users of different accounts in rotation. */
import { startApp } from "../../server/src/app.ts";
import { addPerson } from "../../tools/seed/people.ts";
import { type ConsoleClient, logIn, setUp } from "../../tools/seed/console-client.ts";
import { createTestPlace } from "../../tests/support/databases/databases.ts";
import type { Gateway } from "../gateways/gateway.ts";
import { startOnDatabase } from "../gateways/turnpike.ts";
import { wrkLoad } from "../load/wrk.ts";
import { readCpu } from "../machine/measure.ts";
import { MODEL } from "../provider/answers.ts";
import { record, recordFailures, rotated, warm } from "../run/session.ts";
import type { Session } from "../run/session.ts";

const CONNECTIONS = 64;
/** Fewer than a client address may log in. */
const PEOPLE = 16;
const QUOTA = 1e12;
const PASSWORD = "benchmark-password";
const ADMIN = { username: "root", password: PASSWORD };
export const WORKERS_CPU = "CPU per call on PostgreSQL, 64 connections, 16 accounts";
export const workersName = (workers: number): string => `WORKERS=${workers}`;

interface Subject {
  readonly name: string;
  readonly gateway: Gateway;
  remove(): Promise<void>;
}

/** Both forms run on databases of their own, alternating. */
export async function measureWorkers(session: Session): Promise<void> {
  const subjects: Subject[] = [];
  try {
    for (const workers of [1, 2]) subjects.push(await startSubject(session, workers));
    const load = ({ gateway }: Subject, seconds: number) => wrkLoad(gateway, CONNECTIONS, seconds, session.folder);
    await warm(session, subjects, load);
    for (let round = 1; round <= session.plan.rounds; round += 1) {
      for (const subject of rotated(subjects, round)) {
        await load(subject, session.plan.rewarmSeconds);
        await measureOne(session, subject, round);
      }
    }
  } finally {
    for (const subject of subjects) {
      await subject.gateway.stop();
      await subject.remove();
    }
  }
}

async function measureOne(session: Session, { name, gateway }: Subject, round: number): Promise<void> {
  const before = readCpu(gateway.processId);
  const { calls, callsPerSecond, failures } = await wrkLoad(gateway, CONNECTIONS, session.plan.seconds, session.folder);
  const cpu = readCpu(gateway.processId).cpuMicroseconds - before.cpuMicroseconds;
  const origin = { part: "workers", subject: name, round } as const;
  record(session, { ...origin, what: WORKERS_CPU, value: cpu / calls, unit: "µs" });
  record(session, { ...origin, what: "calls a second on PostgreSQL", value: callsPerSecond, unit: "calls/s" });
  recordFailures(session, `workers, ${name}, round ${round}`, failures);
}

/** A database with users who have a key each, and a Turnpike of so many workers on it. */
async function startSubject(session: Session, workers: number): Promise<Subject> {
  const env = { ALLOW_PRIVATE_UPSTREAMS: "1", GLOBAL_API_RATE_LIMIT_ENABLE: "false" };
  const { config, remove } = await createTestPlace("postgres", { env });
  try {
    const app = await startApp(config);
    const keys = await fill(app, session.provider.direct.port).finally(() => app.close());
    const gateway = await startOnDatabase(config, keys, { WORKERS: String(workers) });
    return { name: workersName(workers), gateway, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Wizard, the provider as a channel, users; returns their keys. */
async function fill(app: Awaited<ReturnType<typeof startApp>>, upstreamPort: number): Promise<string[]> {
  const wizard = await app.setupUrl();
  if (wizard === undefined) throw new Error("the benchmark's own database is set up already");
  await setUp(wizard, ADMIN, false);
  const admin = await logIn(app.url, ADMIN);
  await admin.call("POST", "/api/channel", {
    type: 1,
    name: "benchmark",
    key: "sk-provider",
    base_url: `http://127.0.0.1:${upstreamPort}`,
    models: MODEL,
    groups: ["default"],
  });
  const keys: string[] = [];
  for (let index = 1; index <= PEOPLE; index += 1) {
    const username = `person${index}`;
    const person = { username, displayName: username, role: 1, group: "default", quota: QUOTA, tokens: [] };
    await addPerson(app.foundation, person, PASSWORD, Math.floor(Date.now() / 1000));
    await app.foundation.snapshot.refresh();
    keys.push(await newKey(await logIn(app.url, { username, password: PASSWORD })));
  }
  return keys;
}

/** A token with a quota of its own, so that its balance moves with every call too. */
async function newKey(person: ConsoleClient): Promise<string> {
  const token = { name: "benchmark", unlimited_quota: false, remain_quota: 1e9, expired_time: -1 };
  const { key } = (await person.call("POST", "/api/token", token)) as { key: string };
  return `sk-${key}`;
}
