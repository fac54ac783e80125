/** `turnpike import`: another gateway's users, tokens, channels, settings and balances into this system's database. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { auditDatabase, faultLine } from "../billing/audit.ts";
import type { Config } from "../config.ts";
import { restrictDataDir, sqliteFile } from "../db/data-dir.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { withLogsOf } from "../db/log-database.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { MIGRATIONS, migrate, pendingSteps } from "../db/migrations/migrate.ts";
import { openSecrets, refuseSecretKey } from "../db/secrets.ts";
import { readAddress } from "../import/address.ts";
import type { LitellmWords } from "../import/litellm/stage.ts";
import { type LogRange, readLogDays } from "../import/logs.ts";
import { type ImportResult, runImport } from "../import/run.ts";
import { openSource, type Source } from "../import/source.ts";
import { type Timing, Timings } from "../import/report.ts";
import { originOf, recognise } from "../import/systems.ts";
import { providerRegistry } from "../providers/registry.ts";
import { clock } from "../composition/parts.ts";
import { withSecretFiles } from "../util/secret-files.ts";
import { toSeconds } from "../util/clock.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";

const ALL_STEPS = MIGRATIONS.reduce((count, { steps }) => count + steps.length, 0);

/** A database without accounts gets its schema; another one is not migrated by the way. Throws an Error of one line. */
async function prepare(database: Database): Promise<void> {
  const pending = await pendingSteps(database);
  if (pending.length === 0) return;
  // Fewer are left where an import was killed while it made the schema.
  const isEmpty =
    pending.length === ALL_STEPS ||
    (await database.kysely.selectFrom("users").select("id").limit(1).execute()).length === 0;
  if (isEmpty) await migrate(database);
  else throw new Error(`The database lacks ${pending.length} steps to this version: run \`turnpike migrate\` first`);
}

