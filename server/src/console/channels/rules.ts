/** Rules of channels, pure: what may be stored, what a sent body changes, and a row as people get it, without its key. */
import { AppError } from "../../../../contract/src/errors.ts";
import { type ModelDifference, stillOpen } from "./model-difference.ts";
import { readKeys } from "../../../../contract/src/channels/key-text.ts";
import { keyChoiceOf } from "../../../../contract/src/channels/choices.ts";
import {
  CHANNEL_REMARK_MAX,
  type ChannelCreate,
  type ChannelUpdate,
} from "../../../../contract/src/channels/channel-form.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { balanceFailure } from "../../../../contract/src/channels/balances.ts";
import { TEST_RESULT, testFailure } from "../../../../contract/src/channels/channel-tests.ts";
import { takesWholeUrl } from "../../../../contract/src/channels/provider-row.ts";
import {
  CHANNEL_NAME_MAX,
  CHANNEL_STATUS,
  MODEL_NAME_MAX,
  PRIORITY_MIN,
} from "../../../../contract/src/features/channels.ts";
import { integerOf, splitList } from "../../../../contract/src/query.ts";
import { shownProxy, withProxy } from "../../db/proxy-login.ts";
import { firstCodePoints } from "../../util/text.ts";
import type { ProviderInfo } from "../relay-tools.ts";
import { MICROS, NO_BALANCE } from "./balances.ts";
import type { ChannelPatch, StoredChannel } from "./store.ts";
import { checkCosts, checkHeaderOverride, checkJsonText } from "./texts.ts";

export type { StoredChannel } from "./store.ts";

const GROUP_NAME_MAX = 64;
const GROUP_LIST_MAX = 1024;
const BASE_URL_MAX = 512;
const SHORT_TEXT_MAX = 255;
const TAG_MAX = 128;
const OTHER_MAX = 60_000;
const KEY_MAX = 20_000;
const INPUT_LIMIT_MAX = 1_000_000_000;

const invalid = (field: string, message: string): AppError => new AppError("channel_invalid", { message, field });

function checkLength(field: string, text: string, max: number): string {
  if ([...text].length > max) throw invalid(field, `${field} is longer than ${max} characters`);
  return text;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw new AppError("channel_fields_missing", { field: "name" });
  return checkLength("name", trimmed, CHANNEL_NAME_MAX);
}

/** The keys of a text, each once, and how many stood there again. Throws where there is none, or JSON among them that cannot be read. */
export function checkKeyText(text: string): { keys: string[]; duplicates: number } {
  const { keys, duplicates, brokenLine } = readKeys(text);
  if (brokenLine !== undefined)
    throw new AppError("channel_key_json_broken", {
      message: `The JSON that begins in line ${brokenLine} of the keys cannot be read`,
      field: "key",
      values: { line: brokenLine },
    });
  if (keys.length === 0) throw new AppError("channel_fields_missing", { field: "key" });
  for (const key of keys) checkLength("key", key, KEY_MAX);
  return { keys, duplicates };
}

/** Comma-joined, trimmed, each once. */
function checkModels(text: string): string {
  const models = splitList(text);
  if (models.length === 0) throw new AppError("channel_models_missing", { field: "models" });
  const long = models.find((model) => [...model].length > MODEL_NAME_MAX);
  if (long !== undefined) throw invalid("models", `Model name too long: ${long.slice(0, 60)}…`);
  return models.join(",");
}

/** Comma-joined, trimmed, each once; `default` where there is none. */
function checkGroups(names: readonly string[]): string {
  const groups = splitList(names.join(","));
  const long = groups.find((group) => [...group].length > GROUP_NAME_MAX);
  if (long !== undefined) throw invalid("groups", `Group name too long: ${long.slice(0, 60)}…`);
  return checkLength("groups", groups.length === 0 ? "default" : groups.join(","), GROUP_LIST_MAX);
}

/** An http or https address without a trailing slash and without credentials, or "". */
export function checkBaseUrl(text: string): string {
  const trimmed = text.trim().replace(/\/+$/, "");
  if (trimmed === "") return "";
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  const isWeb = url !== undefined && (url.protocol === "http:" || url.protocol === "https:");
  if (!isWeb) throw invalid("base_url", "The base URL must begin with http:// or https://");
  // It is shown to every administrator, so it is no place for a secret.
  if (url.username !== "" || url.password !== "")
    throw invalid("base_url", "The base URL must not contain a user name or password");
  if (trimmed.includes("#")) throw invalid("base_url", "The base URL must not contain a fragment (#)");
  return checkLength("base_url", trimmed, BASE_URL_MAX);
}

