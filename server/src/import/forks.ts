/** Rows of one-hub, done-hub and Veloera in the columns of new-api, so that one reader serves all; what a row cannot say there is listed. */
import { splitList } from "../../../contract/src/query.ts";
import { type JsonFields, objectOf, parseObject, textOf } from "../util/json-read.ts";
import { nameIn, numberIn, textIn } from "./cells.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import { isHub, type KnownSource } from "./systems.ts";
import { tokenLabel } from "./tokens.ts";

export type Translation = (row: SourceRow) => SourceRow;

const labelOf = (row: SourceRow): string => `#${numberIn(row, "id")} ${nameIn(row, "name", 60)}`;

/** The column has logins, and a login of digits alone must not become the number of another account. */
const withoutLogin = (row: SourceRow): SourceRow =>
  textIn(row, "github_id").trim() === "" ? row : { ...row, github_id: `login ${textIn(row, "github_id")}` };

/** one-hub keeps GitHub's number beside the login; done-hub writes `linuxdo_id`. */
function userOfHub(row: SourceRow): SourceRow {
  const githubId = numberIn(row, "github_id_new");
  const user = githubId > 0 ? { ...row, github_id: String(githubId) } : withoutLogin(row);
  return { ...user, linux_do_id: row["linuxdo_id"] ?? row["linux_do_id"] ?? null };
}

/** A list of texts, of which none is empty or looks like several. */
const isNameList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "" && !/[,\n]/.test(name));

const STATUS_DISABLED = "2";

/** Limits of models and addresses stand in the JSON text `setting`; before October 2025 those of models directly in `limits`. */
function tokenOfHub(row: SourceRow, report: Report): SourceRow {
  const text = textIn(row, "setting").trim();
  if (text === "" || text === "null") return row;
  const setting = parseObject(text);
  const limits = objectOf(setting?.["limits"]);
  const models = objectOf(limits["limit_model_setting"] ?? limits);
  const addresses = objectOf(limits["limits_ip_setting"]);
  const [names, whitelist] = [models["models"] ?? [], addresses["whitelist"] ?? []];
  const isBroken =
    setting === undefined ||
    (models["enabled"] === true && !isNameList(names)) ||
    (addresses["enabled"] === true && !(isNameList(whitelist) && whitelist.length > 0));
  if (isBroken) {
    report.add("token_setting_broken", tokenLabel(row));
    return { ...row, status: STATUS_DISABLED };
  }
  if (objectOf(setting["heartbeat"])["enabled"] === true)
    report.add("token_setting_dropped", `${tokenLabel(row)}: heartbeat`);
  if (textOf(setting["billing_tag"]) !== "") report.add("token_setting_dropped", `${tokenLabel(row)}: billing_tag`);
  return {
    ...row,
    model_limits_enabled: models["enabled"] === true ? "1" : "0",
    model_limits: isNameList(names) ? names.join(",") : "",
    allow_ips: addresses["enabled"] === true && isNameList(whitelist) ? whitelist.join("\n") : "",
  };
}

const AWS_OF_HUB = 32;
const VERTEX_OF_HUB = 42;

/** `region|ak|sk` and `region|key` there, with the region behind here. */
function keyOfHub(row: SourceRow): string {
  const key = textIn(row, "key");
  const [region, ...parts] = key.split("|").map((part) => part.trim());
  return numberIn(row, "type") === AWS_OF_HUB && parts.length > 0 ? [...parts, region].join("|") : key;
}

/** What says how the others are set, and is no parameter itself. */
const PARAMETER_WORDS: ReadonlySet<string> = new Set(["overwrite", "per_model", "pre_add", "remove_params"]);

/** Parameters are set where the call has none of the name, or always with `overwrite`. Undefined where they cannot be said here. */
function overrideOfHub(text: string): string | undefined {
  if (text === "" || text === "null") return "";
  const fields = parseObject(text);
  if (fields === undefined) return undefined;
  const isPlain = ["per_model", "pre_add", "remove_params"].every(
    (word) =>
      fields[word] === undefined ||
      fields[word] === false ||
      (Array.isArray(fields[word]) && fields[word].length === 0),
  );
  const parameters = Object.entries(fields).filter(([name]) => !PARAMETER_WORDS.has(name));
  if (!isPlain || parameters.some(([name]) => name.includes("."))) return undefined;
  if (parameters.length === 0) return "";
  if (fields["overwrite"] === true) return JSON.stringify(Object.fromEntries(parameters));
  const operations = parameters.map(([path, value]) => ({ mode: "set", path, value, keep_origin: true }));
  return JSON.stringify({ operations });
}

