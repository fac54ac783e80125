/** A system set up on a fresh database, for server processes to be started on: administrator, channel, prices, users with tokens. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startApp } from "../../../server/src/app.ts";
import { type AuditResult, audit, auditDatabase } from "../../../server/src/billing/audit.ts";
import { type Database, type Engine, openDatabase } from "../../../server/src/db/database.ts";
import { createLogger } from "../../../server/src/observe/logger.ts";
import { addPerson } from "../../../tools/seed/people.ts";
import { type TestPlace, createTestPlace } from "../databases/databases.ts";
import { ROOT_PASSWORD, TestClient, setupForm } from "./server.ts";

/** Quota of one call of `fixed`. */
export const FIXED_PRICE = 1_000;
/**
 * Models of the channel: one with a price for each call, two by tokens, at 2.5 a prompt token and 10 a completion token. One of them
 * may think invisibly, since its name is unknown.
 */
export const MODELS = { fixed: "fixed-model", counted: "counted-model", inSight: "llama-counted" } as const;
export const PERSON_PASSWORD = "battery staple 7";

/** What a call of the counted model costs, by whole numbers alone: (prompt + 4 x completion) x 5 / 2, half away from zero, at least 1. */
export function countedPrice(promptTokens: number, completionTokens: number): number {
  const doubled = 5n * (BigInt(promptTokens) + 4n * BigInt(completionTokens));
  const rounded = Number((doubled + 1n) / 2n);
  return doubled > 0n ? Math.max(1, rounded) : 0;
}

export interface Person {
  userId: number;
  username: string;
  tokenId: number;
  /** With `sk-`. */
  key: string;
  quota: number;
}

export interface Site {
  engine: Engine;
  place: TestPlace;
  people: readonly Person[];
  channelId: number;
  /** For a server process on this system. */
  env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export interface SiteOptions {
  upstreamUrl: string;
  /** Opening balance of each user. */
  quotas: readonly number[];
  /** Database of one's own; a fresh one on the shared server where absent. */
  place?: TestPlace;
  channelKey?: string;
  options?: Readonly<Record<string, string>>;
}

const BASE_ENV = {
  ALLOW_PRIVATE_UPSTREAMS: "1",
  GLOBAL_API_RATE_LIMIT_ENABLE: "false",
  SHUTDOWN_GRACE_SECONDS: "10",
} as const;

const PRICES = {
  ModelPrice: JSON.stringify({ [MODELS.fixed]: FIXED_PRICE / 500_000 }),
  ModelRatio: JSON.stringify({ [MODELS.counted]: 2.5, [MODELS.inSight]: 2.5 }),
  CompletionRatio: JSON.stringify({ [MODELS.counted]: 4, [MODELS.inSight]: 4 }),
} as const;

/** The `data` of a console call that must succeed. */
export async function dataOf<Data>(answer: ReturnType<TestClient["send"]>): Promise<Data> {
  const { status, body } = await answer;
  if (!body.success) throw new Error(`the console answered ${status}: ${body.message}`);
  return body.data as Data; // the endpoint's schema has encoded it
}

/** The rows of a page of a list; throws as `dataOf` does. */
export const itemsOf = async <Row>(answer: ReturnType<TestClient["send"]>): Promise<Row[]> =>
  (await dataOf<{ items: Row[] }>(answer)).items;

/** A client that is logged in. */
export async function loggedIn(url: string, username: string, password = PERSON_PASSWORD): Promise<TestClient> {
  const client = new TestClient(url);
  await dataOf(client.login(username, password));
  return client;
}

async function addToken(client: TestClient): Promise<{ id: number; key: string }> {
  return dataOf(client.post("/api/token", { name: "main", unlimited_quota: true, expired_time: -1 }));
}

/** Sets the system up with an app in this process, which is closed again. */
export async function makeSite(engine: Engine, options: SiteOptions): Promise<Site> {
  const place = options.place ?? (await createTestPlace(engine, { env: BASE_ENV }));
  const config = { ...place.config, allowPrivateUpstreams: true };
  const app = await startApp(config, {
    logger: createLogger({ level: "silent" }),
    webDirectory: join(config.dataDir, "no-web"),
  });
  try {
    const root = new TestClient(app.url);
    await dataOf(root.post("/api/setup", await setupForm(app)));
    await dataOf(root.login("root", ROOT_PASSWORD));
    for (const [key, value] of Object.entries({ ...PRICES, ...options.options }))
      await dataOf(root.put("/api/option", { key, value }));
    const [channelId = 0] = await dataOf<number[]>(
      root.post("/api/channel", {
        type: 1,
        name: "main",
        key: options.channelKey ?? "sk-upstream-0123456789abcdef",
        base_url: options.upstreamUrl,
        models: Object.values(MODELS).join(","),
        groups: ["default"],
        auto_ban: 0,
      }),
    );
    const people: Person[] = [];
    for (const [index, quota] of options.quotas.entries()) {
      const username = `person${index}`;
      const person = { username, displayName: username, role: 1 as const, group: "default", quota, tokens: [] };
      const userId = await addPerson(app.foundation, person, PERSON_PASSWORD, 1_700_000_000);
      await app.foundation.snapshot.refresh();
      const token = await addToken(await loggedIn(app.url, username));
      people.push({ userId, username, tokenId: token.id, key: `sk-${token.key}`, quota });
    }
    return { engine, place, people, channelId, env: environmentOf(place), remove: () => place.remove() };
  } finally {
    await app.close();
  }
}

function environmentOf({ config }: TestPlace): Record<string, string> {
  return {
    ...BASE_ENV,
    DATA_DIR: config.dataDir,
    SECRET_KEY: config.secretKey ?? "",
    ...(config.databaseUrl === undefined ? {} : { DATABASE_URL: config.databaseUrl }),
  };
}

export type Row = Readonly<Record<string, unknown>>;

/** Looks into the database beside running servers. */
export interface TestLedger {
  rows(query: string): Promise<readonly Row[]>;
  audit(): Promise<AuditResult>;
  close(): Promise<void>;
}

function fileLedger(path: string): TestLedger {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const rows = async (query: string): Promise<readonly Row[]> => database.prepare(query).all();
  return { rows, audit: () => audit(rows), close: async () => database.close() };
}

function serverLedger(database: Database): TestLedger {
  const rows = async (query: string): Promise<readonly Row[]> => {
    if (database.postgres !== undefined) return (await database.postgres.query<Row>(query)).rows;
    const [found] = (await database.mysql?.promise().query(query)) ?? [[]];
    return found as Row[]; // a SELECT gives rows
  };
  return { rows, audit: () => auditDatabase(database), close: () => database.close() };
}

/** Opens the database of a site for reading. */
export async function openTestLedger({ engine, place }: Pick<Site, "engine" | "place">): Promise<TestLedger> {
  if (engine === "sqlite") return fileLedger(join(place.config.dataDir, "turnpike.db"));
  return serverLedger(await openDatabase(place.config));
}
