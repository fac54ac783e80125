/**
 * A LiteLLM database as Prisma makes it on PostgreSQL, with hostile rows: tables from the published schema (github.com/BerriAI/litellm,
 * litellm/proxy/schema.prisma at 0010143f7d50), with `total_spend` of keys, which a later migration added.
 */
import { createCipheriv, createHash, scryptSync } from "node:crypto";
import type { OldRows, Tables } from "./old-gateway.ts";

const STAMPS = "created_at:stamp created_by:string updated_at:stamp updated_by:string";

export const LITELLM: Tables = {
  LiteLLM_BudgetTable: `budget_id:string max_budget:double soft_budget:double max_parallel_requests:int32 tpm_limit rpm_limit
    model_max_budget:json budget_duration:string budget_reset_at:stamp allowed_models:list ${STAMPS}`,
  LiteLLM_CredentialsTable: `credential_id:string credential_name:string credential_values:json credential_info:json ${STAMPS}`,
  LiteLLM_ProxyModelTable: `model_id:string model_name:string litellm_params:json model_info:json blocked:bool ${STAMPS}`,
  LiteLLM_OrganizationTable: `organization_id:string organization_alias:string budget_id:string metadata:json models:list spend:double
    model_spend:json object_permission_id:string ${STAMPS}`,
  LiteLLM_TeamTable: `team_id:string team_alias:string organization_id:string object_permission_id:string admins:list members:list
    members_with_roles:json metadata:json max_budget:double soft_budget:double spend:double models:list max_parallel_requests:int32
    tpm_limit rpm_limit budget_duration:string budget_reset_at:stamp blocked:bool created_at:stamp updated_at:stamp model_id:int32`,
  LiteLLM_ProjectTable: `project_id:string project_alias:string team_id:string budget_id:string metadata:json models:list spend:double
    blocked:bool ${STAMPS}`,
  LiteLLM_UserTable: `user_id:string user_alias:string team_id:string sso_user_id:string organization_id:string password:string
    teams:list user_role:string max_budget:double spend:double user_email:string models:list metadata:json max_parallel_requests:int32
    tpm_limit rpm_limit budget_duration:string budget_reset_at:stamp policies:list created_at:stamp updated_at:stamp`,
  LiteLLM_VerificationToken: `token:string key_name:string key_alias:string spend:double total_spend:double expires:stamp models:list
    aliases:json config:json user_id:string team_id:string project_id:string permissions:json max_parallel_requests:int32 metadata:json
    blocked:bool tpm_limit rpm_limit max_budget:double budget_duration:string budget_reset_at:stamp allowed_routes:list
    model_max_budget:json budget_id:string organization_id:string created_at:stamp last_active:stamp`,
  LiteLLM_DeprecatedVerificationToken: "id:string token:string active_token_id:string revoke_at:stamp created_at:stamp",
  LiteLLM_TeamMembership: "user_id:string team_id:string spend:double total_spend:double budget_id:string",
  LiteLLM_EndUserTable: "user_id:string alias:string spend:double budget_id:string blocked:bool",
  LiteLLM_Config: "param_name:string param_value:json",
  LiteLLM_DailyUserSpend: "id:string user_id:string date:string spend:double",
  LiteLLM_SpendLogs: `request_id:string call_type:string api_key:string spend:double total_tokens:int32 prompt_tokens:int32
    completion_tokens:int32 startTime:stamp endTime:stamp request_duration_ms:int32 completionStartTime:stamp model:string
    model_id:string model_group:string user:string metadata:json messages:json response:json status:string
    requester_ip_address:string`,
};

export const SALT_KEY = "salt-of-the-old-proxy-0123456789";
export const LITELLM_PASSWORD = "litellm password 9";