function channelOfHub(row: SourceRow, report: Report): SourceRow {
  const proxy = textIn(row, "proxy").trim();
  // `%s` stands for a hash of the key there.
  const isKept = proxy !== "" && !proxy.includes("%s");
  if (proxy !== "" && !isKept) report.add("channel_setting_dropped", `${labelOf(row)}: proxy`);
  const override = overrideOfHub(textIn(row, "custom_parameter").trim());
  if (override === undefined) report.add("channel_setting_dropped", `${labelOf(row)}: custom_parameter`);
  const headers = textIn(row, "model_headers").trim();
  const isVertex = numberIn(row, "type") === VERTEX_OF_HUB;
  return {
    ...row,
    key: keyOfHub(row),
    other: isVertex ? (textIn(row, "other").split("|")[0] ?? "").trim() : (row["other"] ?? null),
    setting: isKept ? JSON.stringify({ proxy }) : "",
    param_override: override ?? "",
    header_override: row["header_override"] ?? (headers === "{}" || headers === "null" ? "" : headers),
  };
}

/** Calls name the models with the prefix there, the vendor gets them without. */
function channelOfVeloera(row: SourceRow): SourceRow {
  const prefix = textIn(row, "model_prefix").trim();
  if (prefix === "") return row;
  const models = splitList(textIn(row, "models"));
  const mapping: JsonFields | undefined = parseObject(textIn(row, "model_mapping").trim() || "{}");
  const mapped = models.map((model) => [`${prefix}${model}`, mapping?.[model] ?? model]);
  const tested = textIn(row, "test_model").trim();
  return {
    ...row,
    models: mapped.map(([name]) => name).join(","),
    // What is no object is refused with the rules of the form.
    model_mapping: mapping === undefined ? (row["model_mapping"] ?? null) : JSON.stringify(Object.fromEntries(mapped)),
    test_model: tested === "" ? "" : `${prefix}${tested}`,
  };
}

const STATUS_WORDS: Readonly<Record<string, string>> = { closed: "expired" };

/** An order of one-hub as a top-up of new-api. @param methods kinds of gateways by their numbers */
function orderOfHub(row: SourceRow, methods: ReadonlyMap<number, string>): SourceRow {
  const status = textIn(row, "status");
  return {
    ...row,
    status: STATUS_WORDS[status] ?? status,
    money: row["order_amount"] ?? null,
    payment_method: methods.get(numberIn(row, "gateway_id")) ?? "",
    create_time: row["created_at"] ?? null,
    complete_time: row["updated_at"] ?? null,
  };
}

async function methodsOfHub({ tables, select }: KnownSource): Promise<ReadonlyMap<number, string>> {
  if (tables.get("payments")?.includes("type") !== true) return new Map();
  const rows = await select("SELECT id, type FROM payments");
  return new Map(rows.map((row) => [numberIn(row, "id"), nameIn(row, "type", 64)]));
}

/**
 * How rows of a table become rows of new-api; undefined where they are.
 * @param table by its name in new-api
 */
export async function translationOf(
  source: KnownSource,
  table: string,
  report: Report,
): Promise<Translation | undefined> {
  const { system } = source;
  if (table === "users" && (system === "one-api" || system === "Veloera")) return withoutLogin;
  if (table === "channels" && system === "Veloera") return channelOfVeloera;
  if (!isHub(system)) return undefined;
  if (table === "users") return userOfHub;
  if (table === "tokens") return (row) => tokenOfHub(row, report);
  if (table === "channels") return (row) => channelOfHub(row, report);
  if (table !== "top_ups") return undefined;
  const methods = await methodsOfHub(source);
  return (row) => orderOfHub(row, methods);
}
