/** LiteLLM's tables by its schema.prisma (BerriAI/litellm at 0010143f7d50, 1.106.2): which columns are read, and what is listed as without a place here. */
import { saysSomething } from "../cells.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";

interface TableRead {
  /** The column that pages follow. */
  key: string;
  /** Read, or what follows from what is read. */
  columns: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Who and when: kept by the rows here in their own way. */
const STAMPS = words("created_at updated_at created_by updated_by");

export const TABLES = {
  LiteLLM_UserTable: {
    key: "user_id",
    columns:
      words(`user_id user_alias user_email user_role password sso_user_id teams max_budget spend models budget_duration
      budget_reset_at`),
  },
  LiteLLM_TeamTable: {
    key: "team_id",
    columns:
      words(`team_id team_alias organization_id max_budget spend models blocked budget_duration budget_reset_at metadata
      members_with_roles admins members`),
  },
  LiteLLM_VerificationToken: {
    key: "token",
    columns:
      words(`token key_name key_alias spend total_spend max_budget expires models user_id team_id project_id organization_id budget_id
      blocked allowed_routes budget_duration budget_reset_at last_active`),
  },
  LiteLLM_BudgetTable: {
    key: "budget_id",
    columns: words("budget_id max_budget budget_duration budget_reset_at"),
  },
  LiteLLM_OrganizationTable: {
    key: "organization_id",
    columns: words("organization_id organization_alias budget_id spend models"),
  },
  LiteLLM_ProjectTable: {
    key: "project_id",
    columns: words("project_id project_alias team_id budget_id spend models blocked"),
  },
  LiteLLM_TeamMembership: { key: "user_id", columns: words("user_id team_id spend total_spend budget_id") },
  LiteLLM_ProxyModelTable: { key: "model_id", columns: words("model_id model_name litellm_params model_info blocked") },
  LiteLLM_CredentialsTable: {
    key: "credential_id",
    columns: words("credential_id credential_name credential_values credential_info"),
  },
  LiteLLM_Config: { key: "param_name", columns: words("param_name param_value") },
} as const satisfies Readonly<Record<string, TableRead>>;

export type TableName = keyof typeof TABLES;

/** Of programs that run beside it, sums of the usage log, views, and what is listed with its reason. */
const MADE_ANEW =
  /^(?:_prisma_migrations|LiteLLM_(?:Daily\w+|CronJob|HealthCheckTable|DeprecatedVerificationToken|VerificationTokenView)|MonthlyGlobalSpend\w*|Last30d\w+|DailyTagSpend)$/;

const LOG_TABLE = "LiteLLM_SpendLogs";

/** Lists the tables that have no place here, with their rows. */
export async function listLeftOf(source: Source, report: Report, hasLogs: boolean): Promise<void> {
  for (const table of source.tables.keys()) {
    if (table in TABLES || MADE_ANEW.test(table) || (hasLogs && table === LOG_TABLE)) continue;
    const rows = await source.count(table);
    if (rows > 0) report.leaveTable(table, rows);
  }
}

/** Pages of a table; what its columns without a place hold is counted on the way. Nothing where there is no such table. */
export async function* rowsOf(source: Source, table: TableName, report: Report): AsyncGenerator<readonly SourceRow[]> {
  const columns = source.tables.get(table);
  if (columns === undefined) return;
  const { key, columns: read }: TableRead = TABLES[table];
  const left = columns.filter((column) => !read.includes(column) && !STAMPS.includes(column));
  // The key of this one has two columns.
  const pages = source.pages(table, table === "LiteLLM_TeamMembership" ? undefined : key);
  for await (const rows of pages) {
    for (const column of left) {
      const count = rows.filter((row) => saysSomething(row[column])).length;
      if (count > 0) report.leaveColumn(table, column, count);
    }
    yield rows;
  }
}
