/**
 * An import of a large new-api in numbers: `node tools/run.mjs --development tools/import-size.ts [sqlite | postgres | mysql] [users] [tokens] [log rows]`. Fills a source, imports it by
 * the command line into the same engine, and prints rows a second, processor seconds and the largest memory; exits 1 where sums differ or the memory
 * is above 500 MB. The owners of tokens and the callers of the log are scattered, as they are in a gateway with many users. `npm run test:long -- import` takes a million users, three million tokens and ten million rows.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import type { Engine } from "../server/src/db/database.ts";
import { quoteName } from "../server/src/db/migrations/columns.ts";
import { engines, createTestPlace } from "../tests/support/databases/databases.ts";
import { makeOldGateway, NEW_API, numbersTo, type OldGateway } from "../tests/support/old-systems/old-gateway.ts";

const [engineWord = "sqlite", ...sizes] = process.argv.slice(2);
const isLong = process.env["TEST_FORM"] === "long";
const [users = isLong ? 1_000_000 : 20_000, tokens = isLong ? 3_000_000 : 60_000, logs = isLong ? 10_000_000 : 20_000] =
  sizes.map(Number);
const MEMORY_LIMIT_KB = 500_000;
const engine = engineWord as Engine;
if (
  !["sqlite", "postgres", "mysql"].includes(engine) ||
  ![users, tokens, logs].every((size) => Number.isSafeInteger(size) && size > 0)
) {
  console.error("node tools/import-size.ts [sqlite | postgres | mysql] [users] [tokens] [log rows]");
  process.exit(2);
}

const LOG_COLUMNS = `id:id user_id created_at type content:string username:string token_name:string model_name:string quota
  prompt_tokens completion_tokens use_time is_stream:bool channel_id token_id group:string other:string`;

const numbers = (count: number): string => numbersTo(engine, count);

const HASH = "$2a$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234";
const no = engine === "postgres" ? "false" : "0";
const name = (column: string): string => quoteName(engine, column);
const joined = (...parts: readonly string[]): string =>
  engine === "mysql" ? `CONCAT(${parts.join(", ")})` : parts.join(" || ");
/** A whole number below `count` that looks like any. */
const scattered = (n: string, count: number): string => `(${n} * 48271 % ${count})`;
const wholePart = engine === "mysql" ? "n DIV 10" : "n / 10";

function statements(): string[] {
  return [
    `INSERT INTO users (id, username, password, display_name, role, status, email, quota, used_quota, request_count, ${name("group")}, aff_code, inviter_id, created_at)
      SELECT n, ${joined("'user'", "n")}, '${HASH}', ${joined("'User '", "n")}, CASE n WHEN 1 THEN 100 ELSE 1 END, 1, ${joined("'user'", "n", "'@example.com'")},
        500000 + n, n, n % 100, 'default', ${joined("'a'", "n")}, 0, 1700000000 + n FROM ${numbers(users)}`,
    `INSERT INTO tokens (id, user_id, ${name("key")}, status, name, created_time, accessed_time, expired_time, remain_quota, unlimited_quota,
      model_limits_enabled, used_quota, ${name("group")}) SELECT n, 1 + ${scattered("n", users)}, ${joined("'k'", "(1000000000 + n)", "'abcdefghijklmnopqrstuvwxyz01234567890'")}, 1,
      ${joined("'token '", "n")}, 1700000000, 1700000100, -1, 100000 + n, ${no}, ${no}, n % 1000, '' FROM ${numbers(tokens)}`,
    `INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens, use_time,
      is_stream, channel_id, token_id, ${name("group")}, other) SELECT n, 1 + ${scattered(`(1 + ${scattered("n", tokens)})`, users)}, 1700000000 + ${wholePart}, 2, '', 'user', 'token', 'gpt-4o', 100, 50, 60, 3,
      ${no}, 0, 1 + ${scattered("n", tokens)}, 'default', '{"model_ratio":1.25,"frt":350,"group_ratio":1}' FROM ${numbers(logs)}`,
  ];
}

/** Processor seconds of the database's server so far, at a moment. */
interface Sample {
  ms: number;
  seconds: number;
}

interface Usage {
  seconds: number;
  /** Of the command, and of the database server beside it. */
  cpuSeconds: number;
  server: readonly Sample[];
  peakKb: number;
  out: string;
}

const TICKS_PER_SECOND = 100;

/** Processor seconds of a process by its number; undefined where it has ended. */
function processorSeconds(pid: number | string): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined;
    throw error;
  }
}

/** Processes of a local PostgreSQL that serve one of these databases, and of a local MariaDB or MySQL, which serves all by one. */
function serversOf(names: readonly string[]): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return engine === "mysql"
        ? /^\S*\b(?:mariadbd|mysqld)\b/.test(line)
        : line.startsWith("postgres: ") && names.some((each) => line.includes(each));
    } catch {
      return false; // It has ended.
    }
  });
}

/** Adds up what the processes of a server used since it was made. */
class ServerClock {
  readonly #names: readonly string[];
  readonly #first = new Map<string, number>();
  readonly #last = new Map<string, number>();

