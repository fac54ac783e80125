/** `turnpike backup`, `verify`, `restore` and `copy`: data that is safe, and that can move between engines. */
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readArchive, readHead, writeArchive } from "../archive/file.ts";
import { headOf, migrationOf } from "../archive/head.ts";
import { loadRows } from "../archive/load.ts";
import { placeOf } from "../archive/places.ts";
import { type Snapshot, type TableRows, openSnapshot } from "../archive/snapshot.ts";
import { PROGRAM } from "../composition/program.ts";
import { type AuditResult, auditDatabase, faultLine } from "../billing/audit.ts";
import type { Config } from "../config.ts";
import { KEY_FILE } from "../db/data-dir.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { opensCheck, secretKeyOf } from "../db/secrets.ts";
import { type Command, type CommandContext, type CommandResult, numberIn, textIn } from "./command.ts";

type Progress = CommandContext["progress"];

/** Characters of a place in a row of the log. */
const MAX_PLACE = 200;
const PROGRESS_EVERY_MS = 2_000;

const counted = (count: number): string => count.toLocaleString("en");

/** Passes pages on, and says now and then how far it is. @param total rows that are to come; undefined where they were not counted */
async function* reported(
  pages: AsyncIterable<TableRows>,
  total: number | undefined,
  progress: Progress,
): AsyncGenerator<TableRows> {
  const startedMs = performance.now();
  let [done, saidMs] = [0, startedMs];
  for await (const page of pages) {
    yield page;
    done += page.rows.length;
    const nowMs = performance.now();
    if (nowMs - saidMs < PROGRESS_EVERY_MS) continue;
    saidMs = nowMs;
    const perSecond = (done * 1000) / (nowMs - startedMs);
    const left = total === undefined ? "" : `, about ${Math.ceil((total - done) / perSecond)} s left`;
    progress(`${page.table.name}: ${counted(done)} rows, ${counted(Math.round(perSecond))} a second${left}`);
  }
}

async function totalOf({ tables, count }: Snapshot): Promise<number> {
  let total = 0;
  for (const { name } of tables) total += await count(name);
  return total;
}