/** Of the forms that LiteLLM makes: 22 characters behind `sk-`, with `-` and `_` among them. */
export const LITELLM_KEYS = {
  ada: "sk-Ab-cD_efGh1jKlmN0pQrS-",
  blocked: "sk-Bl0cKedBl0cKedBl0cKed",
  expired: "sk-Exp1redExp1redExp1red",
  spent: "sk-SpentSpentSpentSpent0",
  team: "sk-TeamTeam_TeamTeam-Team",
  orphan: "sk-custom-key-of-an-orphan",
  bo: "sk-B0B0B0B0B0B0B0B0B0B0B0",
  cy: "sk-CyCyCyCyCyCyCyCyCyCyCy",
  routes: "sk-R0utesR0utesR0utesR0u",
  member: "sk-MemberMemberMemberMem",
} as const;

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Sealed under SALT_KEY as an older release does it, with fixed nonces: NaCl's secretbox. */
const BOXES = {
  "openai/gpt-4o": "58VJ16dt4MZ8u4xeHmZjMznYXX8QUXjYAhJQDuWErtl6cb6waY5Z9j2CMjf4zmzmGGou1UM",
  "sk-upstream-of-litellm-0123456789":
    "3DmxVf6XkxIzNusKfIuWFeTqIr1IBmZ3f_0TyDRC4oLSOZ6AdNVh1F8K4lRyPltNUdtKwgjjkHYKH2tBOvF3lRQDcX6Uc4B7Kw",
  "azure/my-deployment": "FMfYJ8iccMN7-qZhaWYUrWzqbGhzPrGMdJpSkS2qkJrEmxBF6pmpWIyrf-tb-kaRibMGYyTJIxkrGeI",
} as const;

/** The form of `encryption_algorithm: aes-256-gcm`. */
function gcm(text: string): string {
  const nonce = Buffer.alloc(12, text.length);
  const cipher = createCipheriv("aes-256-gcm", createHash("sha256").update(SALT_KEY).digest(), nonce);
  const body = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return `v2:gcm:${body.toString("base64url")}`;
}

function scryptOf(password: string): string {
  const salt = Buffer.alloc(16, 7);
  const tag = scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1 });
  return `scrypt:${Buffer.concat([salt, tag]).toString("base64")}`;
}

const CREATED = "2026-01-02 03:04:05.678";

const person = (user_id: string, more: OldRows[string][number] = {}) => ({
  user_id,
  spend: 0,
  models: "{}",
  metadata: "{}",
  user_role: "internal_user",
  created_at: CREATED,
  ...more,
});

export const litellmKey = (key: string, more: OldRows[string][number] = {}) => ({
  token: sha256(key),
  key_name: `sk-...${key.slice(-4)}`,
  spend: 0,
  models: "{}",
  aliases: "{}",
  metadata: "{}",
  created_at: CREATED,
  ...more,
});

const deployment = (model_id: string, model_name: string, parameters: object, more: OldRows[string][number] = {}) => ({
  model_id,
  model_name,
  litellm_params: JSON.stringify(parameters),
  model_info: "{}",
  blocked: false,
  created_at: CREATED,
  ...more,
});

/** A person whose name is a statement. */
export const HOSTILE_USER = `o'brien"); DROP TABLE users; --\u200b`;

const PEOPLE: OldRows[string] = [
  person("default_user_id", { user_role: "proxy_admin", spend: 3 }),
  person("u-ada", {
    user_alias: "Ada",
    user_email: "Ada@Example.com",
    password: scryptOf(LITELLM_PASSWORD),
    user_role: "proxy_admin",
    max_budget: 10,
    spend: 1.2345678901,
    sso_user_id: "sso-of-ada",
    tpm_limit: 100,
  }),
  person("u-ada-2", {
    user_alias: "Ada",
    user_email: "ada@example.com",
    user_role: "org_admin",
    max_budget: 0.1,
    spend: 0.3,
  }),
  person("u-bo", { user_email: "bo@example.com", password: sha256("weak") }),
  person("u-cy", { user_role: null, spend: Number.NaN }),
  person(HOSTILE_USER, { max_budget: Number.POSITIVE_INFINITY, models: '{"gpt-4o",other}' }),
];

const KEYS: OldRows[string] = [
  litellmKey(LITELLM_KEYS.ada, {
    user_id: "u-ada",
    spend: 0.000001,
    max_budget: 3,
    key_alias: "ada's",
    rpm_limit: 60,
  }),
  litellmKey(LITELLM_KEYS.blocked, { user_id: "u-ada", blocked: true }),
  litellmKey(LITELLM_KEYS.expired, { user_id: "u-ada", expires: "2026-02-03 04:05:06.999" }),
  litellmKey(LITELLM_KEYS.spent, { user_id: "u-ada", max_budget: 1, spend: 1.5, total_spend: 8 }),
  litellmKey(LITELLM_KEYS.team, { user_id: "u-ada", team_id: "t1", models: "{all-team-models}", budget_id: "soft" }),
  litellmKey(LITELLM_KEYS.member, { user_id: "u-bo", team_id: "t1", models: "{gpt-4o,cheap}" }),
  litellmKey(LITELLM_KEYS.orphan, { user_id: "nobody", budget_id: "b5", spend: 1, models: "{no-default-models}" }),
  litellmKey(LITELLM_KEYS.bo, {
    user_id: "u-bo",
    max_budget: 2,
    spend: 0.5,
    project_id: "p1",
    models: '{fast,"openai/*"}',
  }),
  litellmKey(LITELLM_KEYS.cy, { user_id: "u-cy", spend: 0.00000123 }),
  litellmKey(LITELLM_KEYS.routes, { user_id: "u-cy", allowed_routes: "{management_routes}" }),
  litellmKey("sk-session-of-the-console", { user_id: "u-ada", team_id: "litellm-dashboard" }),
  { ...litellmKey("sk-in-clear-in-the-table"), token: "sk-in-clear-in-the-table" },
];