  constructor(names: readonly string[]) {
    this.#names = names;
    this.look();
  }

  look(): Sample {
    for (const pid of engine === "sqlite" ? [] : serversOf(this.#names)) {
      const seconds = processorSeconds(pid);
      if (seconds === undefined) continue;
      if (!this.#first.has(pid)) this.#first.set(pid, engine === "mysql" ? seconds : 0);
      this.#last.set(pid, seconds);
    }
    let seconds = 0;
    for (const [pid, last] of this.#last) seconds += last - (this.#first.get(pid) ?? 0);
    return { ms: Date.now(), seconds };
  }
}

/** Looks at a process until it ends. */
function measured(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Usage> {
  const startedMs = performance.now();
  const flags =
    process.env["IMPORT_PROFILE"] === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${process.env["IMPORT_PROFILE"]}`];
  const child = spawn(process.execPath, [...flags, "server/src/command-line/main.ts", ...words], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pieces: string[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece.toString()));
  let [cpuSeconds, peakKb] = [0, 0];
  const names = [...words, ...Object.values(env)].flatMap((word) => /^postgres:.*\/(\w+)$/.exec(word)?.[1] ?? []);
  const clock = new ServerClock(names);
  const server: Sample[] = [];
  const look = (): void => {
    cpuSeconds = processorSeconds(child.pid ?? 0) ?? cpuSeconds;
    server.push(clock.look());
    const status = existsSync(`/proc/${child.pid}/status`) ? readFileSync(`/proc/${child.pid}/status`, "utf8") : "";
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  };
  const timer = setInterval(look, 200);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      clearInterval(timer);
      resolve({
        seconds: (performance.now() - startedMs) / 1000,
        cpuSeconds,
        server,
        peakKb,
        out: pieces.join(""),
      });
    });
  });
}

interface Outcome {
  sums: { isEqual: boolean }[];
  faults: unknown[];
  tables: Record<string, { brought: number }>;
  timings: { part: string; began_ms: number; ended_ms: number; processor_seconds: number }[];
}

/** A line for each part of the import that took long enough to be seen. */
function partLines({ timings, tables }: Outcome, server: readonly Sample[]): string[] {
  const usedBy = (ms: number): number => server.findLast((sample) => sample.ms <= ms)?.seconds ?? 0;
  return timings.flatMap(({ part, began_ms, ended_ms, processor_seconds: own }) => {
    const [seconds, rows] = [(ended_ms - began_ms) / 1000, tables[part]?.brought ?? 0];
    if (seconds < 0.05) return [];
    const served = usedBy(ended_ms) - usedBy(began_ms);
    const took = `${seconds.toFixed(1)} s, ${own.toFixed(1)} processor seconds and ${served.toFixed(1)} of the server`;
    if (rows === 0) return [`  ${part}: ${took}`];
    const perThousand = (each: number): string => ((1000 * each) / rows).toFixed(3);
    return [
      `  ${part}: ${rows} rows in ${took}, ${Math.round(rows / seconds)} a second; a thousand take ${perThousand(own)} and ${perThousand(served)} processor seconds`,
    ];
  });
}

async function run(old: OldGateway): Promise<boolean> {
  await old.run(...statements());
  const place = await createTestPlace(engine, { isEmpty: true });
  try {
    const env = {
      DATA_DIR: place.config.dataDir,
      SECRET_KEY: place.config.secretKey ?? "",
      ...(place.config.databaseUrl === undefined ? {} : { DATABASE_URL: place.config.databaseUrl }),
    };
    const { seconds, cpuSeconds, server, peakKb, out } = await measured(
      ["import", old.address, "--logs", "2023-01-01", "--json"],
      env,
    );
    const outcome = JSON.parse(out) as Outcome;
    const { sums, faults, tables } = outcome;
    const brought = ["users", "tokens", "logs"].reduce((sum, table) => sum + (tables[table]?.brought ?? 0), 0);
    const isWhole = brought === users + tokens + logs && sums.every(({ isEqual }) => isEqual) && faults.length === 0;
    for (const line of partLines(outcome, server)) console.log(line);
    console.log(
      `import ${engine}: ${brought} rows in ${seconds.toFixed(1)} s, ${Math.round(brought / seconds)} a second, ${cpuSeconds.toFixed(1)} processor seconds and ${(server.at(-1)?.seconds ?? 0).toFixed(1)} of the server, ` +
        `${Math.round(peakKb / 1000)} MB at most, ${isWhole ? "whole and balanced" : "NOT whole"}`,
    );
    return isWhole && peakKb < MEMORY_LIMIT_KB;
  } finally {
    await place.remove();
  }
}

if (!(await engines()).includes(engine)) throw new Error(`There is no ${engine} here`);
const old = await makeOldGateway(engine, { ...NEW_API, logs: LOG_COLUMNS }, {});
try {
  process.exitCode = (await run(old)) ? 0 : 1;
} finally {
  await old.remove();
}
