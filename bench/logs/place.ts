/** A seeded database of one engine with a busy month in it, and a Turnpike on it: the system under test of `npm run bench -- logs`. */
import { createTestPlace } from "../../tests/support/databases/databases.ts";
import type { Config } from "../../server/src/config.ts";
import { type Account, type ConsoleClient, logIn } from "../../tools/seed/console-client.ts";
import { seedBusyMonth } from "../../tools/seed/busy-month.ts";
import { startOnDatabase } from "../gateways/turnpike.ts";
import type { Gateway } from "../gateways/gateway.ts";
import type { Caller } from "./cases.ts";

export type LogEngine = "sqlite" | "postgres";

/** A seeded database; no server runs on it yet. */
export interface SeededPlace {
  readonly engine: LogEngine;
  readonly config: Config;
  /** Of the administrator's token. */
  readonly key: string;
  readonly accounts: Readonly<Record<Caller, Account>>;
  /** Drops it. */
  remove(): Promise<void>;
}

/** Makes a database and loads so many calls of 30 days into it. `upstreamPort` is where its channels point. */
export async function seedPlace(engine: LogEngine, rows: number, upstreamPort: number): Promise<SeededPlace> {
  const { config, remove } = await createTestPlace(engine, { env: { GLOBAL_API_RATE_LIMIT_ENABLE: "false" } });
  try {
    const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;
    const onProgress = (done: number): void => {
      if (done === rows) process.stdout.write(`  ${engine}: ${done.toLocaleString("en")} calls loaded\n`);
    };
    const month = { config: { ...config, allowPrivateUpstreams: true }, rows, upstreamUrl, onProgress };
    const { admin, people, key } = await seedBusyMonth(month);
    const [person] = people;
    if (person === undefined || key === undefined) throw new Error("busy-month has no people or no token any more");
    return { engine, config, key, accounts: { admin, person }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A Turnpike on a seeded database, with all callers logged in. */
export interface LogServer {
  readonly gateway: Gateway;
  readonly clients: Readonly<Record<Caller, ConsoleClient>>;
}

/** Starts the server as a process of its own. Throws when it does not come up. */
export async function startOn(place: SeededPlace): Promise<LogServer> {
  const gateway = await startOnDatabase(place.config, [place.key], {});
  const url = `http://127.0.0.1:${gateway.port}`;
  const { admin, person } = place.accounts;
  return { gateway, clients: { admin: await logIn(url, admin), person: await logIn(url, person) } };
}
