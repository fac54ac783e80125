/** What an import did and did not do: counts by table, findings by reason with examples, what has no place here, and how long each part took. */

/** What becomes of a row, option or value, and why: each finding is one of these. */
export const FINDINGS = {
  user_name_taken: "kept without a name to sign in by: another account has the same, but for its case",
  user_name_used: "renamed: an account here has the name",
  user_number_taken: "given another number: an account here has it",
  user_group_unknown: "kept: its group has no ratio, so calls are refused until it has one",
  user_password_unknown: "kept without a password: what is stored is neither bcrypt nor scrypt",
  user_role_unknown: "made plain users: the role has no place here",
  user_status_unknown: "disabled: the status is none that is known",
  user_email_taken: "kept without the address: an older account has it",
  user_identity_taken: "kept without the bound account: an older account has it",
  user_identity_login:
    "kept without GitHub: a login is stored in place of the number, and logins change hands; bind anew",
  user_deleted: "kept deleted, without e-mail address and bound accounts",
  user_gone: "disabled: the account is not there any more; its balance stays",
  user_is_root: "super administrators here too",
  user_is_admin: "administrators here too, with every permission but that of settings; that of money has prices in it",
  user_balance_negative: "kept: a negative balance admits no call",
  user_balance_ceiling: "kept, but look at it: the amount is the largest that the old column holds",
  user_used_differs: "the difference of the user's used quota from the sum of his tokens' is in his own entry",
  user_notices_by_email: "notified by e-mail: the address of Bark or Gotify has to be entered anew",
  user_setting_broken: "settings begin anew: the text is no JSON object",
  token_gone: "disabled: the token is not there any more",
  token_without_owner: "refused: the owner is not in `users`",
  token_key_twice: "refused: an older token has the key",
  token_key_form: "refused: the key is empty, too long, has `sk-` in it or characters that no header carries",
  token_key_short: "disabled: the key has fewer than 16 characters",
  token_number_taken: "given another number: a token here has it",
  token_addresses_bad: "disabled: an entry of its addresses is none",
  token_status_unknown: "disabled: the status is none that is known",
  token_balance_negative: "kept: limited, and its quota is below 0",
  token_setting_broken: "disabled: the limits in its settings cannot be read",
  token_setting_dropped: "kept without the setting, which has no place here",
  token_groups_dropped: "kept: groups of its own list that are none are left out",
  channel_gone: "kept as it is: the channel is not there any more",
  channel_number_taken: "given another number: a channel here has it",
  channel_type_unknown: "disabled: there is no provider for its type",
  channel_without_address: "disabled: its vendor is reached by an address, and it has none",
  channel_type_changed: "kept under another type, with the address written out",
  channel_disabled: "disabled: the provider would refuse what it has",
  channel_field_dropped: "kept without the field, which is not accepted here",
  channel_setting_dropped: "kept without the setting, which has no place here",
  channel_keys_twice: "kept once: the channel has the key several times",
  channel_keys_broken: "disabled: its keys cannot be read",
  channel_deleted: "not brought: it is deleted",
  code_twice: "refused: another code has the same text",
  code_empty: "refused: there is no text, or no quota",
  code_held_back: "disabled: it is a present, for several people, or for a later time",
  code_number_taken: "given another number: a code here has it",
  order_open: "left with the old system, where its payer is credited",
  order_twice: "given a number behind its own: an older order has the same",
  order_without_buyer: "refused: the buyer is not in `users`",
  factor_unreadable: "not brought: the secret cannot be read; the account has no second factor",
  passkeys_bound: "not brought: a passkey knows its account by the old system's number; each person adds a new one",
  recovery_codes: "not brought: only their hashes are stored; each person makes new ones",
  group_off: "not brought: the group is switched off, or its ratio is none; calls of it are refused",
  price_without_input: "not brought: it has a price of output without one of input, or none at all; enter it by hand",
  price_rounded: "kept with 12 decimals of its ratio of output",
  price_ratio_dropped: "kept without the further ratio, which has no place here",
  option_refused: "not brought",
  option_kept: "not brought: it is set here already",
  option_is_default: "not brought: it is the old product's own name or address",
  amount_rounded: "rounded to whole quota: an amount in dollars has more digits than a quota is worth",
  amounts_rounded: "what all roundings left, which is in no balance",
  budget_resets: "the running period's rest comes over; it does not begin anew here after the time",
  budget_shared: "kept as a bound of each key by itself: one budget of several has no place here",
  team_is_account: "an account of its own, without a password, that owns the team's keys: they spend the team's budget",
  user_balance_by_tokens: "given what their limited tokens may spend: no budget bounds the accounts",
  user_without_budget:
    "given the amount of --balance (0 without it): neither a budget nor limited tokens bound the account",
  user_sso_left: "kept without the bound account: which provider it is at is not stored",
  token_of_proxy: "given to the account of the proxy: the key names no owner who is there",
  token_routes_narrow: "disabled: it may call no models there",
  token_models_dropped: "kept without entries of its lists of models that name none here",
  token_of_console: "left: sessions of the old console",
  keys_in_grace: "left: old keys of rotated ones end with the move",
  channel_secret_closed: "disabled: a value cannot be opened, or stands in the old process's environment",
  channel_wildcard: "without models: names with * have no place here; enter them by hand",
  owner_missing: "refused: the account is not in `users`",
} as const;
export type Finding = keyof typeof FINDINGS;

