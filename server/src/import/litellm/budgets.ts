/** Budgets of LiteLLM's keys, people and teams: their own and those above them, read whole, since few rows have them. */
import { flagIn } from "../cells.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import { fieldsIn, listIn } from "./cells.ts";
import { rowsOf } from "./tables.ts";
import { larger, minus, NOTHING, readUsd, smaller, type Usd } from "./usd.ts";

/** Something above a key: a team, a project, an organisation. */
interface Above {
  /** What may still be spent; undefined where nothing bounds it. */
  left: Usd | undefined;
  /** Models that may be called; none for all. */
  models: readonly string[];
  isBlocked: boolean;
}

export interface Budgets {
  /** Dollars of each budget; undefined for one without an amount. */
  amounts: ReadonlyMap<string, Usd | undefined>;
  organizations: ReadonlyMap<string, Above>;
  projects: ReadonlyMap<string, Above>;
  /** By team and person. */
  members: ReadonlyMap<string, Usd>;
}

export const memberName = (teamId: string, userId: string): string => `${teamId}\0${userId}`;

/** What was spent so far, in all and in the running period: what bounds is the period. */
const spentIn = (row: SourceRow): Usd => readUsd(row["spend"]) ?? NOTHING;

export const spentEver = (row: SourceRow): Usd => larger(spentIn(row), readUsd(row["total_spend"]) ?? NOTHING);

/** What is left of a row's own budget, else of that of its `budget_id`. */
export function leftOf(row: SourceRow, amounts: ReadonlyMap<string, Usd | undefined>): Usd | undefined {
  const amount = readUsd(row["max_budget"]) ?? amounts.get(row["budget_id"] ?? "");
  return amount === undefined ? undefined : minus(amount, spentIn(row));
}

/** A budget that begins anew after a while has no place here. */
export function noteReset(row: SourceRow, label: string, report: Report): void {
  if ((row["budget_duration"] ?? "") !== "") report.add("budget_resets", `${label}: ${row["budget_duration"]}`);
}

async function readAmounts(source: Source, report: Report): Promise<Map<string, Usd | undefined>> {
  const amounts = new Map<string, Usd | undefined>();
  for await (const rows of rowsOf(source, "LiteLLM_BudgetTable", report))
    for (const row of rows) {
      report.count("LiteLLM_BudgetTable", "found");
      report.count("LiteLLM_BudgetTable", "brought");
      amounts.set(row["budget_id"] ?? "", readUsd(row["max_budget"]));
      noteReset(row, `budget ${row["budget_id"]}`, report);
    }
  return amounts;
}

async function readAbove(
  source: Source,
  table: "LiteLLM_OrganizationTable" | "LiteLLM_ProjectTable",
  { amounts, report }: { amounts: ReadonlyMap<string, Usd | undefined>; report: Report },
): Promise<Map<string, Above>> {
  const above = new Map<string, Above>();
  const [id, alias] =
    table === "LiteLLM_ProjectTable" ? ["project_id", "project_alias"] : ["organization_id", "organization_alias"];
  for await (const rows of rowsOf(source, table, report))
    for (const row of rows) {
      const left = leftOf(row, amounts);
      report.count(table, "found");
      report.count(table, "brought");
      if (left !== undefined) report.add("budget_shared", `${alias} ${row[alias] ?? row[id]}`);
      above.set(row[id] ?? "", { left, models: listIn(row, "models"), isBlocked: flagIn(row, "blocked") === true });
    }
  return above;
}

async function readMembers(
  source: Source,
  teamBudgets: ReadonlyMap<string, string>,
  { amounts, report }: { amounts: ReadonlyMap<string, Usd | undefined>; report: Report },
): Promise<Map<string, Usd>> {
  const members = new Map<string, Usd>();
  for await (const rows of rowsOf(source, "LiteLLM_TeamMembership", report))
    for (const row of rows) {
      const [team, user] = [row["team_id"] ?? "", row["user_id"] ?? ""];
      report.count("LiteLLM_TeamMembership", "found");
      report.count("LiteLLM_TeamMembership", "brought");
      const amount = amounts.get(row["budget_id"] ?? teamBudgets.get(team) ?? "");
      if (amount === undefined) continue;
      report.add("budget_shared", `member ${user} of team ${team}`);
      members.set(memberName(team, user), minus(amount, spentIn(row)));
    }
  return members;
}

/** A budget for each member that the team's metadata names. */
export const memberBudgetOf = (team: SourceRow): string | undefined => {
  const id = fieldsIn(team, "metadata")["team_member_budget_id"];
  return typeof id === "string" ? id : undefined;
};

/** Reads all that stands above keys. @param teamBudgets budgets for each member, by team */
export async function readBudgets(
  source: Source,
  teamBudgets: ReadonlyMap<string, string>,
  report: Report,
): Promise<Budgets> {
  const amounts = await readAmounts(source, report);
  const context = { amounts, report };
  return {
    amounts,
    organizations: await readAbove(source, "LiteLLM_OrganizationTable", context),
    projects: await readAbove(source, "LiteLLM_ProjectTable", context),
    members: await readMembers(source, teamBudgets, context),
  };
}

/** The least of what bounds something; undefined where nothing does. */
export const leastOf = (bounds: readonly (Usd | undefined)[]): Usd | undefined =>
  bounds.reduce<Usd | undefined>(smaller, undefined);
