/**
 * An import of a large new-api in numbers: `node tools/run.mjs --development tools/import-size.ts [sqlite | postgres] [users] [tokens] [log rows]`. Fills a source, imports it by
 * the command line into the same engine, and prints rows a second, processor seconds and the largest memory; exits 1 where sums differ or the memory
 * is above 500 MB. `npm run test:long -- import` takes a million users, three million tokens and ten million rows.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { engines, createTestPlace } from "../tests/support/databases/databases.ts";
import { makeOldGateway, NEW_API, type OldGateway } from "../tests/support/old-systems/old-gateway.ts";

type SizedEngine = "sqlite" | "postgres";

const [engineWord = "sqlite", ...sizes] = process.argv.slice(2);
const isLong = process.env["TEST_FORM"] === "long";
const [users = isLong ? 1_000_000 : 20_000, tokens = isLong ? 3_000_000 : 60_000, logs = isLong ? 10_000_000 : 20_000] =
  sizes.map(Number);
const MEMORY_LIMIT_KB = 500_000;
const engine = engineWord as SizedEngine;
if (
  !["sqlite", "postgres"].includes(engine) ||
  ![users, tokens, logs].every((size) => Number.isSafeInteger(size) && size > 0)
) {
  console.error("node tools/import-size.ts [sqlite | postgres] [users] [tokens] [log rows]");
  process.exit(2);
}

const LOG_COLUMNS = `id:id user_id created_at type content:string username:string token_name:string model_name:string quota
  prompt_tokens completion_tokens use_time is_stream:bool channel_id token_id group:string other:string`;

/** A table of whole numbers from 1. */
const numbers = (count: number): string =>
  engine === "postgres"
    ? `generate_series(1, ${count}) AS s(n)`
    : `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`;

const HASH = "$2a$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234";
const no = engine === "postgres" ? "false" : "0";

function statements(): string[] {
  return [
    `INSERT INTO users (id, username, password, display_name, role, status, email, quota, used_quota, request_count, "group", aff_code, inviter_id, created_at)
      SELECT n, 'user' || n, '${HASH}', 'User ' || n, CASE n WHEN 1 THEN 100 ELSE 1 END, 1, 'user' || n || '@example.com',
        500000 + n, n, n % 100, 'default', 'a' || n, 0, 1700000000 + n FROM ${numbers(users)}`,
    `INSERT INTO tokens (id, user_id, key, status, name, created_time, accessed_time, expired_time, remain_quota, unlimited_quota,
      model_limits_enabled, used_quota, "group") SELECT n, 1 + n % ${users}, 'k' || (1000000000 + n) || 'abcdefghijklmnopqrstuvwxyz01234567890', 1,
      'token ' || n, 1700000000, 1700000100, -1, 100000 + n, ${no}, ${no}, n % 1000, '' FROM ${numbers(tokens)}`,
    `INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens, use_time,
      is_stream, channel_id, token_id, "group", other) SELECT n, 1 + n % ${users}, 1700000000 + n / 10, 2, '', 'user', 'token', 'gpt-4o', 100, 50, 60, 3,
      ${no}, 0, 1 + n % ${tokens}, 'default', '{"model_ratio":1.25,"frt":350,"group_ratio":1}' FROM ${numbers(logs)}`,
  ];
}

interface Usage {
  seconds: number;
  /** Of the command, and of the database server beside it. */
  cpuSeconds: number;
  serverSeconds: number;
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

/** Processes of a local PostgreSQL that serve one of these databases. */
function serversOf(names: readonly string[]): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return line.startsWith("postgres: ") && names.some((name) => line.includes(name));
    } catch {
      return false; // It has ended.
    }
  });
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
  const served = new Map<string, number>();
  const names = [...words, ...Object.values(env)].flatMap((word) => /^postgres:.*\/(\w+)$/.exec(word)?.[1] ?? []);
  const look = (): void => {
    cpuSeconds = processorSeconds(child.pid ?? 0) ?? cpuSeconds;
    if (names.length > 0)
      for (const pid of serversOf(names)) served.set(pid, processorSeconds(pid) ?? served.get(pid) ?? 0);
    const status = existsSync(`/proc/${child.pid}/status`) ? readFileSync(`/proc/${child.pid}/status`, "utf8") : "";
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  };
  const timer = setInterval(look, 200);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      clearInterval(timer);
      const serverSeconds = [...served.values()].reduce((sum, each) => sum + each, 0);
      resolve({
        seconds: (performance.now() - startedMs) / 1000,
        cpuSeconds,
        serverSeconds,
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
    const { seconds, cpuSeconds, serverSeconds, peakKb, out } = await measured(
      ["import", old.address, "--logs", "2023-01-01", "--json"],
      env,
    );
    const { sums, faults, tables } = JSON.parse(out) as Outcome;
    const brought = ["users", "tokens", "logs"].reduce((sum, table) => sum + (tables[table]?.brought ?? 0), 0);
    const isWhole = brought === users + tokens + logs && sums.every(({ isEqual }) => isEqual) && faults.length === 0;
    console.log(
      `import ${engine}: ${brought} rows in ${seconds.toFixed(1)} s, ${Math.round(brought / seconds)} a second, ${cpuSeconds.toFixed(1)} processor seconds and ${serverSeconds.toFixed(1)} of the server, ` +
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
