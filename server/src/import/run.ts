/** One pass of an import: options, users, tokens, channels, codes and orders, in this order, then the proof of the sums. */
import { randomUUID } from "node:crypto";
import { parseOptions } from "../../../contract/src/options/options.ts";
import { recordOperatorAct } from "../console/users/operator-acts.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { momentIn, nameIn, numberIn, quotaIn } from "./cells.ts";
import { openingOfChannel, planChannel } from "./channels.ts";
import { readApps } from "./factors.ts";
import { findGone, type Gone, NOTHING_GONE, switchOffGone } from "./gone.ts";
import { type LitellmWords, stageLitellm } from "./litellm/stage.ts";
import { deferForLoad, withIndexes } from "./indexes.ts";
import { checkLogs, importLogs, type LogRange, type LogSource } from "./logs.ts";
import { buildIndexes } from "../db/deferred-indexes.ts";
import { importOptions } from "./options.ts";
import { openingOfUser, type PeopleContext, planUser, takenHere } from "./people.ts";
import { Report, type ReportData, Timings } from "./report.ts";
import { reported } from "./pages.ts";
import { importSales } from "./sales.ts";
import type { Source } from "./source.ts";
import { type Books, importTable } from "./stage.ts";
import { compareSums, type SumPair, SumsThere } from "./sums.ts";
import { refusalOfToken, type Survey, surveyOf } from "./survey.ts";
import { type KnownSource, type Recognised, recognise } from "./systems.ts";
import { listLeftTables } from "./tables.ts";
import { beginRun, enlargeCache, reserveIds, type Target } from "./target.ts";
import { openingOfToken, planToken, tokenLabel } from "./tokens.ts";

export interface ImportJob {
  source: Source;
  target: Omit<Target, "run">;
  providers: ProviderRegistry;
  /** Days of the usage log that come over; undefined for none. */
  logs?: LogRange | undefined;
  /** The database of the log where it is one of its own, and what names it. */
  log?: { source: Source; origin: string } | undefined;
  /** What is said of a LiteLLM beside its address. */
  litellm?: LitellmWords | undefined;
  /** Notes how long each part takes. */
  timings?: Timings | undefined;
  /** Where the source is, without a password. */
  place: string;
  /** One line of progress. */
  progress: (line: string) => void;
}

/** Its program is known. */
interface Job extends Omit<ImportJob, "log"> {
  source: KnownSource;
  target: Target;
  log: LogSource & { isApart: boolean };
}

export interface ImportResult extends Recognised, ReportData {
  sums: readonly SumPair[];
  lines: readonly string[];
}

/** Fact by which a database knows what it was filled from. */
const IMPORT_FACT = "import_source";

/**
 * A database is filled from one source: an empty one, one with the super administrator of the set-up alone, or one that was begun from it.
 * @returns whether no import was begun on it
 * @throws an Error of one line for any other
 */
async function checkTarget({ target }: ImportJob): Promise<boolean> {
  const { kysely } = target.database;
  const facts = await kysely
    .selectFrom("facts")
    .select(["name", "value"])
    .where("name", "in", [IMPORT_FACT, "wizard_account"])
    .execute();
  const factOf = (name: string): string | undefined => facts.find((fact) => fact.name === name)?.value;
  const origin = factOf(IMPORT_FACT);
  if (origin === target.origin) return false;
  if (origin !== undefined) throw new Error("The database was filled from another system or place: use an empty one");
  const users = await kysely.selectFrom("users").select("id").limit(2).execute();
  const [first] = users;
  const isRootAlone = users.length === 1 && String(first?.id) === factOf("wizard_account");
  if (users.length > 0 && !isRootAlone)
    throw new Error(
      "The database holds accounts already: an import needs an empty one, or one with its super administrator alone",
    );
  for (const table of ["tokens", "channels"] as const)
    if ((await kysely.selectFrom(table).select("id").limit(1).execute()).length > 0)
      throw new Error(`The database holds ${table} already: an import needs an empty one`);
  return true;
}

