/** Turnpike on its embedded database, set up over its own console API as an operator would: wizard, channel, token. */
import { openSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { MODEL } from "../provider/answers.ts";
import type { Config } from "../../server/src/config.ts";
import { SERVER_FLAGS } from "../../tools/setup/runtime.mjs";
import { freePort, processIdOf, startProgram, stopProcess, waitUntilReady } from "../machine/children.ts";
import type { Gateway } from "./gateway.ts";

/** The account that the wizard makes. */
export const ROOT = { username: "root", password: "benchmark-password" } as const;
const SETUP_CODE = "benchmark-setup";
const START_LIMIT_MS = 60_000;

/** A packed server: the file that runs it, and the flags of Node that its own `npm start` gives. */
export interface Build {
  /** For the printed tables. */
  readonly name: string;
  readonly main: string;
  readonly flags: readonly string[];
}

/** What `npm start` of this checkout runs. */
export const THIS_BUILD: Build = {
  name: "this checkout",
  main: fileURLToPath(new URL("../../server/dist/main.mjs", import.meta.url)),
  flags: SERVER_FLAGS,
};

/** What the ledger of a stopped Turnpike says: charged calls, and whether every balance is the sum of its entries. */
interface LedgerTotals {
  readonly charges: number;
  readonly balanced: boolean;
}

export interface Turnpike extends Gateway {
  /** From the start of its process until it answered that it is ready. */
  readonly readyMilliseconds: number;
  /** Reads the ledger; only after `stop`. */
  books(): LedgerTotals;
}

/** A channel to the provider: its type's number and address, and the one model it has. */
export interface BenchmarkChannel {
  readonly type: number;
  readonly baseUrl: string;
  readonly model: string;
}

/** OpenAI's own format, for MODEL. */
export const plainChannel = (upstreamPort: number): BenchmarkChannel => ({
  type: 1,
  baseUrl: `http://127.0.0.1:${upstreamPort}`,
  model: MODEL,
});

/** Starts a build on a new database in the folder, with these channels or the provider as its only one. Throws when any step is refused. */
export async function startTurnpike(
  upstreamPort: number,
  folder: string,
  environment: NodeJS.ProcessEnv,
  nodeFlags: readonly string[] = [],
  channels: readonly BenchmarkChannel[] = [plainChannel(upstreamPort)],
  build: Build = THIS_BUILD,
): Promise<Turnpike> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, "turnpike.log"), "a");
  const startedMilliseconds = performance.now();
  const child = startProgram(process.execPath, [...build.flags, ...nodeFlags, build.main], {
    stdio: ["ignore", log, "inherit"],
    env: { ...process.env, ...serverEnvironment(port, folder), ...environment },
  });
  await waitUntilReady(port, child, START_LIMIT_MS);
  const readyMilliseconds = performance.now() - startedMilliseconds;
  const key = await setUp(`http://127.0.0.1:${port}`, channels);
  return {
    name: "turnpike",
    version: build.name,
    readyMilliseconds,
    port,
    headers: { authorization: `Bearer sk-${key}` },
    processId: processIdOf(child),
    stop: () => stopProcess(child),
    books: () => readLedger(join(folder, "turnpike.db")),
  };
}

/**
 * Starts it on a database that is set up already, called with these keys in rotation; `environment` adds to what the configuration says.
 * Throws where it is not ready within a minute.
 */
export async function startOnDatabase(
  config: Config,
  keys: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Gateway> {
  const port = await freePort();
  const log = openSync(join(config.dataDir, "turnpike.log"), "a");
  const child = startProgram(process.execPath, [...THIS_BUILD.flags, THIS_BUILD.main], {
    stdio: ["ignore", log, "inherit"],
    env: {
      ...process.env,
      ...serverEnvironment(port, config.dataDir),
      DATABASE_URL: config.databaseUrl ?? "",
      SECRET_KEY: config.secretKey ?? "",
      GLOBAL_API_RATE_LIMIT_ENABLE: "false",
      ...environment,
    },
  });
  await waitUntilReady(port, child, START_LIMIT_MS);
  return {
    name: "turnpike",
    version: THIS_BUILD.name,
    port,
    headers: { authorization: `Bearer ${keys[0] ?? ""}` },
    keys,
    processId: processIdOf(child),
    stop: () => stopProcess(child),
  };
}

function serverEnvironment(port: number, folder: string): NodeJS.ProcessEnv {
  return {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(port),
    DATA_DIR: folder,
    DATABASE_URL: "",
    REDIS_URL: "",
    ALLOW_PRIVATE_UPSTREAMS: "1",
    SETUP_CODE,
    SHUTDOWN_GRACE_SECONDS: "3",
  };
}

/** Wizard, login, the channels, one token with a quota of its own; returns the token's key. */
async function setUp(origin: string, channels: readonly BenchmarkChannel[]): Promise<string> {
  await post(`${origin}/api/setup`, {
    ...ROOT,
    confirmPassword: ROOT.password,
    SelfUseModeEnabled: false,
    DemoSiteEnabled: false,
    code: SETUP_CODE,
  });
  const login = await post(`${origin}/api/user/login`, ROOT);
  const session = { cookie: cookieOf(login), "new-api-user": "1" };
  for (const channel of channels) await post(`${origin}/api/channel/`, channelFields(channel), session);
  await post(`${origin}/api/token/`, token(), session);
  return readKey(origin, session);
}

function channelFields({ type, baseUrl, model }: BenchmarkChannel): object {
  return { type, name: "benchmark", key: "sk-provider", base_url: baseUrl, models: model, group: "default" };
}

/** Nearly all of the first account's 100,000,000 quota, so that the token's own balance moves with every call. */
function token(): object {
  return {
    name: "benchmark",
    expired_time: -1,
    remain_quota: 90_000_000,
    unlimited_quota: false,
    model_limits_enabled: false,
    model_limits: "",
    allow_ips: "",
    group: "",
  };
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", origin: new URL(url).origin, ...headers },
    body: JSON.stringify(body),
  });
  const { success, message }: { success?: unknown; message?: unknown } = await answer.clone().json();
  if (success !== true) throw new Error(`POST ${url} was refused with ${answer.status}: ${String(message)}`);
  return answer;
}

function cookieOf(login: Response): string {
  return login.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

async function readKey(origin: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`${origin}/api/token/`, { headers });
  const text = await answer.text();
  const key = /"key":"(?:sk-)?([A-Za-z0-9]{48})"/.exec(text)?.[1];
  if (key === undefined) throw new Error(`the token list holds no key: ${text.slice(0, 200)}`);
  return key;
}

/** Sums the ledger without any code of the server, so that the check cannot repeat a fault of the ledger. */
function readLedger(file: string): LedgerTotals {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const charges = integer(database, "SELECT count(*) AS value FROM ledger WHERE kind = 'charge'");
    const userDrift = integer(
      database,
      "SELECT (SELECT sum(quota) FROM users) - (SELECT sum(quota_delta) FROM ledger) AS value",
    );
    const tokenDrift = integer(
      database,
      "SELECT (SELECT sum(remain_quota) FROM tokens) - (SELECT sum(token_quota_delta) FROM ledger) AS value",
    );
    return { charges, balanced: userDrift === 0 && tokenDrift === 0 };
  } finally {
    database.close();
  }
}

function integer(database: DatabaseSync, statement: string): number {
  return Number(database.prepare(statement).get()?.["value"]);
}
