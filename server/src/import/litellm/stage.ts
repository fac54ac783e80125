/** LiteLLM's database as a source of the family: read once, translated into staged tables, and passed to the common import. */
import { parseOptions } from "../../../../contract/src/options/options.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import type { Target } from "../target.ts";
import { memberBudgetOf, readBudgets } from "./budgets.ts";
import { listIn } from "./cells.ts";
import { readAliases, readModelNames, stageDeployments } from "./deployments.ts";
import { noteKeysInGrace, stageKeys } from "./keys.ts";
import { logsOf } from "./logs.ts";
import { type ModelList, readModels } from "./models.ts";
import { Numbers } from "./numbers.ts";
import { stagePeople, stageTeams, type StageContext } from "./people.ts";
import { Staging } from "./staging.ts";
import { listLeftOf } from "./tables.ts";
import { NOTHING, quotaOf, readUsd, type Usd, usdText } from "./usd.ts";

/** What an operator says of a LiteLLM beside its address. */
export interface LitellmWords {
  /** LITELLM_SALT_KEY there, else its master key; undefined where it is not given. */
  saltKey?: string | undefined;
  /** Dollars that an account gets which nothing bounds there; "0" by default. */
  balance?: string | undefined;
}

/** Throws an Error of one line. */
function readBalance(text: string): Usd {
  const usd = readUsd(text);
  if (usd === undefined || usd.digits < 0n) throw new Error(`"${text.slice(0, 40)}" is no amount of dollars`);
  return usd;
}

/** Quota of a dollar at this site. */
async function unitOf({ database }: Target): Promise<Usd> {
  const rows = await database.kysely
    .selectFrom("options")
    .select(["name", "value"])
    .where("name", "=", "QuotaPerUnit")
    .execute();
  const { QuotaPerUnit } = parseOptions(new Map(rows.map(({ name, value }) => [name, value])));
  return readUsd(String(QuotaPerUnit)) ?? NOTHING;
}

async function memberBudgets({ tables, select }: Source): Promise<Map<string, string>> {
  if (tables.get("LiteLLM_TeamTable")?.includes("metadata") !== true) return new Map();
  const rows = await select(
    `SELECT "team_id", "metadata" FROM "LiteLLM_TeamTable" WHERE CAST("metadata" AS TEXT) LIKE '%team_member_budget_id%'`,
  );
  return new Map(
    rows.flatMap((row) => {
      const budget = memberBudgetOf(row);
      return budget === undefined ? [] : [[row["team_id"] ?? "", budget] as const];
    }),
  );
}

async function fill(context: StageContext, { saltKey, balance = "0" }: LitellmWords): Promise<void> {
  const { source, staging, report } = context;
  const unlimited = quotaOf(readBalance(balance), context.unit).quota;
  const known = await readModelNames(source);
  const budgets = await readBudgets(source, await memberBudgets(source), report);
  const modelsOfOwners = new Map<string, ModelList>();
  const keepModels = (owner: string, row: SourceRow): void => {
    const list = readModels(listIn(row, "models"), known);
    if (list.names !== undefined) modelsOfOwners.set(owner, list);
  };
  await stagePeople(context, budgets, keepModels);
  await stageTeams(context, budgets, keepModels);
  const usedByTokens = new Set<number>();
  const keys = { ...context, budgets, modelsOfOwners, known, usedByTokens };
  await stageKeys(keys);
  await noteKeysInGrace(keys);
  for (const id of usedByTokens) staging.setUsedByTokens(id);
  const without = staging.balanceWithoutBudget(unlimited);
  if (without.byTokens > 0) report.add("user_balance_by_tokens", `${without.byTokens} accounts`);
  for (const id of without.unlimited) report.add("user_without_budget", `#${id}`);
  await stageDeployments(context, saltKey, await readAliases(context));
}

export interface LitellmJob {
  source: Source;
  target: Target;
  report: Report;
  words: LitellmWords;
  hasLogs: boolean;
}

/**
 * Reads everything that comes over but the usage log, which is read when it is asked for.
 * @returns a source with the tables users, tokens, channels and logs in the columns of new-api; closing it leaves `source` open
 * @throws an Error of one line
 */
export async function stageLitellm({ source, target, report, words, hasLogs }: LitellmJob): Promise<Source> {
  const staging = new Staging();
  try {
    const unit = await unitOf(target);
    const context: StageContext = {
      source,
      staging,
      numbers: new Numbers(target),
      report,
      unit,
      rounding: { sum: NOTHING },
    };
    await listLeftOf(source, report, hasLogs);
    await fill(context, words);
    if (context.rounding.sum.digits !== 0n) report.add("amounts_rounded", `${usdText(context.rounding.sum)} quota`);
    const staged = await staging.toSource();
    const tables = new Map(staged.tables);
    if (hasLogs) tables.set("logs", LOG_COLUMNS);
    return {
      ...staged,
      tables,
      between: (table, wanted) =>
        table === "logs" ? logsOf({ source, staging, unit }, wanted) : staged.between(table, wanted),
    };
  } catch (error) {
    staging.close();
    throw error;
  }
}

/** Columns of the log that its rows are given in. */
const LOG_COLUMNS =
  `id user_id created_at type username token_name model_name quota prompt_tokens completion_tokens elapsed_time
  is_stream channel_id token_id ip other`.split(/\s+/);
