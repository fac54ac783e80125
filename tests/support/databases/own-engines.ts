/** Database and Redis servers of a test's own, which it may kill and freeze without affecting others. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import type { Certificate } from "../systems/certificate.ts";
import { childrenOf, until, watched } from "../systems/processes.ts";

/** A server that can be lost in three ways. */
export interface OwnEngine {
  readonly url: string;
  /** SIGKILL: what was not on the disk is gone. Resolves when it is dead. */
  kill(): Promise<void>;
  /** Starts it again on its data and waits until it answers. */
  start(): Promise<void>;
  /** It keeps its connections and answers none of them. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const versionOf = (folder: string): number => Number(/\/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);

/** Folders that Debian does not put on the path. */
function postgresFolders(): string[] {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).map((version) => join(base, version, "bin")) : [];
  return versions.toSorted((a, b) => versionOf(b) - versionOf(a));
}

/** Path of a program, or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = [
    ...postgresFolders(),
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/sbin",
    "/usr/local/sbin",
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Path of a program. Throws where it is not installed. */
export function programOf(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed here`);
  return path;
}

/** Databases refuse to run as root: the account that their packages make. */
function accountOf(name: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid = "", gid = ""] = line?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

function newFolder(account: { uid?: number; gid?: number }): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-engine-"));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? 0);
  return folder;
}

/** Ids of a process and of all that descend from it. */
function familyOf(pid: number): number[] {
  const family = [pid];
  for (const each of family) family.push(...childrenOf(each));
  return family;
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

/** A zombie without threads counts as ended: its parent may never reap it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z.*^Threads:\s+1$/ms.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false; // it is not in the table any more
  }
}

/** What was killed reads its log again and syncs its files, on a disk that others use too. */
const START_LIMIT_MS = 90_000;

interface EngineParts {
  url: string;
  folder: string;
  launch(): ChildProcess;
  /** Throws while it does not answer. */
  ask(): Promise<unknown>;
}

/** An engine out of its parts; not started yet. */
function engineOf({ url, folder, launch, ask }: EngineParts): OwnEngine {
  let child: ChildProcess | undefined;
  /** Its first process is stopped, so that it starts no others while they are signalled. */
  const family = (): number[] => {
    if (child?.pid === undefined) return [];
    signalAll([child.pid], "SIGSTOP");
    return familyOf(child.pid);
  };
  const kill = async (): Promise<void> => {
    const pids = family();
    signalAll(pids, "SIGKILL");
    await until(() => !pids.some(isRunning), "the end of an engine");
    child = undefined;
  };
  const answers = (): Promise<boolean> =>
    ask().then(
      () => true,
      () => false,
    );
  return {
    url,
    kill,
    start: async () => {
      child = watched(launch());
      await until(answers, `an engine at ${new URL(url).port}`, START_LIMIT_MS);
    },
    freeze: () => signalAll(family(), "SIGSTOP"),
    thaw: () => signalAll(family(), "SIGCONT"),
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL cluster of its own, started. `words` are further ones for initdb and for the server. */
export async function startPostgres(
  words: Partial<Record<"init" | "serve", readonly string[]>> = {},
): Promise<OwnEngine> {
  const account = accountOf("postgres");
  const folder = newFolder(account);
  const data = join(folder, "data");
  const as = { ...account, cwd: folder, env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" } };
  const init = ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", ...(words.init ?? [])];
  execFileSync(programOf("initdb"), init, { ...as, stdio: "ignore" });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [
    "-D",
    data,
    "-p",
    String(port),
    "-k",
    folder,
    "-c",
    "listen_addresses=127.0.0.1",
    ...(words.serve ?? []),
  ];
  const ask = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => undefined); // the query below is rejected with it
    await client.connect();
    await client.query("SELECT 1").finally(() => client.end());
  };
  const launch = (): ChildProcess => spawn(programOf("postgres"), settings, { ...as, stdio: "ignore" });
  const engine = engineOf({ url, folder, launch, ask });
  await engine.start();
  return engine;
}

/** A MariaDB server of its own, started. `words` are further ones for the server. */
export async function startMariadb(words: readonly string[] = []): Promise<OwnEngine> {
  const account = accountOf("mysql");
  const folder = newFolder(account);
  const data = join(folder, "data");
  // A folder for temporary files that its account can write.
  const as = { ...account, cwd: folder, env: { PATH: process.env["PATH"] ?? "", TMPDIR: folder } };
  const install = ["--no-defaults", `--datadir=${data}`, "--auth-root-authentication-method=normal", "--skip-test-db"];
  execFileSync(programOf("mariadb-install-db"), install, { ...as, stdio: "ignore" });
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}/`;
  const settings = [
    "--no-defaults",
    `--datadir=${data}`,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    `--socket=${join(folder, "socket")}`,
    ...words,
  ];
  const ask = async (): Promise<void> => {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 1_000 });
    await connection.query("SELECT 1").finally(() => connection.end());
  };
  const launch = (): ChildProcess => spawn(programOf("mariadbd"), settings, { ...as, stdio: "ignore" });
  const engine = engineOf({ url, folder, launch, ask });
  await engine.start();
  return engine;
}