/** Examples of one finding that are printed. */
const EXAMPLES_MAX = 20;

export interface TableCounts {
  /** Rows there. */
  found: number;
  brought: number;
  /** Brought by an earlier run. */
  known: number;
  refused: number;
}

interface Found {
  count: number;
  examples: string[];
}

export interface ReportData {
  tables: Readonly<Record<string, TableCounts>>;
  findings: readonly { finding: Finding; count: number; what: string; examples: readonly string[] }[];
  left_out: {
    tables: Readonly<Record<string, number>>;
    columns: Readonly<Record<string, number>>;
    options: Readonly<Record<string, string>>;
  };
}

export class Report {
  readonly #tables = new Map<string, TableCounts>();
  readonly #findings = new Map<Finding, Found>();
  readonly #columns = new Map<string, number>();
  readonly #leftTables = new Map<string, number>();
  readonly #options = new Map<string, string>();

  count(table: string, kind: keyof TableCounts, count = 1): void {
    const counts = this.#tables.getOrInsertComputed(table, () => ({ found: 0, brought: 0, known: 0, refused: 0 }));
    counts[kind] += count;
  }

  /** @param what the row, and what of it: never a secret */
  add(finding: Finding, what: string): void {
    const found = this.#findings.getOrInsertComputed(finding, () => ({ count: 0, examples: [] }));
    found.count += 1;
    if (found.examples.length < EXAMPLES_MAX) found.examples.push(what.slice(0, 200));
  }

  /** A column that has no place here, with the number of rows in which it says something. */
  leaveColumn(table: string, column: string, count: number): void {
    const name = `${table}.${column}`;
    this.#columns.set(name, (this.#columns.get(name) ?? 0) + count);
  }

  leaveTable(table: string, rows: number): void {
    this.#leftTables.set(table, rows);
  }

  /** @param why in one sentence, with the value where it is no secret */
  leaveOption(name: string, why: string): void {
    this.#options.set(name, why);
  }

  data(): ReportData {
    return {
      tables: Object.fromEntries(this.#tables),
      findings: [...this.#findings].map(([finding, { count, examples }]) => ({
        finding,
        count,
        what: FINDINGS[finding],
        examples,
      })),
      left_out: {
        tables: Object.fromEntries(this.#leftTables),
        columns: Object.fromEntries(this.#columns),
        options: Object.fromEntries(this.#options),
      },
    };
  }

  /** The report for people. */
  lines(): string[] {
    const { tables, findings, left_out: left } = this.data();
    const rows = Object.entries(tables).map(
      ([name, { found, brought, known, refused }]) =>
        `  ${name}: ${found} there, ${brought} brought, ${known} here already, ${refused} refused or left`,
    );
    const reasons = findings.flatMap(({ count, what, examples, finding }) => [
      `  ${finding} (${count}): ${what}`,
      `    ${examples.join("; ")}${count > examples.length ? `; and ${count - examples.length} more` : ""}`,
    ]);
    const withoutPlace = [
      ...Object.entries(left.tables).map(([name, count]) => `  table ${name}: ${count} rows`),
      ...Object.entries(left.columns).map(([name, count]) => `  column ${name}: ${count} rows with a value`),
      ...Object.entries(left.options).map(([name, why]) => `  option ${name}: ${why}`),
    ];
    return [
      "Tables:",
      ...rows,
      ...(reasons.length === 0 ? [] : ["Findings:", ...reasons]),
      ...(withoutPlace.length === 0 ? [] : ["Without a place here:", ...withoutPlace]),
    ];
  }
}

/** How long a part of an import took, for `--json` and for who measures one (tools/import-size.ts). */
export interface Timing {
  part: string;
  /** Unix milliseconds. */
  began_ms: number;
  ended_ms: number;
  /** Of all threads of this process. */
  processor_seconds: number;
}

/** The time of each part, in their order. */
export class Timings {
  readonly list: Timing[] = [];

  /** Runs a part, and notes it once it has ended. Throws what it throws. */
  async of<Result>(part: string, work: () => Promise<Result>): Promise<Result> {
    const [began_ms, before] = [Date.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    this.list.push({ part, began_ms, ended_ms: Date.now(), processor_seconds: (user + system) / 1e6 });
    return result;
  }
}
