/** Audits the ledger: every balance and counter is the sum of its entries, and every charge is its usage times its price. */
import { sql } from "kysely";
import { z } from "zod";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import type { Database, Engine, LogDatabase } from "../db/database.ts";
import { quoteText } from "../db/session.ts";
import { sortedStatement, summedColumns } from "./audit-sorted.ts";
import { type ChargeDetail, readChargeDetail } from "./charge-detail.ts";

// Prices a charge a second time, by other arithmetic than contract/pricing.ts: whole numbers scaled by a power of ten.

interface Scaled {
  digits: bigint;
  places: number;
}

/** Decimal text as digits and decimal places; exponents move the point. */
function scaled(text: string): Scaled {
  const [mantissa = "0", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  const places = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}

const times = (a: Scaled, b: Scaled): Scaled => ({ digits: a.digits * b.digits, places: a.places + b.places });

function plus(a: Scaled, b: Scaled): Scaled {
  const places = Math.max(a.places, b.places);
  const lift = ({ digits, places: own }: Scaled): bigint => digits * 10n ** BigInt(places - own);
  return { digits: lift(a) + lift(b), places };
}

const COUNT_LIMIT = 1_000_000_000;
const CHARGE_LIMIT = 1_000_000_000_000n;

const counted = (value: unknown): bigint =>
  typeof value === "number" && value > 0 ? BigInt(Math.ceil(Math.min(value, COUNT_LIMIT))) : 0n;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function rounded({ digits, places }: Scaled): number {
  if (digits === 0n) return 0;
  const unit = 10n ** BigInt(places);
  const whole = digits / unit + ((digits % unit) * 2n >= unit ? 1n : 0n);
  return Number(whole === 0n ? 1n : least(whole, CHARGE_LIMIT));
}

const ZERO: Scaled = { digits: 0n, places: 0 };
const product = (count: bigint, ratios: readonly string[]): Scaled =>
  ratios.map(scaled).reduce(times, { digits: count, places: 0 });

/** The four ratios a long context changes: prompt, completion, cache, cache writing. */
function contextRatios({ r, x }: ChargeDetail, input: bigint): readonly string[] {
  let [bound, ratios] = [-1, r?.slice(0, 4) ?? []];
  for (const [above, ...own] of x ?? []) if (Number(input) > above && above > bound) [bound, ratios] = [above, own];
  return ratios;
}

/** Quota of all tokens over the group's ratio, before rounding. */
function tokenSum(detail: ChargeDetail): Scaled {
  const [input = 0n, output = 0n, cacheRead = 0n, cacheWrite = 0n, audioIn = 0n, imageIn = 0n, audioOut = 0n] =
    detail.u.map(counted);
  const [ratio = "0", completion = "0", cache = "0", creation = "0"] = contextRatios(detail, input);
  const [audio = "0", image = "0", audioCompletion = "0"] = detail.r?.slice(4) ?? [];
  const [writtenLong, longRatio] = detail.w ?? [0, "0"];
  let sum = ZERO;
  /** Distributes a total over parts, each at most what is left of it; returns the remainder. */
  const split = (whole: bigint, parts: readonly (readonly [bigint, ...string[]])[]): bigint =>
    parts.reduce((left, [part, ...ratios]) => {
      const fitting = least(part, left);
      sum = plus(sum, product(fitting, ratios));
      return left - fitting;
    }, whole);
  const plain = split(input, [
    [cacheRead, cache],
    [cacheWrite, creation],
    [counted(writtenLong), creation, longRatio],
    [audioIn, audio],
    [imageIn, image],
  ]);
  const answered = split(output, [
    [audioOut, audio, audioCompletion],
    [counted(detail.o), detail.p ?? completion],
  ]);
  const words = plus(product(plain, []), product(answered, [completion]));
  const surcharges = (detail.m ?? []).map(([, factor]) => scaled(factor));
  return [scaled(ratio), ...surcharges].reduce(times, plus(sum, words));
}

/** The charge in quota for this detail. Throws a SyntaxError for texts that are no decimals. */
export function reprice(detail: ChargeDetail): number {
  const own = detail.f === undefined ? tokenSum(detail) : product(1n, [detail.f, detail.c ?? "1", detail.q]);
  const tools = (detail.t ?? []).map(([, calls, usd]) => product(counted(calls), [usd, "0.001", detail.q]));
  return rounded(times(tools.reduce(plus, own), scaled(detail.g)));
}

export interface AuditFault {
  table: string;
  /** The row: its id, or the columns of its key. */
  key: string;
  column: string;
  expected: number;
  actual: number;
}

export interface AuditResult {
  ledgerRows: number;
  /** Charges whose detail names usage and price; the others could not be priced again. */
  repricedCharges: number;
  unpricedCharges: number;
  /** At most MAX_FAULTS. */
  faults: readonly AuditFault[];
}

type Row = Record<string, unknown>;
/** Runs one SELECT without parameters. */
export type Select = (text: string) => Promise<readonly Row[]>;

const MAX_FAULTS = 200;
const PAGE = 5_000;

/** Each check is one statement, so it reads one snapshot of the database, also while calls go on. */
interface Check {
  table: string;
  /** Columns of the row's key, as the statement gives them. */
  key: readonly string[];
  /** Column to its expected value, an expression over the joined sums. */
  columns: Readonly<Record<string, string>>;
  from: string;
}

const SUMS = `SELECT SUM(quota_delta) AS quota_sum, SUM(token_quota_delta) AS token_quota_sum, SUM(aff_quota_delta) AS aff_sum,
  SUM(used_delta) AS used_sum, SUM(request_delta) AS request_sum`;
const sumsBy = (column: string): string => `(${SUMS}, ${column} AS sum_id FROM ledger GROUP BY ${column}) l`;
const heldBy = (column: string): string =>
  `(SELECT SUM(amount) AS held_sum, ${column} AS held_id FROM holds GROUP BY ${column}) h`;
const CHECKS: readonly Check[] = [
  {
    table: "users",
    key: ["t.id"],
    columns: {
      quota: "l.quota_sum",
      used_quota: "l.used_sum",
      request_count: "l.request_sum",
      aff_quota: "l.aff_sum",
      held: "h.held_sum",
    },
    from: `users t LEFT JOIN ${sumsBy("user_id")} ON l.sum_id = t.id LEFT JOIN ${heldBy("user_id")} ON h.held_id = t.id`,
  },
  {
    table: "tokens",
    key: ["t.id"],
    columns: { remain_quota: "l.token_quota_sum", used_quota: "l.used_sum", held: "h.held_sum" },
    from: `tokens t LEFT JOIN ${sumsBy("token_id")} ON l.sum_id = t.id LEFT JOIN ${heldBy("token_id")} ON h.held_id = t.id`,
  },
  {
    table: "channels",
    key: ["t.id"],
    // Rows of channel_usage are not added to the channel's row yet.
    columns: { used_quota: "COALESCE(l.used_sum, 0) - COALESCE(w.waiting_sum, 0)" },
    from: `channels t LEFT JOIN ${sumsBy("channel_id")} ON l.sum_id = t.id LEFT JOIN (SELECT SUM(used) AS waiting_sum,
      channel_id AS waiting_id FROM channel_usage GROUP BY channel_id) w ON w.waiting_id = t.id`,
  },
  {
    table: "logs",
    key: ["t.id", "t.request_id"],
    columns: { quota: "l.used_delta", prompt_tokens: "l.prompt_tokens", completion_tokens: "l.completion_tokens" },
    from: "logs t JOIN ledger l ON l.entry_id = t.request_id AND l.kind = 'charge' AND t.type = 2",
  },
];

function statementOf({ key, columns, from }: Check): string {
  const keys = key.map((column, index) => `${column} AS key_${index}`);
  const pairs = Object.entries(columns);
  const values = pairs.map(
    ([column, sum], index) => `t.${column} AS actual_${index}, COALESCE(${sum}, 0) AS expected_${index}`,
  );
  const isWrong = pairs.map(([column, sum]) => `t.${column} <> COALESCE(${sum}, 0)`);
  return `SELECT ${[...keys, ...values].join(", ")} FROM ${from} WHERE ${isWrong.join(" OR ")} ORDER BY ${key.join(", ")} LIMIT ${MAX_FAULTS}`;
}

/** The differences in rows that have their key in `key_…` and pairs in `expected_…` and `actual_…`. */
function faultsIn(rows: readonly Row[], table: string, keys: number, columns: readonly string[]): AuditFault[] {
  return rows.flatMap((row) => {
    const key = Array.from({ length: keys }, (_, index) => String(row[`key_${index}`])).join("/");
    return columns.flatMap((column, index): AuditFault[] => {
      const expected = Number(row[`expected_${index}`]);
      const actual = Number(row[`actual_${index}`]);
      return expected === actual ? [] : [{ table, key, column, expected, actual }];
    });
  });
}

async function runCheck(select: Select, check: Check, engine: Engine | undefined): Promise<AuditFault[]> {
  const { table, key, columns } = check;
  if (engine === "mysql" && (table === "users" || table === "tokens"))
    return faultsIn(await select(sortedStatement(table, MAX_FAULTS)), table, key.length, summedColumns(table));
  return faultsIn(await select(statementOf(check)), table, key.length, Object.keys(columns));
}

const HOUR_KEY = ["hour", "user_id", "token_id", "channel_id", "model", "group_name"] as const;
const HOUR = "(created_at - (created_at % 3600))";
/** Column of the roll-up to that of the ledger, or the expression over it, which it sums. */
const HOUR_COLUMNS = {
  requests: "request_delta",
  quota: "used_delta",
  prompt_tokens: "prompt_tokens",
  completion_tokens: "completion_tokens",
  cost: "COALESCE(cost, 0)",
  costed_quota: "CASE WHEN cost IS NULL THEN 0 ELSE used_delta END",
} as const;

/** Roll-up and ledger in one list, summed by key in one pass: a key missing on either side differs as wrong sums do. */
function hoursStatement(): string {
  const pairs = Object.entries(HOUR_COLUMNS).map(([rolled, posted], index) => ({ rolled, posted, index }));
  const keys = HOUR_KEY.map((column, index) => `${column} AS key_${index}`).join(", ");
  const rolledUp = pairs.map(({ rolled, index }) => `${rolled} AS a_${index}, 0 AS e_${index}`).join(", ");
  const posted = pairs.map(({ posted: column }) => `0, ${column}`).join(", ");
  const sums = pairs.map(({ index }) => `SUM(a_${index}) AS actual_${index}, SUM(e_${index}) AS expected_${index}`);
  const isWrong = pairs.map(({ index }) => `SUM(a_${index}) <> SUM(e_${index})`).join(" OR ");
  const order = HOUR_KEY.map((_, index) => `key_${index}`).join(", ");
  return `SELECT ${order}, ${sums.join(", ")} FROM (SELECT ${keys}, ${rolledUp} FROM usage_hours
    UNION ALL SELECT ${[HOUR, ...HOUR_KEY.slice(1)].join(", ")}, ${posted} FROM ledger WHERE kind IN ('charge', 'refund')) both_sides
    GROUP BY ${order} HAVING ${isWrong} ORDER BY ${order} LIMIT ${MAX_FAULTS}`;
}

const checkHours = async (select: Select): Promise<AuditFault[]> =>
  faultsIn(await select(hoursStatement()), "usage_hours", HOUR_KEY.length, Object.keys(HOUR_COLUMNS));

interface Repriced {
  priced: number;
  unpriced: number;
  faults: AuditFault[];
}

function repriceRow(row: Row, result: Repriced): void {
  const detail = readChargeDetail(String(row["detail"]));
  if (detail === undefined) {
    result.unpriced += 1;
    return;
  }
  result.priced += 1;
  const expected = reprice(detail);
  const actual = Number(row["used_delta"]);
  if (expected !== actual) addFault(result, row, "used_delta", expected, actual);
}

function addFault({ faults }: Repriced, row: Row, column: string, expected: number, actual: number): void {
  if (faults.length < MAX_FAULTS)
    faults.push({ table: "ledger", key: String(row["entry_id"]), column, expected, actual });
}

/** Prices every charge again (invariant I3) and checks that an entry takes from the balance what it counts as used. */
async function repriceAll(select: Select): Promise<Repriced> {
  const result: Repriced = { priced: 0, unpriced: 0, faults: [] };
  for (let last = 0; ;) {
    const rows = await select(
      `SELECT id, entry_id, used_delta, quota_delta, detail FROM ledger WHERE kind = 'charge' AND id > ${last} ORDER BY id LIMIT ${PAGE}`,
    );
    for (const row of rows) {
      repriceRow(row, result);
      const [used, taken] = [Number(row["used_delta"]), -Number(row["quota_delta"])];
      if (used !== taken) addFault(result, row, "quota_delta", 0 - used, 0 - taken);
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE) return result;
    last = Number(end["id"]);
  }
}

/** Audits through `select`, on any engine; quicker where it is known. Reads only. */
export async function audit(select: Select, engine?: Engine): Promise<AuditResult> {
  const faults: AuditFault[] = [];
  for (const check of CHECKS) faults.push(...(await runCheck(select, check, engine)));
  faults.push(...(await checkHours(select)));
  const repriced = await repriceAll(select);
  const [count] = await select("SELECT COUNT(*) AS total FROM ledger");
  return {
    ledgerRows: Number(count?.["total"] ?? 0),
    repricedCharges: repriced.priced,
    unpricedCharges: repriced.unpriced,
    faults: [...faults, ...repriced.faults].slice(0, MAX_FAULTS),
  };
}

const LOGGED = { quota: "used_delta", prompt_tokens: "prompt_tokens", completion_tokens: "completion_tokens" } as const;
/** What can stand in a literal of every engine; ids of calls hold nothing else. */
const PLAIN = /^[^'\\]+$/;

/** Delivered rows behind a place, in their order. */
const deliveredAfter = ({ kysely }: LogDatabase, { created_at: time, id }: { created_at: number; id: number }) =>
  kysely
    .selectFrom("logs")
    .select(["id", "created_at", "request_id", "quota", "prompt_tokens", "completion_tokens"])
    .where("type", "=", LOG_TYPE.consumption)
    .where("created_at", ">=", time)
    .where((row) => row.or([row("created_at", ">", time), row("id", ">", id)]))
    .orderBy("created_at")
    .orderBy("id")
    .limit(PAGE)
    .execute();

/** The rows in a database of the log's own, page by page beside their ledger rows. */
export async function auditDelivered(select: Select, logs: LogDatabase): Promise<AuditFault[]> {
  const faults: AuditFault[] = [];
  for (let last = { created_at: -1, id: -1 }; faults.length < MAX_FAULTS;) {
    const rows = await deliveredAfter(logs, last);
    const end = rows.at(-1);
    if (end === undefined) break;
    last = end;
    const ids = rows.map(({ request_id }) => request_id).filter((id) => PLAIN.test(id));
    const entries = await select(
      `SELECT entry_id, used_delta, prompt_tokens, completion_tokens FROM ledger WHERE kind = 'charge' AND entry_id IN (${["", ...ids].map(quoteText).join(", ")})`,
    );
    const posted = new Map(entries.map((entry) => [entry["entry_id"], entry]));
    for (const row of rows) {
      const entry = posted.get(row.request_id);
      if (entry === undefined) continue;
      for (const [column, of] of Object.entries(LOGGED)) {
        const [expected, actual] = [Number(entry[of]), Number(row[column as keyof typeof LOGGED])];
        if (expected !== actual)
          faults.push({ table: "logs", key: `${row.id}/${row.request_id}`, column, expected, actual });
      }
    }
  }
  return faults;
}

/** With what `auditDelivered` found. */
export const withDelivered = (result: AuditResult, more: readonly AuditFault[]): AuditResult => ({
  ...result,
  faults: [...result.faults, ...more].slice(0, MAX_FAULTS),
});

/** Audits an open database, and the log where it has one of its own. */
export async function auditDatabase(database: Database): Promise<AuditResult> {
  const select: Select = async (text) => (await sql.raw<Row>(text).execute(database.kysely)).rows;
  const result = await audit(select, database.engine);
  return database.hasLogDatabase ? withDelivered(result, await auditDelivered(select, database.logs)) : result;
}

/** One line for each fault, as the command prints it. */
export const faultLine = ({ table, key, column, expected, actual }: AuditFault): string =>
  `${table} ${key}: ${column} is ${actual}, the ledger says ${expected} (${actual > expected ? "+" : ""}${actual - expected})`;

/** Fact with the result of the last audit that ended on a running server. */
export const LAST_AUDIT_FACT = "books_audited";

const lastAuditSchema = z.object({
  /** When it ended, Unix seconds. */
  time: z.number(),
  rows: z.number(),
  /** Values that were wrong. */
  faults: z.number(),
});
export type LastAudit = z.output<typeof lastAuditSchema>;

/** The result in the fact's text; undefined where there is none. */
export const readLastAudit = (text: string | undefined): LastAudit | undefined =>
  text === undefined ? undefined : lastAuditSchema.parse(JSON.parse(text));