/** Throws where a query stands behind a base URL to which paths are added: calls would go to none of them. */
export function refuseQuery({ fields }: ProviderInfo["manifest"], baseUrl: string): void {
  if (baseUrl.includes("?") && !takesWholeUrl(fields))
    throw invalid("base_url", "The base URL must not contain a query (?): paths are added at its end");
}

/** A whole number of at least -999. */
function checkPriority(value: number | string): number {
  const priority = integerOf(value);
  if (priority === undefined || priority < PRIORITY_MIN) {
    throw invalid("priority", `The priority must be a whole number of at least ${PRIORITY_MIN}`);
  }
  return priority;
}

/** A whole number; a negative one counts as 0. */
function checkWeight(value: number | string): number {
  const weight = integerOf(value);
  if (weight === undefined || weight > 1_000_000)
    throw invalid("weight", "The weight must be a whole number up to 1000000");
  return Math.max(0, weight);
}

/** A whole number above 0, or null where there is to be no limit. */
function checkInputLimit(value: number | string | null): number | null {
  if (value === null || value === 0 || value === "") return null;
  const limit = integerOf(value);
  if (limit === undefined || limit < 0 || limit > INPUT_LIMIT_MAX)
    throw invalid(
      "max_input_tokens",
      `The maximum of input tokens must be a whole number from 1 to ${INPUT_LIMIT_MAX}`,
    );
  return limit === 0 ? null : limit;
}

type TextColumn =
  | "name"
  | "base_url"
  | "other"
  | "models"
  | "model_mapping"
  | "status_code_mapping"
  | "param_override"
  | "setting"
  | "settings"
  | "header_override"
  | "remark"
  | "costs"
  | "openai_organization"
  | "test_model"
  | "tag";

/** Text fields of a body and the rule of each; a name on the wire is the name of its column. */
const TEXT_RULES: Readonly<Record<TextColumn, (text: string) => string>> = {
  name: checkName,
  base_url: checkBaseUrl,
  other: (text) => checkLength("other", text.trim(), OTHER_MAX),
  models: checkModels,
  model_mapping: (text) => checkJsonText("model_mapping", text),
  status_code_mapping: (text) => checkJsonText("status_code_mapping", text),
  param_override: (text) => checkJsonText("param_override", text),
  setting: (text) => checkJsonText("setting", text),
  settings: (text) => checkJsonText("settings", text),
  header_override: checkHeaderOverride,
  remark: (text) => checkLength("remark", text.trim(), CHANNEL_REMARK_MAX),
  costs: checkCosts,
  openai_organization: (text) => checkLength("openai_organization", text.trim(), SHORT_TEXT_MAX),
  test_model: (text) => checkLength("test_model", text.trim(), SHORT_TEXT_MAX),
  tag: (text) => checkLength("tag", text.trim(), TAG_MAX),
};

const TEXT_COLUMNS = Object.keys(TEXT_RULES) as TextColumn[];

type Sent = Omit<ChannelCreate, "key" | "keys_make" | "key_choice">;

function textsOf(sent: Sent): ChannelPatch {
  const patch: ChannelPatch = {};
  for (const column of TEXT_COLUMNS) {
    const value = sent[column];
    if (value !== undefined && value !== null) patch[column] = TEXT_RULES[column](value);
  }
  return patch;
}

function numbersOf(sent: Sent): ChannelPatch {
  const patch: ChannelPatch = {};
  if (sent.priority !== undefined && sent.priority !== null) patch.priority = checkPriority(sent.priority);
  if (sent.weight !== undefined && sent.weight !== null) patch.weight = checkWeight(sent.weight);
  if (sent.auto_ban !== undefined && sent.auto_ban !== null) patch.auto_ban = Number(sent.auto_ban) === 0 ? 0 : 1;
  if (sent.max_input_tokens !== undefined) patch.max_input_tokens = checkInputLimit(sent.max_input_tokens);
  return patch;
}

