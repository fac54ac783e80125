/** Loads a month of millions of calls inside the database: ledger, log, roll-up and balances that agree, hour by hour from prepared calls. */
import type { Config } from "../../server/src/config.ts";
import { LEDGER_COLUMNS, LOG_COLUMNS, logCells, type Cell } from "../../server/src/billing/engines/cells.ts";
import { type BulkSession, openBulkSession } from "./bulk-session.ts";
import { HOURS, type PastEntry } from "./history.ts";

const HOUR_SECONDS = 3600;
const DAYS = 30;
/** A prime that does not divide the number of prepared calls: neighbours in time are different calls. */
const STRIDE = 7919;
const FIRST_ID = 1_000_000_000;

/** An hour and how many calls it had. */
export interface MonthHour {
  /** Unix seconds of its beginning. */
  start: number;
  calls: number;
}

/** Spreads `rows` calls over the 30 days before `nowSeconds`, by the load of each hour of a day; they sum up exactly. */
export function hoursOfMonth(rows: number, nowSeconds: number): MonthHour[] {
  const last = Math.floor(nowSeconds / HOUR_SECONDS) - 1;
  const starts = Array.from({ length: DAYS * 24 }, (_, index) => (last - DAYS * 24 + 1 + index) * HOUR_SECONDS);
  const weights = starts.map((start) => HOURS[Math.floor(start / HOUR_SECONDS) % 24] ?? 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let weighed = 0;
  let given = 0;
  return starts.map((start, index) => {
    weighed += weights[index] ?? 0;
    const calls = Math.floor((rows * weighed) / whole) - given;
    given += calls;
    return { start, calls };
  });
}

const CALL_COLUMNS = [
  "request_delta",
  "channel",
  "cost",
  "detail",
  ...LOG_COLUMNS.map((column) => `log_${column}`),
] as const;
const TEXTS = new Set(["request_id", "username", "token_name", "model_name", "group_name", "ip", "content", "other"]);

function typeOf(column: string): string {
  return column === "detail" || TEXTS.has(column.replace(/^log_/, "")) ? "TEXT" : "BIGINT";
}

async function writeCalls(session: BulkSession, ledgerEntries: readonly PastEntry[]): Promise<void> {
  const columns = CALL_COLUMNS.map((column) => `${column} ${typeOf(column)}`);
  await session.run(`CREATE TEMPORARY TABLE month_calls (number INTEGER PRIMARY KEY, ${columns.join(", ")})`);
  const marks = Array.from({ length: CALL_COLUMNS.length + 1 }, (_, index) => session.mark(index + 1));
  for (const [number, { log, settlement }] of ledgerEntries.entries()) {
    const posted: Cell[] =
      settlement === undefined
        ? [0, 0, null, ""]
        : [1, settlement.channelId, settlement.cost ?? null, settlement.detail];
    const cells = [number, ...posted, ...logCells(log)];
    await session.run(`INSERT INTO month_calls VALUES (${marks.join(", ")})`, cells);
  }
}

/** The value of each column for number `n` of a series; everything else comes from the prepared call `c`. */
const LOG_VALUES: Readonly<Record<string, string>> = {
  request_id: `'month-' || (${FIRST_ID} + n)`,
  created_at: "at",
};
const LEDGER_VALUES: Readonly<Record<(typeof LEDGER_COLUMNS)[number], string>> = {
  entry_id: `'month-' || (${FIRST_ID} + n)`,
  kind: "'charge'",
  created_at: "at",
  user_id: "c.log_user_id",
  token_id: "c.log_token_id",
  channel_id: "c.channel",
  model: "c.log_model_name",
  group_name: "c.log_group_name",
  quota_delta: "-c.log_quota",
  token_quota_delta: "0",
  aff_quota_delta: "0",
  used_delta: "c.log_quota",
  request_delta: "c.request_delta",
  prompt_tokens: "c.log_prompt_tokens",
  completion_tokens: "c.log_completion_tokens",
  cost: "c.cost",
  detail: "c.detail",
};

interface Slice extends MonthHour {
  /** Number of the hour's first call. */
  first: number;
  /** How many prepared calls there are. */
  prepared: number;
}

function inserts({ start, calls, first, prepared }: Slice): string[] {
  const series = `WITH RECURSIVE series(n) AS (SELECT CAST(${first} AS BIGINT) UNION ALL SELECT n + 1 FROM series WHERE n + 1 < ${first + calls}),
    calls AS (SELECT n, ${start} + ((n - ${first}) * ${HOUR_SECONDS}) / ${calls} AS at, (n * ${STRIDE}) % ${prepared} AS call FROM series)`;
  const from = "FROM calls JOIN month_calls c ON c.number = call";
  const logValues = LOG_COLUMNS.map((column) => LOG_VALUES[column] ?? `c.log_${column}`);
  const ledgerValues = LEDGER_COLUMNS.map((column) => LEDGER_VALUES[column]);
  const insert = (table: string, columns: readonly string[], values: readonly string[], where: string) =>
    `INSERT INTO ${table} (${columns.join(", ")}) ${series} SELECT ${values.join(", ")} ${from} ${where} ORDER BY n`;
  return [
    insert("logs", LOG_COLUMNS, logValues, ""),
    insert("ledger", LEDGER_COLUMNS, ledgerValues, "WHERE c.request_delta = 1"),
  ];
}

/** Roll-up and counters are sums of the ledger, as the audit reads them. */
const SUMS = [
  `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, group_name, requests, quota, prompt_tokens, completion_tokens,
   cost, costed_quota)
   SELECT created_at - (created_at % 3600), user_id, token_id, channel_id, model, group_name, SUM(request_delta), SUM(used_delta),
   SUM(prompt_tokens), SUM(completion_tokens), COALESCE(SUM(cost), 0),
   SUM(CASE WHEN cost IS NULL THEN 0 ELSE used_delta END) FROM ledger WHERE kind = 'charge' GROUP BY 1, 2, 3, 4, 5, 6`,
  ...(["user", "token", "channel"] as const).map(
    (key) =>
      `CREATE TEMPORARY TABLE month_${key}s AS SELECT ${key}_id AS id, SUM(quota) AS used, SUM(requests) AS calls FROM usage_hours GROUP BY ${key}_id`,
  ),
  `UPDATE users SET quota = quota - (SELECT used FROM month_users m WHERE m.id = users.id),
   used_quota = used_quota + (SELECT used FROM month_users m WHERE m.id = users.id),
   request_count = request_count + (SELECT calls FROM month_users m WHERE m.id = users.id) WHERE id IN (SELECT id FROM month_users)`,
  `UPDATE tokens SET used_quota = used_quota + (SELECT used FROM month_tokens m WHERE m.id = tokens.id),
   accessed_time = (SELECT MAX(hour) FROM usage_hours) WHERE id IN (SELECT id FROM month_tokens)`,
  `UPDATE channels SET used_quota = used_quota + (SELECT used FROM month_channels m WHERE m.id = channels.id)
   WHERE id IN (SELECT id FROM month_channels)`,
];

export interface BulkMonth {
  config: Config;
  ledgerEntries: readonly PastEntry[];
  rows: number;
  nowSeconds: number;
  /** Called after each day. */
  onProgress: (rows: number) => void;
}

async function loadHours(
  session: BulkSession,
  { ledgerEntries, rows, nowSeconds, onProgress }: BulkMonth,
): Promise<void> {
  let first = 0;
  for (const [index, hour] of hoursOfMonth(rows, nowSeconds).entries()) {
    const slice = { ...hour, first, prepared: ledgerEntries.length };
    if (hour.calls > 0) for (const statement of inserts(slice)) await session.run(statement);
    first += hour.calls;
    if (index % 24 === 23) onProgress(first);
  }
}

/**
 * Loads the month into a database that has users, tokens and channels but no usage, while no server runs on it.
 * The indexes that enforce nothing are built at the end.
 */
export async function loadMonth(month: BulkMonth): Promise<void> {
  const session = await openBulkSession(month.config);
  try {
    const indexes = [...(await session.indexes("logs")), ...(await session.indexes("ledger"))];
    for (const { name } of indexes) await session.run(`DROP INDEX ${name}`);
    await writeCalls(session, month.ledgerEntries);
    await session.run("BEGIN");
    await loadHours(session, month);
    for (const statement of SUMS) await session.run(statement);
    await session.run("COMMIT");
    for (const { statement } of indexes) await session.run(statement);
    await session.finish();
  } finally {
    await session.close();
  }
}
