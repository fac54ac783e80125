/** Tables of a source as the import reads them: which columns it reads of each program, what has no place here, and pages in the columns of new-api. */
import { saysSomething } from "./cells.ts";
import { translationOf } from "./forks.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import { isHub, type KnownSource, type System } from "./systems.ts";

/** Columns that are read, or whose value follows from those. */
const READ: Readonly<Record<string, readonly string[]>> = {
  users:
    `id username password display_name role status email github_id oidc_id wechat_id telegram_id linux_do_id discord_id
    lark_id quota used_quota request_count group aff_code aff_count aff_quota aff_history inviter_id deleted_at setting remark
    created_at created_time`.split(/\s+/),
  tokens: `id user_id key status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota
    model_limits_enabled model_limits models allow_ips subnet group cross_group_retry auto_groups deleted_at`.split(
    /\s+/,
  ),
  channels:
    `id type key open_ai_organization test_model status name weight created_time test_time response_time base_url other
    balance balance_updated_time models group used_quota model_mapping status_code_mapping priority auto_ban other_info tag setting
    param_override header_override remark channel_info settings config system_prompt`.split(/\s+/),
  options: ["key", "value"],
  redemptions: `id user_id key status name quota created_time redeemed_time used_user_id expired_time deleted_at`.split(
    /\s+/,
  ),
  top_ups: `id user_id amount money trade_no payment_method create_time complete_time status`.split(/\s+/),
  two_fas: `id user_id secret is_enabled created_at deleted_at`.split(/\s+/),
};

type Columns = Readonly<Record<string, readonly string[]>>;

/** Read of one-hub and done-hub besides. */
const READ_OF_HUBS: Columns = {
  users: ["github_id_new", "linuxdo_id"],
  tokens: ["setting"],
  channels: ["proxy", "model_headers", "custom_parameter", "deleted_at"],
  orders: `id user_id gateway_id gateway_no trade_no amount order_amount order_currency quota status created_at
    updated_at`.split(/\s+/),
  user_groups: ["id", "symbol", "name", "ratio", "public", "enable"],
  prices: ["model", "type", "channel_type", "input", "output", "locked", "extra_ratios"],
};

/** Read of Veloera besides. */
const READ_OF_VELOERA: Columns = {
  channels: ["model_prefix"],
  redemptions: ["valid_from", "valid_until", "is_gift", "max_uses", "used_count"],
};

/** Of LiteLLM's staged rows besides. */
const READ_OF_LITELLM: Columns = { tokens: ["key_is_sha256", "key_end"], channels: ["left_reason"] };

const MORE_OF: Partial<Readonly<Record<System, Columns>>> = { Veloera: READ_OF_VELOERA, LiteLLM: READ_OF_LITELLM };

/** Columns of a table that are read; undefined for a table that is not. */
function columnsRead(system: System, table: string): readonly string[] | undefined {
  const more = (isHub(system) ? READ_OF_HUBS : MORE_OF[system])?.[table];
  const family = READ[table];
  return family === undefined && more === undefined ? undefined : [...(family ?? []), ...(more ?? [])];
}

/** The name there of a table of new-api. */
export const tableThere = (system: System, table: string): string =>
  table === "top_ups" && isHub(system) ? "orders" : table;

/** Cells that say what is so without them, by `table.column`. */
const DEFAULT_CELLS: Readonly<Record<string, string>> = { "channels.pre_cost": "1" };

/** Tables that are made anew from others here, or hold what is over once the old system has stopped. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  "abilities",
  "setups",
  "migrations",
  "user_sessions",
  "auth_flows",
  // Listed with the reason.
  "two_fa_backup_codes",
  "passkey_credentials",
]);

/** Lists the tables that have no place here, with their rows. @param hasLogs whether rows of the log come over */
export async function listLeftTables(source: KnownSource, report: Report, hasLogs: boolean): Promise<void> {
  for (const table of source.tables.keys()) {
    if (hasLogs && table === "logs") continue;
    if (columnsRead(source.system, table) !== undefined || MADE_ANEW.has(table)) continue;
    const rows = await source.count(table);
    if (rows > 0) report.leaveTable(table, rows);
  }
}

/**
 * Pages of a table in the columns that new-api has; what its columns without a place hold is counted on the way. Nothing where there is no such table.
 * @param table by its name in new-api
 */
export async function* readTable(
  source: KnownSource,
  table: string,
  report: Report,
): AsyncGenerator<readonly SourceRow[]> {
  const name = tableThere(source.system, table);
  const columns = source.tables.get(name);
  if (columns === undefined) return;
  const read = columnsRead(source.system, name) ?? [];
  const left = columns.filter((column) => !read.includes(column));
  const translate = await translationOf(source, table, report);
  for await (const rows of source.pages(name)) {
    report.count(table, "found", rows.length);
    for (const column of left) {
      const isLeft = (row: SourceRow): boolean =>
        saysSomething(row[column]) && row[column] !== DEFAULT_CELLS[`${name}.${column}`];
      const count = rows.filter(isLeft).length;
      if (count > 0) report.leaveColumn(name, column, count);
    }
    yield translate === undefined ? rows : rows.map(translate);
  }
}
