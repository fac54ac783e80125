/** Deployments of LiteLLM as channels: one each, with its public name, the aliases of that and a mapping to what the vendor calls it. */
import { isObject, type JsonFields, objectOf, parseObject, textOf } from "../../util/json-read.ts";
import { flagIn, nameIn, textIn } from "../cells.ts";
import type { Source, SourceRow } from "../source.ts";
import { fieldsIn } from "./cells.ts";
import type { ModelNames } from "./models.ts";
import { keyOf, otherOf, placeOf, READ_PARAMETERS, upstreamOf } from "./providers.ts";
import { openFields } from "./sealed-values.ts";
import { secondsIn, type StageContext } from "./people.ts";
import { rowsOf } from "./tables.ts";

interface DeploymentContext extends StageContext {
  /** Opens what is sealed; undefined where it is not given. */
  saltKey: string | undefined;
  /** Names by which the router also knows a public name. */
  aliases: ReadonlyMap<string, readonly string[]>;
  credentials: ReadonlyMap<string, JsonFields>;
}

/** Names of all deployments, and of those of each access group, for lists of models. */
export async function readModelNames(source: Source): Promise<ModelNames> {
  const names = new Set<string>();
  const groups = new Map<string, Set<string>>();
  const table = "LiteLLM_ProxyModelTable";
  const columns = source.tables.get(table);
  if (columns === undefined) return { names, groups };
  const info = columns.includes("model_info") ? ', "model_info"' : "";
  for (const row of await source.select(`SELECT "model_name"${info} FROM "${table}"`)) {
    const name = textIn(row, "model_name");
    names.add(name);
    const listed = fieldsIn(row, "model_info")["access_groups"];
    for (const group of Array.isArray(listed) ? listed : [])
      if (typeof group === "string") groups.getOrInsertComputed(group, () => new Set()).add(name);
  }
  return { names, groups };
}

/** The settings of the router that have a place here; the names of all others are listed. */
export async function readAliases({ source, report }: Pick<StageContext, "source" | "report">) {
  const aliases = new Map<string, string[]>();
  for await (const rows of rowsOf(source, "LiteLLM_Config", report))
    for (const row of rows) {
      const section = textIn(row, "param_name");
      const settings = fieldsIn(row, "param_value");
      for (const [name, value] of Object.entries(settings)) {
        if (section === "router_settings" && name === "model_group_alias") readAlias(objectOf(value), aliases);
        else report.leaveOption(`${section}.${name}`, "has no place here");
      }
    }
  return aliases;
}

function readAlias(fields: JsonFields, aliases: Map<string, string[]>): void {
  for (const [alias, value] of Object.entries(fields)) {
    const name = isObject(value) ? textOf(value["model"]) : textOf(value);
    if (name !== "") aliases.getOrInsertComputed(name, () => []).push(alias);
  }
}

/** Credentials that deployments name, with their values sealed as they are. */
async function readCredentials({ source, report }: StageContext): Promise<ReadonlyMap<string, JsonFields>> {
  const credentials = new Map<string, JsonFields>();
  for await (const rows of rowsOf(source, "LiteLLM_CredentialsTable", report))
    for (const row of rows) {
      report.count("LiteLLM_CredentialsTable", "found");
      report.count("LiteLLM_CredentialsTable", "brought");
      credentials.set(textIn(row, "credential_name"), fieldsIn(row, "credential_values"));
    }
  return credentials;
}

/** Parameters in clear, and why the deployment cannot be called where they are not. */
function openParameters(
  { saltKey, credentials }: DeploymentContext,
  row: SourceRow,
): { fields: JsonFields; reason: string } {
  const own = openFields(saltKey, parseObject(textIn(row, "litellm_params")) ?? {});
  const credential = textOf(own.fields["litellm_credential_name"]);
  const named = credentials.get(credential);
  const shared = openFields(saltKey, named ?? {});
  const fields = { ...shared.fields, ...own.fields };
  const closed = [...own.closed, ...shared.closed];
  // A variable of the old process is never looked up in this one: an administrator of that database could have any secret sent anywhere.
  const elsewhere = Object.entries(fields).filter(([, value]) => textOf(value).startsWith("os.environ/"));
  const reasons = [
    ...(closed.length > 0 ? [`sealed with another key or none given: ${closed.join(", ")}`] : []),
    ...elsewhere.map(([name, value]) => `${name} is ${textOf(value).slice(0, 80)} of the old process`),
    ...(credential !== "" && named === undefined ? [`the credential ${credential.slice(0, 60)} is not there`] : []),
  ];
  const kept = Object.entries(fields).filter(([, value]) => !textOf(value).startsWith("os.environ/"));
  return { fields: Object.fromEntries(kept), reason: reasons.join("; ") };
}

const wholeOf = (value: unknown): number => (Number.isSafeInteger(Number(value ?? 0)) ? Number(value ?? 0) : 0);

function stageDeployment(context: DeploymentContext, row: SourceRow, id: number): void {
  const { staging, report, aliases } = context;
  const name = textIn(row, "model_name").trim();
  const label = `#${id} ${nameIn(row, "model_name", 60)}`;
  const { fields, reason } = openParameters(context, row);
  if (reason !== "") report.add("channel_secret_closed", `${label}: ${reason}`);
  const isWildcard = name.includes("*");
  if (isWildcard) report.add("channel_wildcard", label);
  for (const [parameter, value] of Object.entries(fields))
    if (!READ_PARAMETERS.has(parameter) && value !== null && value !== "" && value !== false)
      report.add("channel_setting_dropped", `${label}: ${parameter.slice(0, 60)}`);
  const upstream = upstreamOf(fields);
  const place = placeOf(upstream, fields);
  const names =
    isWildcard || name.includes(",") ? [] : [name, ...(aliases.get(name) ?? [])].filter((each) => !each.includes(","));
  const mapped = names.filter((each) => upstream.model !== "" && each !== upstream.model);
  staging.add("channels", {
    id,
    ...place,
    key: keyOf(place.type, fields),
    name,
    status: flagIn(row, "blocked") === true ? 2 : 1,
    weight: Math.max(0, wholeOf(fields["weight"])),
    // There the least is asked first, here the largest.
    priority: -wholeOf(fields["order"]),
    created_time: secondsIn(row, "created_at"),
    other: otherOf(place.type, fields),
    models: names.join(","),
    group: "default",
    model_mapping:
      mapped.length === 0 ? "" : JSON.stringify(Object.fromEntries(mapped.map((each) => [each, upstream.model]))),
    used_quota: 0,
    open_ai_organization: textOf(fields["organization"]),
    left_reason: reason,
  });
}

/** By which the usage log finds a channel. */
export const channelName = (modelId: string): string => `channel\0${modelId}`;

/** Stages the deployments that the database holds; those of a `config.yaml` are not in it. */
export async function stageDeployments(
  context: StageContext,
  saltKey: string | undefined,
  aliases: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const { source, numbers, report } = context;
  const whole: DeploymentContext = { ...context, saltKey, aliases, credentials: await readCredentials(context) };
  for await (const rows of rowsOf(source, "LiteLLM_ProxyModelTable", report)) {
    const names = rows.map((row) => textIn(row, "model_id"));
    const ids = await numbers.of("channel", names);
    for (const [index, row] of rows.entries()) {
      const name = names[index] ?? "";
      const id = ids.get(name) ?? 0;
      context.staging.remember(channelName(name), id);
      stageDeployment(whole, row, id);
    }
  }
}
