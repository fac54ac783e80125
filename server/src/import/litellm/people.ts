/** People and teams of LiteLLM as accounts here: a team becomes an account that owns its keys, since its budget bounds them and not its members'. */
import { flagIn, momentIn, nameIn, textIn } from "../cells.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import { type Budgets, leastOf, leftOf, noteReset, spentEver } from "./budgets.ts";
import type { Numbers } from "./numbers.ts";
import type { Staging } from "./staging.ts";
import { rowsOf } from "./tables.ts";
import { NOTHING, plus, quotaOf, type Usd, usdText } from "./usd.ts";

export interface StageContext {
  source: Source;
  staging: Staging;
  numbers: Numbers;
  report: Report;
  /** Quota of one dollar. */
  unit: Usd;
  /** The remainder of rounding all amounts, in quota. */
  rounding: { sum: Usd };
}

/** The quota of an amount; what the rounding leaves is listed. */
export function quotaIn({ unit, report, rounding }: StageContext, amount: Usd, label: string): bigint {
  const { quota, remainder } = quotaOf(amount, unit);
  if (remainder === undefined) return quota;
  report.add("amount_rounded", `${label}: ${usdText(amount)} USD is ${quota}, ${usdText(remainder)} left`);
  rounding.sum = plus(rounding.sum, remainder);
  return quota;
}

/** The proxy itself: its keys have no owner. */
const PROXY = "default_user_id";
const PROXY_NAME = "litellm-proxy";

export const userName = (id: string): string => `user\0${id}`;
export const teamName = (id: string): string => `team\0${id}`;

/** Text of another program's, short enough for any report. */
const said = (text: string): string => text.slice(0, 60);

const ROLES: Readonly<Record<string, number>> = { proxy_admin: 10, internal_user: 1, internal_user_viewer: 1 };

function roleOf(row: SourceRow, label: string, report: Report): number {
  const there = textIn(row, "user_role");
  const role = ROLES[there];
  if (role === undefined) report.add("user_role_unknown", `${label}: ${said(there) || "none"}`);
  return role ?? 1;
}

/** Seconds, as a cell of the staged table. */
export const secondsIn = (row: SourceRow, column: string): number => Math.max(0, momentIn(row, column) ?? 0);

interface Account {
  id: number;
  username: string;
  label: string;
  left: Usd | undefined;
  used: Usd;
}

function stageAccount(
  context: StageContext,
  row: SourceRow,
  account: Account & { more: Record<string, string | number> },
) {
  const { staging } = context;
  const { id, username, label, left, used, more } = account;
  if (left === undefined) staging.noteWithoutBudget(id);
  staging.add("users", {
    id,
    username,
    display_name: username,
    status: 1,
    role: 1,
    group: "default",
    quota: quotaIn(context, left ?? NOTHING, `${label} balance`),
    used_quota: quotaIn(context, used, `${label} used`),
    created_at: secondsIn(row, "created_at"),
    ...more,
  });
}

function stagePerson(context: StageContext, row: SourceRow, { id, budgets }: { id: number; budgets: Budgets }): void {
  const { report } = context;
  const userId = row["user_id"] ?? "";
  const email = textIn(row, "user_email").trim();
  const isProxy = userId === PROXY;
  const username = isProxy ? PROXY_NAME : nameIn(row, "user_alias", 64) || email || nameIn(row, "user_id", 64);
  const label = `#${id} ${said(username)}`;
  noteReset(row, label, report);
  if (textIn(row, "sso_user_id") !== "") report.add("user_sso_left", label);
  const more = isProxy ? { role: 1 } : { role: roleOf(row, label, report), email, password: textIn(row, "password") };
  stageAccount(context, row, { id, username, label, left: leftOf(row, budgets.amounts), used: spentEver(row), more });
}

/** Stages everybody; their lists of models, which bind the keys that are their own, are kept by name. */
export async function stagePeople(context: StageContext, budgets: Budgets, keepModels: KeepModels): Promise<void> {
  const { source, staging, numbers, report } = context;
  for await (const rows of rowsOf(source, "LiteLLM_UserTable", report)) {
    const names = rows.map((row) => userName(row["user_id"] ?? ""));
    const ids = await numbers.of("user", names);
    for (const [index, row] of rows.entries()) {
      const name = names[index] ?? "";
      const id = ids.get(name) ?? 0;
      staging.remember(name, id);
      keepModels(name, row);
      stagePerson(context, row, { id, budgets });
    }
  }
}

export type KeepModels = (owner: string, row: SourceRow) => void;

function stageTeam(context: StageContext, row: SourceRow, { id, budgets }: { id: number; budgets: Budgets }): void {
  const { report } = context;
  const teamId = row["team_id"] ?? "";
  const username = nameIn(row, "team_alias", 64) || `team_${teamId.slice(0, 58)}`;
  const label = `#${id} team ${said(username)}`;
  noteReset(row, label, report);
  report.add("team_is_account", label);
  const organization = budgets.organizations.get(row["organization_id"] ?? "");
  const left = leastOf([leftOf(row, budgets.amounts), organization?.left]);
  const status = flagIn(row, "blocked") === true || organization?.isBlocked === true ? 2 : 1;
  stageAccount(context, row, { id, username, label, left, used: spentEver(row), more: { status } });
}

/** Stages the teams; gives the budgets that they name for each of their members. */
export async function stageTeams(context: StageContext, budgets: Budgets, keepModels: KeepModels): Promise<void> {
  const { source, staging, numbers, report } = context;
  for await (const rows of rowsOf(source, "LiteLLM_TeamTable", report)) {
    const names = rows.map((row) => teamName(row["team_id"] ?? ""));
    const ids = await numbers.of("user", names);
    report.count("LiteLLM_TeamTable", "found", rows.length);
    report.count("LiteLLM_TeamTable", "brought", rows.length);
    for (const [index, row] of rows.entries()) {
      const name = names[index] ?? "";
      const id = ids.get(name) ?? 0;
      staging.remember(name, id);
      keepModels(name, row);
      stageTeam(context, row, { id, budgets });
    }
  }
}

/** The account of keys without an owner; it is made when the first of them comes. @param used gets those whose sum follows from their tokens */
export async function proxyAccount({ staging, numbers }: StageContext, used: Set<number>): Promise<number> {
  const name = userName(PROXY);
  const known = staging.numberOf(name);
  if (known !== undefined) return known;
  const id = (await numbers.of("user", [name])).get(name) ?? 0;
  used.add(id);
  staging.remember(name, id);
  staging.noteWithoutBudget(id);
  const username = PROXY_NAME;
  staging.add("users", {
    id,
    username,
    display_name: username,
    status: 1,
    role: 1,
    group: "default",
    quota: 0,
    used_quota: 0,
  });
  return id;
}