/** Columns that the sent fields stand for, checked; null and absent fields stand for none, but for the limit of input, which null takes away. Only these fields are ever read. */
export function patchOf(sent: Sent): ChannelPatch {
  const groups = sent.groups ?? (typeof sent.group === "string" ? sent.group.split(",") : undefined);
  return {
    ...textsOf(sent),
    ...numbersOf(sent),
    ...(groups === undefined ? {} : { group_names: checkGroups(groups) }),
    ...(sent.type === undefined ? {} : { type: sent.type }),
  };
}

/** Status 1 or 2 where an update asks for it; an editor sends 3 back as it read it, which changes nothing. */
export function statusOf(sent: ChannelUpdate): 1 | 2 | undefined {
  if (sent.status === CHANNEL_STATUS.enabled || sent.status === CHANNEL_STATUS.disabled) return sent.status;
  if (sent.status === undefined || sent.status === CHANNEL_STATUS.autoDisabled) return undefined;
  throw invalid("status", "The status must be 1 (enabled) or 2 (disabled)");
}

/** Every column of a new channel beside its key. Throws what `patchOf` throws, or what is missing. */
export function newChannelOf(sent: ChannelCreate) {
  const patch = patchOf({
    ...sent,
    models: sent.models ?? "",
    name: sent.name ?? "",
    groups: sent.groups ?? (sent.group ?? "").split(","),
  });
  const { name = "", models = "", group_names = "" } = patch;
  return { ...EMPTY_CHANNEL, ...patch, name, models, group_names };
}

const EMPTY_CHANNEL = Object.freeze({
  type: 1,
  status: CHANNEL_STATUS.enabled,
  base_url: "",
  other: "",
  model_mapping: "",
  status_code_mapping: "",
  param_override: "",
  setting: "",
  settings: "",
  header_override: "",
  remark: "",
  costs: "",
  openai_organization: "",
  test_model: "",
  tag: "",
  priority: 0,
  weight: 0,
  auto_ban: 1,
  max_input_tokens: null,
  response_time_ms: 0,
  test_time: 0,
  test_result: TEST_RESULT.none,
  test_failure: "",
  ...NO_BALANCE,
  used_quota: 0,
  other_info: "",
});

const NO_KEYS: KeyNumbers = Object.freeze({ enabled: 0, total: 0 });

/** Name of a copy, cut to fit. */
export function copyName(name: string): string {
  const suffix = " copy";
  return firstCodePoints(name, CHANNEL_NAME_MAX - suffix.length) + suffix;
}

/** Keys as they are shown: the hint of one, the numbers of several. */
function keyView(row: StoredChannel, keys: KeyNumbers) {
  const key_choice = keyChoiceOf(row.key_choice);
  if (key_choice === "one") return { key_choice, key_count: 1, enabled_key_count: 1 };
  return { key_choice, key_first: "", key_last: "", key_count: keys.total, enabled_key_count: keys.enabled };
}

/** How many keys a channel of several has. */
export interface KeyNumbers {
  enabled: number;
  total: number;
}

/** How many models of a look at the upstream's list still differ from the channel's. */
function openDifference(models: string, watch: ModelDifference | undefined) {
  const { added, removed } = stillOpen(models, watch ?? { added: [], removed: [] });
  return { new_models: added.length, vanished_models: removed.length };
}

/** A row as administrators get it: of its key nothing but the stored hints, of several keys how many there are, of its proxy no login. `header_override` is as it is shown. */
export function channelView(
  row: StoredChannel,
  keys: KeyNumbers = NO_KEYS,
  coolingUntilMs = 0,
  watch?: ModelDifference,
): ChannelRow {
  const { key_hash: _hash, key_cipher: _cipher, changed_version, ...shown } = row;
  const { group_names, response_time_ms, balance_micros, balance_failure, test_failure, costs, ...same } = shown;
  return {
    ...same,
    ...keyView(row, keys),
    setting: withProxy(row.setting, shownProxy),
    // Null in rows of earlier versions.
    costs: costs ?? "",
    settings: row.settings ?? "",
    header_override: row.header_override ?? "",
    revision: Number(changed_version),
    ...openDifference(row.models, watch),
    group: group_names,
    response_time: response_time_ms,
    cooling_until_ms: coolingUntilMs,
    test_failure: test_failure === "" ? null : testFailure.parse(JSON.parse(test_failure)),
    balance: balance_micros / MICROS,
    balance_failure: balance_failure === null ? null : balanceFailure.parse(JSON.parse(balance_failure)),
  };
}