async function withDatabase<Result>(config: Config, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Whether there is nothing yet where the rows would go; looks without making anything. */
async function isUntouched(config: Config): Promise<boolean> {
  if (config.databaseUrl === undefined) return !existsSync(sqliteFile(config.dataDir));
  return withDatabase(config, async (database) => (await pendingSteps(database)).length === ALL_STEPS);
}

/** A dry run before the first start compares with an empty database that is thrown away. */
async function withScratch<Result>(config: Config, work: (scratch: Config) => Promise<Result>): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-import-"));
  try {
    return await work({ ...config, databaseUrl: undefined, logDatabaseUrl: undefined, dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Asked {
  address: string;
  /** Where the usage log is in a database of its own; undefined where it is in the source. */
  logAddress: string | undefined;
  isDryRun: boolean;
  /** Days of the usage log that come over. */
  logs: LogRange | undefined;
  litellm: LitellmWords;
}

const sumLines = ({ sums }: ImportResult, isDryRun: boolean): string[] => [
  isDryRun ? "Sums that would be posted:" : "Sums, there and here:",
  ...sums.map(({ column, there, here, rows, isEqual }) =>
    isDryRun
      ? `  ${column}: ${there} in ${rows.there} rows`
      : `  ${column}: ${there} there, ${here} here (${rows.there} and ${rows.here} rows)${isEqual ? "" : "  DIFFERENT"}`,
  ),
];

const headLine = ({ system, atLeast }: ImportResult, place: string): string =>
  `${system}${atLeast === "" ? "" : ` ${atLeast} or later`} at ${place}`;

/** The proof: sums are equal, and the books balance. */
async function proven(
  database: Database,
  result: ImportResult,
  { place, timings }: { place: string; timings: readonly Timing[] },
): Promise<CommandResult> {
  const { ledgerRows, faults } = await auditDatabase(database);
  const isEqual = result.sums.every((sum) => sum.isEqual);
  const { lines, ...data } = result;
  return {
    exitCode: isEqual && faults.length === 0 ? 0 : 1,
    lines: [
      headLine(result, place),
      ...lines,
      ...sumLines(result, false),
      ...faults.map(faultLine),
      faults.length === 0 ? `The books of ${ledgerRows} ledger rows balance.` : "The books do NOT balance.",
    ],
    data: { dry_run: false, place, ...data, faults, timings },
  };
}

/** Opens both as they are now: the log first, so that every row of it names what the other one has. */
async function withSources<Result>(
  { address, logAddress }: Pick<Asked, "address" | "logAddress">,
  work: (source: Source, log: Source | undefined) => Promise<Result>,
): Promise<Result> {
  const log = logAddress === undefined ? undefined : await openSource(readAddress(logAddress));
  try {
    const source = await openSource(readAddress(address));
    try {
      return await work(source, log);
    } finally {
      await source.close();
    }
  } finally {
    await log?.close();
  }
}

/** Fills the database that the configuration names, or says what would come. Throws an Error of one line. */
function importInto(config: Config, asked: Asked, progress: CommandContext["progress"]): Promise<CommandResult> {
  const address = readAddress(asked.address);
  return withSources(asked, (source, logSource) =>
    withDatabase(config, async (main) => {
      await prepare(main);
      return withLogsOf(config, main, async (database) => {
        const { system } = recognise(source);
        const target = {
          database,
          secrets: await openSecrets(config, keyValueStore(database)),
          origin: originOf(system, address),
          now: toSeconds(clock()),
          isDryRun: asked.isDryRun,
        };
        const { place } = address;
        const { logs, litellm, logAddress } = asked;
        const log =
          logSource === undefined || logAddress === undefined
            ? undefined
            : { source: logSource, origin: originOf(system, readAddress(logAddress)) };
        const providers = providerRegistry();
        const timings = new Timings();
        const result = await runImport({ source, target, providers, logs, log, litellm, timings, place, progress });
        if (!asked.isDryRun)
          return timings.of("audit", () => proven(database, result, { place, timings: timings.list }));
        const { lines, ...data } = result;
        return {
          exitCode: 0,
          lines: [headLine(result, place), "Nothing was written.", ...lines, ...sumLines(result, true)],
          data: { dry_run: true, place, ...data, timings: timings.list },
        };
      });
    }),
  );
}

/**
 * How much the heap may grow, in percent of what is in use, before it is cleared. What a page leaves behind is large and of no use: V8 alone lets three times as much
 * gather as is in use.
 */
const HEAP_GROWTH_PERCENT = 40;

async function runCommand(config: Config, asked: Asked, progress: CommandContext["progress"]): Promise<CommandResult> {
  refuseSecretKey(config);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  if (asked.isDryRun && (await isUntouched(config)))
    return withScratch(config, (scratch) => importInto(scratch, asked, progress));
  // Before anything is made: an address that cannot be read leaves no folder behind.
  for (const address of [asked.address, asked.logAddress]) if (address !== undefined) readAddress(address);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await restrictDataDir(config.dataDir);
  return importInto(config, asked, progress);
}

const MAX_ADDRESS_CHARACTERS = 4_096;

/**
 * The addresses of source and log. `-` stands for a line of standard input, the first that is left, since command lines can be read by every account
 * of the machine.
 */
async function addressesOf(words: readonly (string | undefined)[]): Promise<(string | undefined)[]> {
  const isAsked = words.includes("-");
  const lines = isAsked ? (await text(process.stdin)).slice(0, words.length * MAX_ADDRESS_CHARACTERS).split("\n") : [];
  const left = lines.map((line) => line.trim()).filter((line) => line !== "");
  return words.map((word) => (word === "-" ? (left.shift() ?? "") : word));
}

const daysOf = (words: string | boolean | undefined): LogRange | undefined =>
  typeof words === "string" ? readLogDays(words) : undefined;

/** Of LiteLLM: variables of its own process, of which the first seals what its database holds where it is set there. */
const LITELLM_KEYS = ["LITELLM_SALT_KEY", "LITELLM_MASTER_KEY"] as const;

/** What is said of a LiteLLM. Throws an Error of one line. */
function litellmWords(env: NodeJS.ProcessEnv, balance: string | boolean | undefined): LitellmWords {
  const set = withSecretFiles(env, new Set(LITELLM_KEYS));
  const [saltKey] = LITELLM_KEYS.flatMap((name) => set[name] ?? []);
  return { saltKey, ...(typeof balance === "string" ? { balance } : {}) };
}

export const IMPORT_COMMAND: Command = {
  name: "import",
  summary: "Brings another gateway's users, tokens, channels, settings and balances; run again, what is new there",
  operands: ["<source>"],
  options: {
    "dry-run": { type: "boolean", meaning: "Writes nothing; says what would come, what would not, and the sums" },
    logs: {
      type: "string",
      value: "<from>..<to>",
      meaning: "Brings the usage log of these days too (UTC), as history without money",
    },
    "log-source": {
      type: "string",
      value: "<source>",
      meaning: "Where --logs reads: the usage log's own database (LOG_SQL_DSN there), named as the source is",
    },
    balance: {
      type: "string",
      value: "<dollars>",
      meaning: "Of a LiteLLM: what an account gets that neither a budget nor limited keys bound there (0)",
    },
  },
  examples: [
    [
      "turnpike import /data/one-api.db --dry-run",
      "what would come of the SQLite file of one-api, new-api or a fork of them",
    ],
    ["turnpike import 'root:pass@tcp(db:3306)/oneapi'", "the SQL_DSN as it stands in the compose file"],
    ["turnpike import /data/one-api.db --logs 2026-10-01..2026-10-31", "with the usage log of a month"],
    [
      "turnpike import - --logs 2026-10-01 --log-source - < addresses.txt",
      "a log in a database of its own; both addresses from a file, a line each",
    ],
    [
      "turnpike import postgres://user:pass@db/litellm --balance 10",
      "a LiteLLM; LITELLM_SALT_KEY or LITELLM_SALT_KEY_FILE opens the keys of its deployments",
    ],
    ["turnpike import - < address.txt", "the address from a file, out of sight of other accounts"],
  ],
  run: async ({ env, config, progress }, { words: [word = ""], options }) => {
    const logs = daysOf(options["logs"]);
    const logWord = options["log-source"];
    if (typeof logWord === "string" && logs === undefined)
      throw new Error("--log-source says where the days of --logs are: name them too");
    const [address = "", logAddress] = await addressesOf([word, typeof logWord === "string" ? logWord : undefined]);
    const isDryRun = options["dry-run"] === true;
    const litellm = litellmWords(env, options["balance"]);
    return runCommand(config(), { address, logAddress, isDryRun, logs, litellm }, progress);
  },
  row: "own",
};