const TEAMS: OldRows[string] = [
  {
    team_id: "t1",
    team_alias: "Research",
    organization_id: "o1",
    max_budget: 100,
    spend: 40.1,
    models: '{"gpt-4o","a,b"}',
    metadata: '{"team_member_budget_id":"member"}',
    members_with_roles: "[]",
    blocked: false,
  },
  { team_id: "t2", spend: 0, models: "{}", metadata: "{}", members_with_roles: "[]", blocked: true },
];

/** Rows that are met in the field, and worse. @param upstream address of an upstream, without `/v1` */
export const litellmRows = (upstream: string): OldRows => ({
  LiteLLM_BudgetTable: [
    { budget_id: "b5", max_budget: 5, budget_duration: "30d", created_at: CREATED },
    { budget_id: "soft", soft_budget: 1 },
    { budget_id: "org", max_budget: 60 },
    { budget_id: "member", max_budget: 2 },
  ],
  LiteLLM_OrganizationTable: [
    { organization_id: "o1", organization_alias: "Org", budget_id: "org", spend: 20, models: "{}" },
  ],
  LiteLLM_ProjectTable: [
    { project_id: "p1", project_alias: "P", budget_id: "b5", spend: 4.5, models: "{}", blocked: false },
  ],
  LiteLLM_UserTable: PEOPLE,
  LiteLLM_TeamTable: TEAMS,
  LiteLLM_TeamMembership: [{ user_id: "u-bo", team_id: "t1", spend: 1.5, total_spend: 9 }],
  LiteLLM_VerificationToken: KEYS,
  LiteLLM_DeprecatedVerificationToken: [
    { id: "d1", token: sha256("sk-old"), active_token_id: "x", revoke_at: CREATED },
  ],
  LiteLLM_CredentialsTable: [
    {
      credential_id: "c1",
      credential_name: "shared",
      credential_values: JSON.stringify({
        api_key: BOXES["sk-upstream-of-litellm-0123456789"],
        api_base: gcm(`${upstream}/v1`),
      }),
    },
  ],
  LiteLLM_ProxyModelTable: [
    deployment(
      "m1",
      "gpt-4o",
      { model: BOXES["openai/gpt-4o"], litellm_credential_name: "shared", weight: 3, order: 2, rpm: 10 },
      { model_info: '{"access_groups":["fast"]}' },
    ),
    deployment("m2", "cheap", {
      model: BOXES["azure/my-deployment"],
      api_key: BOXES["sk-upstream-of-litellm-0123456789"],
      api_base: gcm("https://name.openai.azure.com/"),
      api_version: "2024-10-21",
    }),
    deployment("m3", "env", {
      model: "anthropic/claude-3",
      api_key: "os.environ/SECRET_KEY",
      api_base: "https://thief.example",
    }),
    deployment("m4", "foreign", { model: "openai/x", api_key: `${"A".repeat(70)}` }),
    deployment("m5", "openai/*", { model: "openai/*", api_key: "sk-clear-and-short" }),
    deployment("m6", "odd", { model: "no_such_provider/model" }),
    deployment("m7", "off", { model: "gpt-4o", api_key: "sk-clear-and-short" }, { blocked: true }),
  ],
  LiteLLM_EndUserTable: [{ user_id: "end", spend: 1 }],
  LiteLLM_Config: [
    { param_name: "router_settings", param_value: '{"model_group_alias":{"gpt-4":"gpt-4o"},"num_retries":3}' },
    { param_name: "environment_variables", param_value: JSON.stringify({ OPENAI_API_KEY: "sk-in-the-settings" }) },
  ],
  LiteLLM_DailyUserSpend: [{ id: "1", spend: 3 }],
});
