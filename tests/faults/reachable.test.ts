/**
 * Fault: probes of supervisors are answered, and whatever prevents the start is one line that says what to do. The program prints the message that
 * its start throws; here it runs once for each place where that happens, and the other reasons are started in this process.
 */
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startApp } from "../../server/src/app.ts";
import { readConfig } from "../../server/src/config.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type TestPlace, createTestPlace, enginesHere } from "../support/databases/databases.ts";
import { childrenOf, type ServerProcess, runServerToItsEnd, startServer, until } from "../support/systems/processes.ts";

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  server = await startServer({ DATA_DIR: folder });
});

afterAll(async () => {
  await server.end();
  await rm(folder, { recursive: true, force: true });
});

type Environment = Readonly<Record<string, string>>;

/** A run of the program that must fail: gives its one line, beside which the log has none. */
async function refusalOfProgram(env: Environment): Promise<string> {
  const { code, output } = await runServerToItsEnd({ LOG_LEVEL: "info", ...env });
  const lines = output.trimEnd().split("\n");
  expect({ code, lines }).toEqual({ code: 1, lines: [lines[0]] });
  return lines[0] ?? "";
}

/** A server in this process, with a log into `lines`. */
const start = (env: Environment, lines: string[] = []) => {
  const logger = createLogger({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
  return startApp(readConfig({ PORT: "0", ...env }), { logger });
};

/** A start that must fail: gives the one line that the program would print, beside which the log has none. */
async function refusalOf(env: Environment): Promise<string> {
  const lines: string[] = [];
  const message = await start(env, lines).then(
    (app) => app.close().then(() => "it started"),
    (error: Error) => error.message,
  );
  expect(lines).toEqual([]);
  expect(message.split("\n")).toHaveLength(1);
  return message;
}

/** A folder in which a server ran once. */
async function usedFolder(env: Environment = {}): Promise<string> {
  const used = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  await (await start({ DATA_DIR: used, ...env })).close();
  return used;
}

const text = async (path: string): Promise<[number, string]> => {
  const answer = await fetch(server.url + path);
  return [answer.status, await answer.text()];
};

test("/livez and /readyz say ok", async () => {
  expect(await text("/livez")).toEqual([200, "ok"]);
  expect(await text("/readyz")).toEqual([200, "ok"]);
});

test("a second start on the embedded database of a running server is refused", async () => {
  expect(await refusalOfProgram({ DATA_DIR: folder })).toMatch(/another process/i);
  expect(await text("/readyz")).toEqual([200, "ok"]);
});

/** Runs `work` while a port of this machine is taken. */
async function withTakenPort(work: (port: string) => Promise<void>): Promise<void> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", () => resolve()));
  const { port } = taken.address() as AddressInfo; // it listens on TCP
  await work(String(port)).finally(() => new Promise((resolve) => taken.close(resolve)));
}

const inUse = (variable: string, port: string): string =>
  `${variable} ${port} is in use on 127.0.0.1: stop what listens there, or set ${variable} to a free port`;

test.each([
  ["PORT", refusalOfProgram],
  ["METRICS_PORT", refusalOf],
])("a %s in use is named, with what to do", async (variable, refusal) => {
  const own = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  await withTakenPort(async (port) => {
    expect(await refusal({ DATA_DIR: own, [variable]: port })).toBe(inUse(variable, port));
  });
  await rm(own, { recursive: true });
});

test.each([
  [{ HOST: "192.0.2.1" }, /^HOST 192\.0\.2\.1 is no address of this machine: set HOST to /],
  [{ SECRET_KEY: "short" }, /^SECRET_KEY must be at least/],
  [{ HOST: "no-such-host.invalid" }, /^HOST no-such-host\.invalid (is no address of this machine|with PORT)/],
])("%j is refused with its own line", async (env, line) => {
  const own = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  expect(await refusalOf({ DATA_DIR: own, ...env })).toMatch(line);
  await rm(own, { recursive: true });
});

test("a DATA_DIR that is a file is named", async () => {
  const own = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  const file = join(own, "file");
  await writeFile(file, "");
  expect(await refusalOf({ DATA_DIR: file })).toContain(
    `DATA_DIR ${file} must be a folder that this account can write`,
  );
  await rm(own, { recursive: true });
});

test("another SECRET_KEY than the database was encrypted with is refused", async () => {
  const used = await usedFolder({ SECRET_KEY: "one-key-7f3a91c0d2e84b56a1f09c3d" });
  expect(await refusalOf({ DATA_DIR: used, SECRET_KEY: "two-key-7f3a91c0d2e84b56a1f09c3d" })).toBe(
    "SECRET_KEY is not the key this database was encrypted with",
  );
  await rm(used, { recursive: true });
});

test("a lost key file is named and not made anew", async () => {
  const used = await usedFolder();
  await rm(join(used, "secret.key"));
  expect(await refusalOf({ DATA_DIR: used })).toMatch(/secret\.key is missing/);
  await rm(used, { recursive: true });
});

test("a database newer than the program is refused", async () => {
  const used = await usedFolder();
  const database = new DatabaseSync(join(used, "turnpike.db"));
  const set = database.prepare("UPDATE facts SET value = ? WHERE name = ?");
  for (const [value, name] of [
    ["99.0", "schema"],
    ["99", "schema_minimum"],
  ] as const)
    expect(set.run(value, name).changes).toBe(1);
  database.close();
  expect(await refusalOf({ DATA_DIR: used })).toMatch(/^This database was written by a newer version/);
  await rm(used, { recursive: true });
});

test("a variable that cannot be read is refused by the program with its own line", async () => {
  expect(await refusalOfProgram({ DATA_DIR: folder, PORT: "many" })).toMatch(/^PORT must be a whole number/);
});

test.each([
  [{ DATABASE_URL: "oracle://localhost/x" }, /^DATABASE_URL must be a URL/],
  [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL must be one of/],
  [{ TRUSTED_PROXIES: "everybody" }, /^TRUSTED_PROXIES must be addresses/],
  [{ WORKERS: "2" }, /^WORKERS above 1 needs DATABASE_URL/],
])("%j is refused with its own line", (env, line) => {
  expect(() => readConfig({ DATA_DIR: folder, ...env })).toThrow(line);
});

const environmentOf = ({ config }: TestPlace): Record<string, string> => ({
  DATABASE_URL: config.databaseUrl ?? "",
  SECRET_KEY: config.secretKey ?? "",
  DATA_DIR: config.dataDir,
});

const hasPostgres = (await enginesHere()).includes("postgres");

test.skipIf(!hasPostgres)("several workers say once that their port is in use", async () => {
  const place = await createTestPlace("postgres");
  await withTakenPort(async (port) => {
    const env = { ...environmentOf(place), WORKERS: "2", PORT: port };
    expect(await refusalOfProgram(env)).toBe(inUse("PORT", port));
  });
  await place.remove();
});

test.skipIf(!hasPostgres)("a start without SECRET_KEY writes nothing into the database it is refused for", async () => {
  const place = await createTestPlace("postgres", { isEmpty: true });
  expect(await refusalOf({ ...environmentOf(place), SECRET_KEY: "" })).toMatch(
    /^SECRET_KEY is required with DATABASE_URL/,
  );
  const client = new pg.Client({ connectionString: place.config.databaseUrl });
  await client.connect();
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  await client.end();
  expect(rows).toEqual([]);
  await place.remove();
});

test.skipIf(!hasPostgres)(
  "of two workers one is killed: the port keeps answering, another takes its place, SIGTERM ends all",
  async () => {
    const place = await createTestPlace("postgres");
    const several = await startServer({ ...environmentOf(place), WORKERS: "2" });
    const workers = childrenOf(several.pid);
    expect(workers).toHaveLength(2);
    const [killed = 0] = workers;
    process.kill(killed, "SIGKILL");
    await until(() => several.output().includes("another one takes its place"), "the loss to be reported");
    for (let count = 0; count < 20; count += 1) expect((await fetch(`${several.url}/livez`)).status).toBe(200);
    await until(() => childrenOf(several.pid).length === 2, "another worker");
    expect(await several.end()).toEqual({ code: 0, signal: null });
    expect(childrenOf(several.pid)).toEqual([]);
    await place.remove();
  },
);