/** The server takes no user, no time and no memory from the files of its package. */
const CLICKHOUSE_USERS = `<yandex><profiles><default></default></profiles><quotas><default></default></quotas><users><default>
  <password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>`;

interface ClickhousePorts {
  port: number;
  tcpPort: number;
  /** Present where it speaks TLS too, by the files `cert.pem` and `key.pem` of its folder. */
  tlsPort: number | undefined;
}

const tlsSettings = (folder: string, port: number): string =>
  `<https_port>${port}</https_port><openSSL><server><certificateFile>${folder}/cert.pem</certificateFile>
  <privateKeyFile>${folder}/key.pem</privateKeyFile><verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile>
  <cacheSessions>true</cacheSessions><disableProtocols>sslv2,sslv3</disableProtocols></server></openSSL>`;

const clickhouseSettings = (folder: string, { port, tcpPort, tlsPort }: ClickhousePorts): string =>
  `<yandex>${tlsPort === undefined ? "" : tlsSettings(folder, tlsPort)}<logger><level>error</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port><tcp_port>${tcpPort}</tcp_port><path>${folder}/data/</path><tmp_path>${folder}/scratch/</tmp_path>
  <users_config>${folder}/users.xml</users_config><default_profile>default</default_profile>
  <default_database>default</default_database><mark_cache_size>67108864</mark_cache_size></yandex>`;

/** A ClickHouse that speaks TLS beside its plain interface, which `url` names. */
export interface TlsEngine extends OwnEngine {
  tlsPort: number;
}

/** A ClickHouse server of its own, started. */
export const startClickhouse = (): Promise<OwnEngine> => startClickhouseWith(undefined);

/** The same, with this certificate at another port. */
export async function startTlsClickhouse(certificate: Certificate): Promise<TlsEngine> {
  const tlsPort = await freePort();
  return { ...(await startClickhouseWith({ ...certificate, tlsPort })), tlsPort };
}

async function startClickhouseWith(tls: (Certificate & { tlsPort: number }) | undefined): Promise<OwnEngine> {
  const folder = newFolder({});
  const [port, tcpPort] = [await freePort(), await freePort()];
  if (tls !== undefined) {
    writeFileSync(join(folder, "cert.pem"), tls.cert);
    writeFileSync(join(folder, "key.pem"), tls.key, { mode: 0o600 });
  }
  const url = `clickhouse://default@127.0.0.1:${port}/default`;
  const settings = join(folder, "config.xml");
  writeFileSync(settings, clickhouseSettings(folder, { port, tcpPort, tlsPort: tls?.tlsPort }));
  writeFileSync(join(folder, "users.xml"), CLICKHOUSE_USERS);
  const ask = async (): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}/ping`, { signal: AbortSignal.timeout(1_000) });
    if (!answer.ok) throw new Error("it does not answer yet");
  };
  const launch = (): ChildProcess =>
    spawn(programOf("clickhouse-server"), [`--config-file=${settings}`], { cwd: folder, stdio: "ignore" });
  const engine = engineOf({ url, folder, launch, ask });
  await engine.start();
  return engine;
}

/** A Redis server of its own, started. */
export async function startRedis(): Promise<OwnEngine> {
  const folder = newFolder({});
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const ask = async (): Promise<void> => {
    const client = new Redis(url, { lazyConnect: true, connectTimeout: 1_000, retryStrategy: () => null });
    client.on("error", () => undefined); // the failed command below says it
    try {
      await client.connect();
      await client.ping();
    } finally {
      client.disconnect();
    }
  };
  const launch = (): ChildProcess => spawn(programOf("redis-server"), settings, { cwd: folder, stdio: "ignore" });
  const engine = engineOf({ url, folder, launch, ask });
  await engine.start();
  return engine;
}

/** Whether an engine or proxy can be started here; with REQUIRE_ALL=1 its absence is an error. */
export function canStart(
  name: "postgres" | "mariadbd" | "clickhouse-server" | "redis-server" | "nginx" | "caddy",
): boolean {
  if (findProgram(name) !== undefined) return true;
  if (process.env["REQUIRE_ALL"] === "1") throw new Error(`REQUIRE_ALL=1, but ${name} is not installed`);
  console.log(`skipped: no ${name} here to start and to lose`);
  return false;
}