async function begin({ target, place }: Job): Promise<void> {
  await target.database.kysely.transaction().execute(async (transaction) => {
    const known = await transaction
      .selectFrom("facts")
      .select("value")
      .where("name", "=", IMPORT_FACT)
      .executeTakeFirst();
    if (known === undefined)
      await transaction.insertInto("facts").values({ name: IMPORT_FACT, value: target.origin }).execute();
    await beginRun(target, transaction);
    await recordOperatorAct(transaction, { code: "data_import_begun", values: { place } }, target.now);
  });
}

interface Pass extends Books {
  survey: Survey;
}

async function importUsers(job: Job, pass: Pass, groups: ReadonlySet<string>): Promise<void> {
  const { source, target } = job;
  const { survey, report } = pass;
  const moved = pass.moved.users;
  const apps = await readApps({ source, survey, report });
  const context: PeopleContext = { target, survey, report, taken: await takenHere(target), groups, moved, apps };
  let withApp = 0;
  await importTable(job, pass, {
    table: "users",
    plan: (row) => planUser(row, context),
    openingOf: (row) => openingOfUser(row, context),
    amounts: (row) => ({
      quota: quotaIn(row, "quota"),
      used_quota: quotaIn(row, "used_quota"),
      request_count: quotaIn(row, "request_count"),
      aff_quota: quotaIn(row, "aff_quota"),
    }),
    onWritten(ids) {
      for (const id of ids.keys()) if (apps.has(id)) withApp += 1;
    },
  });
  if (apps.size > 0) report.count("two_fas", "brought", withApp);
}

async function importTokens(job: Job, pass: Pass, groups: ReadonlySet<string>): Promise<void> {
  const { target } = job;
  const { report, survey } = pass;
  const context = { target, report, moved: pass.moved.users, groups };
  await importTable(job, pass, {
    table: "tokens",
    refuses(row) {
      const refusal = refusalOfToken(row, survey);
      if (refusal !== undefined) report.add(refusal, tokenLabel(row));
      return refusal !== undefined;
    },
    plan: (row) => planToken(row, context),
    openingOf: (row) => openingOfToken(row, context),
    amounts: (row) => ({ remain_quota: quotaIn(row, "remain_quota"), used_quota: quotaIn(row, "used_quota") }),
  });
}

async function importChannels(job: Job, pass: Pass): Promise<void> {
  const { source, target, providers } = job;
  const { report } = pass;
  const context = { target, report, system: source.system, providers };
  await importTable(job, pass, {
    table: "channels",
    refuses(row) {
      const isDeleted = momentIn(row, "deleted_at") !== undefined;
      if (isDeleted) report.add("channel_deleted", `#${numberIn(row, "id")} ${nameIn(row, "name", 60)}`);
      return isDeleted;
    },
    plan: (row) => planChannel(row, context),
    openingOf: (row) => openingOfChannel(row, context),
    amounts: (row) => ({ used_quota: quotaIn(row, "used_quota") }),
  });
}

/** Usage of tokens that are gone there still counts, so that their owner's sum equals the one there. */
async function lookThrough(
  { source, target, progress }: Job,
  isFirst: boolean,
): Promise<{ survey: Survey; gone: Gone }> {
  const found = await surveyOf(source, progress);
  if (isFirst) return { survey: found, gone: NOTHING_GONE };
  const gone = await findGone(target, found.ids);
  for (const [owner, used] of gone.usedByTokens) found.usedByTokens.add(owner, used);
  return { survey: found, gone };
}

/**
 * Imports, or in a dry run only says what would come. Run again with the same source it brings what is new there, and posts the differences
 * of money; other fields of rows that are here stay as they are here. Killed at any point, it is simply run again. One runs at a time.
 * @throws an Error of one line where nothing can be imported, another import runs, or an amount cannot be kept
 */
