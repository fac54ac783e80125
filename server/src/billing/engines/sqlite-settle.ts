/** Posts a batch of ledger entries inside the SQLite writer thread, in the transaction that the thread has opened. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type LedgerRow, sumCharges } from "../ledger-entry.ts";
import { type Cell, HAS_LEDGER, HAS_LOG, LEDGER_COLUMNS, LOG_COLUMNS } from "./cells.ts";

const marks = (count: number): string => Array.from({ length: count }, () => "?").join(", ");

interface Statements {
  ledger: StatementSync;
  log: StatementSync;
  hour: StatementSync;
  channel: StatementSync;
  token: StatementSync;
  user: StatementSync;
  beyond: StatementSync;
}

function prepareStatements(database: DatabaseSync): Statements {
  return {
    ledger: database.prepare(
      `INSERT INTO ledger (${LEDGER_COLUMNS.join(", ")}) VALUES (${marks(LEDGER_COLUMNS.length)}) ON CONFLICT (entry_id) DO NOTHING`,
    ),
    log: database.prepare(`INSERT INTO logs (${LOG_COLUMNS.join(", ")}) VALUES (${marks(LOG_COLUMNS.length)})`),
    hour: database.prepare(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, group_name, requests, quota, prompt_tokens, completion_tokens, cost, costed_quota)
       VALUES (${marks(12)}) ON CONFLICT (hour, user_id, token_id, channel_id, model, group_name) DO UPDATE SET
       requests = requests + excluded.requests, quota = quota + excluded.quota,
       prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens,
       cost = cost + excluded.cost, costed_quota = costed_quota + excluded.costed_quota`,
    ),
    channel: database.prepare("INSERT INTO channel_usage (channel_id, used) VALUES (?, ?)"),
    token: database.prepare(
      "UPDATE tokens SET remain_quota = remain_quota + ?, used_quota = used_quota + ?, accessed_time = max(accessed_time, ?) WHERE id = ?",
    ),
    user: database.prepare(
      "UPDATE users SET quota = quota + ?, used_quota = used_quota + ?, request_count = request_count + ? WHERE id = ?",
    ),
    beyond: database.prepare("SELECT 1 AS found FROM users WHERE id = ? AND quota > ?"),
  };
}

/** The cells of one ledger row that the sums need; other texts stay packed. */
function readLedger(cells: readonly Cell[]): LedgerRow {
  return {
    entryId: "",
    kind: "",
    createdAt: Number(cells[2]),
    userId: Number(cells[3]),
    tokenId: Number(cells[4]),
    channelId: Number(cells[5]),
    model: String(cells[6]),
    groupName: String(cells[7]),
    quotaDelta: Number(cells[8]),
    tokenQuotaDelta: Number(cells[9]),
    affQuotaDelta: 0,
    usedDelta: Number(cells[11]),
    requestDelta: Number(cells[12]),
    promptTokens: Number(cells[13]),
    completionTokens: Number(cells[14]),
    ...(cells[15] === null ? {} : { cost: Number(cells[15]) }),
    detail: "",
  };
}

function applySums(statements: Statements, rows: readonly LedgerRow[]): void {
  const sums = sumCharges(rows);
  for (const hour of sums.hours) {
    const { userId, tokenId, channelId, model, groupName } = hour;
    const counts = [hour.requests, hour.quota, hour.promptTokens, hour.completionTokens];
    const costs = [hour.cost, hour.costedQuota];
    statements.hour.run(hour.hour, userId, tokenId, channelId, model, groupName, ...counts, ...costs);
  }
  for (const { id, used } of sums.channels) statements.channel.run(id, used);
  for (const { id, quota, used, seen } of sums.tokens) statements.token.run(quota, used, seen, id);
  for (const { id, quota, used, requests } of sums.users) {
    statements.user.run(quota, used, requests, id);
    // Only refunds increase a balance here.
    if (quota > 0 && statements.beyond.get(id, Number.MAX_SAFE_INTEGER) !== undefined)
      throw new RangeError("a balance cannot be above 2^53 - 1");
  }
}

/**
 * Prepares the statements once. The function takes packEntries' cells and returns 1 for each ledger entry whose ledger row is new (or
 * that has none), else 0. Throws what SQLite throws; the thread then rolls everything back.
 */
export function prepare(database: DatabaseSync): (payload: unknown) => unknown {
  const statements = prepareStatements(database);
  return (payload) => {
    const cells = payload as Cell[]; // packEntries made it
    const isNew: number[] = [];
    const rows: LedgerRow[] = [];
    let at = 0;
    const take = (length: number): Cell[] => cells.slice(at, (at += length));
    while (at < cells.length) {
      const [bits = 0] = take(1);
      const ledger = Number(bits) & HAS_LEDGER ? take(LEDGER_COLUMNS.length) : undefined;
      const log = Number(bits) & HAS_LOG ? take(LOG_COLUMNS.length) : undefined;
      const isFresh = ledger === undefined || Number(statements.ledger.run(...ledger).changes) === 1;
      if (ledger !== undefined && isFresh) rows.push(readLedger(ledger));
      if (log !== undefined && isFresh) statements.log.run(...log);
      isNew.push(isFresh ? 1 : 0);
    }
    applySums(statements, rows);
    return isNew;
  };
}
