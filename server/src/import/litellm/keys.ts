/** Virtual keys of LiteLLM as tokens: found by the SHA-256 that is stored of them, bounded by the least of all budgets above them. */
import { flagIn, momentIn, nameIn, textIn } from "../cells.ts";
import type { SourceRow } from "../source.ts";
import { type Budgets, leastOf, leftOf, memberName, noteReset, spentEver } from "./budgets.ts";
import { listIn } from "./cells.ts";
import { inAll, type ModelList, type ModelNames, readModels } from "./models.ts";
import { proxyAccount, quotaIn, secondsIn, type StageContext, teamName, userName } from "./people.ts";
import { rowsOf } from "./tables.ts";

export interface KeyContext extends StageContext {
  budgets: Budgets;
  /** Lists of owners that have one. */
  modelsOfOwners: ReadonlyMap<string, ModelList>;
  known: ModelNames;
  /** Accounts whose used sum follows from their tokens. */
  usedByTokens: Set<number>;
}

/** Sessions of LiteLLM's own console. */
const SESSIONS = "litellm-dashboard";

const SHA256 = /^[0-9a-f]{64}$/i;

/** Lists of routes that allow calls of models. */
const CALL_ROUTES: ReadonlySet<string> = new Set(["llm_api_routes", "openai_routes", "*"]);

const labelOf = (id: number, row: SourceRow): string => `#${id} ${nameIn(row, "key_alias", 60)}`.trim();

/** The account that has the key, and the name under which lists of models are kept for it. */
async function ownerOf(context: KeyContext, row: SourceRow, label: string): Promise<{ id: number; name: string }> {
  const { staging, report } = context;
  const [team, user] = [textIn(row, "team_id"), textIn(row, "user_id")];
  const name = team === "" ? userName(user) : teamName(team);
  const id = team === "" && user === "" ? undefined : staging.numberOf(name);
  if (id !== undefined) return { id, name };
  report.add("token_of_proxy", label);
  return { id: await proxyAccount(context, context.usedByTokens), name };
}

/** Everything that bounds the key beside its owner's balance. */
function boundOf({ budgets }: KeyContext, row: SourceRow) {
  const [team, user] = [textIn(row, "team_id"), textIn(row, "user_id")];
  return leastOf([
    leftOf(row, budgets.amounts),
    budgets.projects.get(textIn(row, "project_id"))?.left,
    budgets.organizations.get(textIn(row, "organization_id"))?.left,
    budgets.members.get(memberName(team, user)),
  ]);
}

/** Why a key is off: its own mark, that of what it belongs to, or routes that no call takes. */
function isOff({ budgets, report }: KeyContext, row: SourceRow, label: string): boolean {
  const routes = listIn(row, "allowed_routes");
  const isForCalls = routes.length === 0 || routes.some((route) => CALL_ROUTES.has(route));
  if (!isForCalls) report.add("token_routes_narrow", `${label}: ${routes.join(", ").slice(0, 100)}`);
  return (
    !isForCalls ||
    flagIn(row, "blocked") === true ||
    budgets.projects.get(textIn(row, "project_id"))?.isBlocked === true
  );
}

function modelsOf(context: KeyContext, row: SourceRow, { owner, label }: { owner: string; label: string }): ModelList {
  const { budgets, known, modelsOfOwners, report } = context;
  const lists = [
    readModels(listIn(row, "models"), known),
    readModels(budgets.projects.get(textIn(row, "project_id"))?.models ?? [], known),
    readModels(budgets.organizations.get(textIn(row, "organization_id"))?.models ?? [], known),
  ];
  const ofOwner = modelsOfOwners.get(owner);
  const all = inAll(ofOwner === undefined ? lists : [...lists, ofOwner]);
  if (all.dropped.length > 0) report.add("token_models_dropped", `${label}: ${all.dropped.join(", ").slice(0, 100)}`);
  return all;
}

async function stageKey(context: KeyContext, row: SourceRow, id: number): Promise<void> {
  const { staging, report } = context;
  const label = labelOf(id, row);
  const owner = await ownerOf(context, row, label);
  const bound = boundOf(context, row);
  const { names } = modelsOf(context, row, { owner: owner.name, label });
  const expires = momentIn(row, "expires");
  noteReset(row, label, report);
  staging.add("tokens", {
    id,
    user_id: owner.id,
    key: textIn(row, "token").toLowerCase(),
    key_is_sha256: 1,
    key_end: textIn(row, "key_name").slice(-4),
    status: isOff(context, row, label) ? 2 : 1,
    name: textIn(row, "key_alias") || textIn(row, "key_name"),
    created_time: secondsIn(row, "created_at"),
    accessed_time: secondsIn(row, "last_active"),
    expired_time: expires ?? -1,
    remain_quota: bound === undefined ? 0 : quotaIn(context, bound, `${label} left`),
    unlimited_quota: bound === undefined ? 1 : 0,
    used_quota: quotaIn(context, spentEver(row), `${label} used`),
    model_limits_enabled: names === undefined ? 0 : 1,
    model_limits: [...(names ?? [])].join(","),
  });
}

/** Stages all keys but the sessions of the old console, and rows whose key is no SHA-256. */
export async function stageKeys(context: KeyContext): Promise<void> {
  const { source, numbers, report } = context;
  for await (const all of rowsOf(source, "LiteLLM_VerificationToken", report)) {
    const rows = all.filter((row) => {
      const isSession = textIn(row, "team_id") === SESSIONS;
      if (isSession) report.add("token_of_console", nameIn(row, "user_id", 60));
      else if (!SHA256.test(textIn(row, "token"))) report.add("token_key_form", nameIn(row, "key_alias", 60));
      return !isSession && SHA256.test(textIn(row, "token"));
    });
    const names = rows.map((row) => textIn(row, "token").toLowerCase());
    const ids = await numbers.of("token", names);
    for (const [index, row] of rows.entries()) await stageKey(context, row, ids.get(names[index] ?? "") ?? 0);
    report.count("LiteLLM_VerificationToken", "found", all.length);
    report.count("LiteLLM_VerificationToken", "brought", rows.length);
    report.count("LiteLLM_VerificationToken", "refused", all.length - rows.length);
  }
}

/** Old keys of rotated ones, which go on working there for a while. */
export async function noteKeysInGrace({ source, report }: KeyContext): Promise<void> {
  const table = "LiteLLM_DeprecatedVerificationToken";
  const rows = source.tables.has(table) ? await source.count(table) : 0;
  if (rows > 0) report.add("keys_in_grace", `${rows} rows of ${table}`);
}