export function runImport(asked: ImportJob): Promise<ImportResult> {
  const { database, isDryRun } = asked.target;
  return isDryRun ? importAlone(asked) : database.withImportLock(() => withIndexes(asked, () => importAlone(asked)));
}

async function importAlone(asked: ImportJob): Promise<ImportResult> {
  const recognised = recognise(asked.source);
  const { system } = recognised;
  const report = new Report();
  const isFirst = await checkTarget(asked);
  const target: Target = { ...asked.target, run: randomUUID() };
  const words = asked.litellm ?? {};
  const hasLogs = asked.logs !== undefined;
  const staged = system === "LiteLLM" ? await stageLitellm({ ...asked, target, report, words, hasLogs }) : undefined;
  try {
    const source = { ...(staged ?? asked.source), system };
    const log = logOf(asked, source);
    return await importFrom({ ...asked, target, source, log }, { recognised, isFirst, report });
  } finally {
    await staged?.close();
  }
}

/** Of a log apart the program is known by the database that it belongs to. */
const logOf = ({ log, target }: ImportJob, source: KnownSource): Job["log"] =>
  log === undefined
    ? { source, origin: target.origin, isApart: false }
    : { source: { ...log.source, system: source.system }, origin: log.origin, isApart: true };

async function importParts(job: Job, pass: Pass, { gone, timings }: { gone: Gone; timings: Timings }): Promise<void> {
  const { source, target, log } = job;
  const { report, survey, moved, isFirst } = pass;
  const { userIds, ids } = survey;
  const texts = await importOptions({ source, target, report });
  const { GroupRatio, QuotaPerUnit: quotaPerUnit } = parseOptions(texts);
  const groups = new Set(Object.keys(GroupRatio));
  const rows = ids.users.size + ids.tokens.size;
  // A later import looks for what came before.
  if (isFirst) for (const table of ["tokens", "ledger"] as const) await deferForLoad(job, { table, rows });
  await timings.of("users", () => importUsers(job, pass, groups));
  await timings.of("tokens", () => importTokens(job, pass, groups));
  await timings.of("channels", () => importChannels(job, pass));
  await timings.of("sales", () => importSales({ source, target, report, userIds, moved: moved.users, quotaPerUnit }));
  await switchOffGone(target, gone, report);
  const { logs: range, progress } = job;
  if (range !== undefined) {
    const context = { ...log, target, report, range, ids, moved, isFirst, progress };
    await timings.of("logs", () =>
      importLogs(context, (pages, total) => reported(pages, { table: "logs", total }, progress)),
    );
  }
  if (!target.isDryRun) await timings.of("indexes", () => buildIndexes(target.database, progress));
}

async function importFrom(
  job: Job,
  { recognised, isFirst, report }: { recognised: Recognised; isFirst: boolean; report: Report },
): Promise<ImportResult> {
  const { source, target, log, timings = new Timings() } = job;
  if (job.logs !== undefined) await checkLogs(log.source, log.isApart);
  await listLeftTables(source, report, job.logs !== undefined && !log.isApart);
  const { survey, gone } = await timings.of("survey", () => lookThrough(job, isFirst));
  if (!target.isDryRun) {
    if (isFirst) await reserveIds(target, survey.largestIds);
    await begin(job);
    await enlargeCache(target);
  }
  const moved = { users: new Map(), tokens: new Map(), channels: new Map() };
  const pass: Pass = { report, sums: new SumsThere(), survey, moved, isFirst };
  await importParts(job, pass, { gone, timings });
  const sums = await timings.of("sums", () => compareSums(target, pass.sums, gone));
  const data = report.data();
  if (!target.isDryRun) {
    const brought = (table: string): number => data.tables[table]?.brought ?? 0;
    const values = { users: brought("users"), tokens: brought("tokens") };
    await target.database.kysely
      .transaction()
      .execute((transaction) => recordOperatorAct(transaction, { code: "data_imported", values }, target.now));
  }
  return { ...recognised, ...data, sums, lines: report.lines() };
}