async function withSnapshot<Result>(config: Config, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  const snapshot = await openSnapshot(config);
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

async function withDatabase<Result>(config: Config, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The passphrase is in a file, since command lines can be read by every account of the machine. */
async function passphraseIn(path: string | boolean | undefined): Promise<string | undefined> {
  if (typeof path !== "string") return undefined;
  const passphrase = (await readFile(path, "utf8")).trimEnd();
  if (passphrase.length < 12) throw new Error(`The passphrase in ${path} must have 12 characters or more`);
  return passphrase;
}

const PASSPHRASE: Command["options"] = {
  "passphrase-file": { type: "string", value: "<path>", meaning: "A file whose text encrypts the backup" },
};

/** What a copy of the main database leaves out. */
const leftOut = ({ logDatabaseUrl }: Config): string[] =>
  logDatabaseUrl === undefined
    ? []
    : [
        "The usage log in the database of LOG_DATABASE_URL is not part of it, but for rows that were not delivered yet.",
      ];

async function backUp(config: Config, path: string, passphrase: string | undefined, progress: Progress) {
  const place = placeOf(path, config.s3);
  if ((await place.size()) !== undefined) throw new Error(`${path} is there already, and is not overwritten`);
  return withSnapshot(config, async (snapshot) => {
    const head = await headOf(snapshot, PROGRAM.version);
    const total = await totalOf(snapshot);
    await writeArchive(place, head, reported(snapshot.rows(), total, progress), passphrase);
    const lines = [
      `${counted(total)} rows are in ${path}.`,
      `SECRET_KEY${config.secretKey === undefined ? ` (the file ${KEY_FILE} in DATA_DIR)` : ""} is not: keep it apart, nothing encrypted can be read without it.`,
      ...leftOut(config),
    ];
    return { exitCode: 0, lines, data: { path, rows: total, ...head } };
  });
}

const auditLines = ({ ledgerRows, faults }: AuditResult): string[] => [
  ...faults.map(faultLine),
  faults.length === 0
    ? `The books of its ${counted(ledgerRows)} ledger rows balance.`
    : `The books do NOT balance: ${faults.length} wrong values.`,
];

/** Loads a backup into a database in a folder of its own, and audits that. */
async function verify(config: Config, path: string, passphrase: string | undefined, progress: Progress) {
  const place = placeOf(path, config.s3);
  const { head } = await readHead(place);
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-verify-"));
  try {
    return await withDatabase({ ...config, databaseUrl: undefined, dataDir }, async (database) => {
      const pages = reported(readArchive(place, passphrase), undefined, progress);
      const rows = await loadRows(database, head.migration, pages);
      const result = await auditDatabase(database);
      const first = `${counted(rows)} rows of ${head.created}, written by ${head.program}, can be restored.`;
      const data = { rows, ...head, faults: result.faults };
      return { exitCode: result.faults.length === 0 ? 0 : 1, lines: [first, ...auditLines(result)], data };
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Before anything is loaded: with another key no login and no channel would work. Throws an Error of one line. */
async function refuseOtherKey(config: Config, check: string): Promise<void> {
  const secretKey = await secretKeyOf(config);
  if (secretKey === undefined)
    throw new Error(`SECRET_KEY is needed: that of the backed up system, or its file ${KEY_FILE} in DATA_DIR`);
  if (check !== "" && !opensCheck(secretKey, check))
    throw new Error("SECRET_KEY is not that of the backed up system: nothing was restored");
}

async function loaded(database: Database, migration: number, pages: AsyncIterable<TableRows>, place: string) {
  const rows = await loadRows(database, migration, pages);
  const result = await auditDatabase(database);
  const lines = [`${counted(rows)} rows are in ${place}.`, ...auditLines(result)];
  return { exitCode: result.faults.length === 0 ? 0 : 1, lines, data: { place, rows, faults: result.faults } };
}

async function restore(config: Config, path: string, passphrase: string | undefined, progress: Progress) {
  const place = placeOf(path, config.s3);
  const { head } = await readHead(place);
  await refuseOtherKey(config, head.key_check);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const pages = reported(readArchive(place, passphrase), undefined, progress);
  return withDatabase(config, (database) => loaded(database, head.migration, pages, "the database"));
}

/** Another database by its URL, or the embedded one of another folder. */
function targetOf(config: Config, to: string): Config {
  const isUrl = /^(?:postgres|postgresql|mysql|mariadb):/.test(to);
  const target = isUrl ? { databaseUrl: to } : { databaseUrl: undefined, dataDir: resolve(to) };
  const isSame = isUrl
    ? to === config.databaseUrl
    : config.databaseUrl === undefined && resolve(config.dataDir) === resolve(to);
  if (isSame) throw new Error("--to names the database that is to be copied");
  return { ...config, ...target };
}

/** The embedded database finds its key beside it. */
async function copyKeyFile(config: Config, target: Config): Promise<string[]> {
  const from = join(config.dataDir, KEY_FILE);
  if (config.secretKey !== undefined || !existsSync(from)) return ["Start the other system with the same SECRET_KEY."];
  if (target.databaseUrl !== undefined)
    return [`Start the other system with the text of ${from} as SECRET_KEY: a database of its own needs the variable.`];
  await copyFile(from, join(target.dataDir, KEY_FILE));
  return [`${KEY_FILE} was copied too.`];
}

async function copy(config: Config, to: string, progress: Progress): Promise<CommandResult> {
  const target = targetOf(config, to);
  return withSnapshot(config, async (snapshot) => {
    const migration = await migrationOf(snapshot);
    const pages = reported(snapshot.rows(), await totalOf(snapshot), progress);
    await mkdir(target.dataDir, { recursive: true, mode: 0o700 });
    const place = target.databaseUrl === undefined ? target.dataDir : new URL(target.databaseUrl).host;
    const result = await withDatabase(target, (database) => loaded(database, migration, pages, place));
    return { ...result, lines: [...result.lines, ...leftOut(config), ...(await copyKeyFile(config, target))] };
  });
}

export const BACKUP_COMMANDS: readonly Command[] = [
  {
    name: "backup",
    summary: "Writes every row of the database into one file, while calls go on",
    operands: ["<file>"],
    options: PASSPHRASE,
    examples: [
      ["turnpike backup monday.tpk", "the same file for every engine"],
      ["turnpike backup monday.tpk --passphrase-file pass.txt", "encrypted"],
      ["turnpike backup s3://backups/monday.tpk", "into a bucket, with the key of BACKUP_S3_ACCESS_KEY"],
    ],
    run: async ({ config, progress }, { words: [path = ""], options }) =>
      backUp(config(), path, await passphraseIn(options["passphrase-file"]), progress),
    row: (result) => ({
      code: "backup_made",
      values: { place: textIn(result, "path").slice(0, MAX_PLACE), rows: numberIn(result, "rows") },
    }),
  },
  {
    name: "verify",
    summary: "Restores a backup into a database that is thrown away, and audits its books",
    operands: ["<file>"],
    options: PASSPHRASE,
    examples: [
      ["turnpike verify monday.tpk", "exits 1 where the books do not balance"],
      ["turnpike verify s3://backups/monday.tpk", "reads it from the bucket"],
    ],
    run: async ({ config, progress }, { words: [path = ""], options }) =>
      verify(config(), path, await passphraseIn(options["passphrase-file"]), progress),
    row: "none",
  },
  {
    name: "restore",
    summary: "Fills the empty database of DATABASE_URL or DATA_DIR from a backup of any engine",
    operands: ["<file>"],
    options: PASSPHRASE,
    examples: [
      ["DATA_DIR=new turnpike restore monday.tpk", "with SECRET_KEY, or with secret.key in that folder"],
      ["DATA_DIR=new turnpike restore s3://backups/monday.tpk", "from a bucket"],
    ],
    run: async ({ config, progress }, { words: [path = ""], options }) =>
      restore(config(), path, await passphraseIn(options["passphrase-file"]), progress),
    row: (result) => ({ code: "backup_restored", values: { rows: numberIn(result, "rows") } }),
  },
  {
    name: "copy",
    summary: "Copies the database to another engine or place; stop the server first to take its last calls along",
    operands: ["<place>"],
    options: {},
    examples: [
      ["turnpike copy postgres://turnpike@db/turnpike", "from SQLite to PostgreSQL"],
      ["turnpike copy ./elsewhere", "to the embedded database of another folder"],
    ],
    run: ({ config, progress }, { words: [to = ""] }) => copy(config(), to, progress),
    row: (result) => ({
      code: "database_copied",
      values: { place: textIn(result, "place").slice(0, MAX_PLACE), rows: numberIn(result, "rows") },
    }),
  },
];
