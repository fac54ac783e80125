/** Which program's database this is, by the tables and columns that it has; and which of them an import reads. */
import { createHash } from "node:crypto";
import type { SourceAddress } from "./address.ts";
import type { Report } from "./report.ts";
import type { Source, SourceRow } from "./source.ts";
import { saysSomething } from "./cells.ts";

export type System = "one-api" | "new-api";

/** Newest first: the release that first had it. */
const NEW_API_MARKS: readonly (readonly [mark: string, release: string])[] = [
  ["tokens.auto_groups", "v1.0.0-rc.23"],
  ["users.auth_version", "v1.0.0-rc.22"],
  ["users.last_login_at", "v0.13.2"],
  ["custom_oauth_providers.id", "v0.10.8"],
  ["checkins.id", "v0.10.5"],
  ["tokens.cross_group_retry", "v0.10.1"],
  ["users.discord_id", "v0.9.25"],
  ["top_ups.payment_method", "v0.9.4"],
  ["passkey_credentials.id", "v0.9.1.3"],
  ["channels.header_override", "v0.9.0"],
  ["channels.settings", "v0.8.9.2"],
  ["two_fas.id", "v0.8.8.3"],
  ["channels.channel_info", "v0.8.8.0"],
  ["redemptions.expired_time", "v0.8.4.1"],
  ["setups.id", "v0.6.0.5"],
  ["channels.param_override", "v0.6.0.4"],
  ["users.oidc_id", "v0.5.2.3.1"],
  ["users.setting", "v0.4.8.0"],
  ["channels.setting", "v0.4.0.0"],
  ["channels.tag", "v0.3.2.0"],
  ["users.linux_do_id", "v0.3.1.1"],
  ["tokens.group", "v0.2.9.0"],
  ["tokens.allow_ips", "v0.2.8.7"],
  ["channels.status_code_mapping", "v0.2.2.1"],
  ["tokens.deleted_at", "v0.2.1.1"],
  ["users.telegram_id", "v0.2.0"],
  ["tokens.model_limits", "v0.1.1"],
];

const ONE_API_MARKS: readonly (readonly [mark: string, release: string])[] = [
  ["logs.request_id", "v0.6.11"],
  ["users.oidc_id", "v0.6.9"],
  ["tokens.subnet", "v0.6.5"],
  ["channels.config", "v0.6.0"],
  ["channels.priority", "v0.5.6"],
  ["users.used_quota", "v0.4.4"],
];

/** Tables by which other programs are known, which this version does not read. */
const OTHERS: readonly (readonly [mark: string, name: string])[] = [
  ["LiteLLM_VerificationToken.token", "LiteLLM"],
  ["user_groups.symbol", "one-hub or done-hub"],
  ["prices.channel_type", "one-hub or done-hub"],
  ["telegram_menus.id", "one-hub or done-hub"],
  ["channels.model_prefix", "Veloera"],
  ["redemptions.is_gift", "Veloera"],
  ["users.last_check_in_time", "Veloera"],
];

const CORE = ["users", "tokens", "channels", "options"] as const;

export interface Recognised {
  system: System;
  /** The least release that has these columns. */
  atLeast: string;
}

const has = ({ tables }: Pick<Source, "tables">, mark: string): boolean => {
  const [table = "", column = ""] = mark.split(".");
  return tables.get(table)?.includes(column) === true;
};

/**
 * Recognises a database by what it has.
 * @throws an Error of one line for one that is not read
 */
export function recognise(source: Pick<Source, "tables">): Recognised {
  const other = OTHERS.find(([mark]) => has(source, mark))?.[1];
  if (other !== undefined)
    throw new Error(`This is a database of ${other}, which cannot be imported: only one-api and new-api can`);
  const missing = CORE.filter((table) => !source.tables.has(table));
  if (missing.length > 0)
    throw new Error(`This is no database of one-api or new-api: it has no table ${missing.join(", ")}`);
  const half = [...source.tables.keys()].filter((name) => name.endsWith("__temp"));
  if (half.length > 0)
    throw new Error(
      `The old system was stopped in the middle of a change of its tables (${half.join(", ")}): start it once`,
    );
  if (!has(source, "users.quota"))
    throw new Error("This release of one-api keeps its money in tokens: upgrade it to v0.3 or later first");
  const isNewApi = has(source, "top_ups.id") || has(source, "midjourneys.id") || has(source, "tokens.model_limits");
  const marks = isNewApi ? NEW_API_MARKS : ONE_API_MARKS;
  const oldest = isNewApi ? "v0.0.4" : "v0.3.0";
  return {
    system: isNewApi ? "new-api" : "one-api",
    atLeast: marks.find(([mark]) => has(source, mark))?.[1] ?? oldest,
  };
}

/** Names a source in ledger entries: 12 characters, the same for the same system and place. */
export const originOf = (system: System, { place }: SourceAddress): string =>
  createHash("sha256").update(`${system}\0${place}`).digest("hex").slice(0, 12);

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

/** Tables that are made anew from others here, or hold what is over once the old system has stopped. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  "abilities",
  "setups",
  "user_sessions",
  "auth_flows",
  // Listed with the reason.
  "two_fa_backup_codes",
  "passkey_credentials",
]);

/** Lists the tables that have no place here, with their rows. */
export async function listLeftTables(source: Source, report: Report): Promise<void> {
  for (const table of source.tables.keys()) {
    if (table in READ || MADE_ANEW.has(table)) continue;
    const rows = await source.count(table);
    if (rows > 0) report.leaveTable(table, rows);
  }
}

/** Pages of a table; what its columns without a place hold is counted on the way. Nothing where there is no such table. */
export async function* readTable(source: Source, table: string, report: Report): AsyncGenerator<readonly SourceRow[]> {
  const columns = source.tables.get(table);
  if (columns === undefined) return;
  const left = columns.filter((column) => READ[table]?.includes(column) !== true);
  for await (const rows of source.pages(table)) {
    report.count(table, "found", rows.length);
    for (const column of left) {
      const count = rows.filter((row) => saysSomething(row[column])).length;
      if (count > 0) report.leaveColumn(table, column, count);
    }
    yield rows;
  }
}
