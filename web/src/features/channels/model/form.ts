/** The channel form: from a stored channel to its fields and back to what is sent, with the rules of its fields. Pure. */
import type { ReactNode } from "react";
import {
  CHANNEL_REMARK_MAX,
  type ChannelCreate,
  type ChannelUpdate,
} from "../../../../../contract/src/channels/channel-form.ts";
import { type ProviderRow, takesWholeUrl } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_NAME_MAX, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import { costsError } from "./costs.ts";
import { isLimit, parseLimit, parsePriority, parseWeight } from "./numbers.ts";
import { fieldError, haveKeyForms } from "./provider.ts";
import { groupsOf, modelsOf } from "./rows.ts";
import { type ChannelSetting, parseSetting, settingText } from "./setting.ts";

export interface FieldsProps {
  form: ChannelForm;
  set: (change: Partial<ChannelForm>) => void;
  /** The sentence of a field's error, in the reader's language. */
  errorOf: (name: keyof ChannelForm) => ReactNode;
  provider: ProviderRow | undefined;
}

export interface ChannelForm {
  type: number;
  name: string;
  /** One a line on create; on edit only what replaces the stored one, undefined while it stays. */
  key: string | undefined;
  /** Of several keys on create: a channel each, or one channel with all of them. */
  keys_make: "channels" | "one_channel";
  /** How calls of one channel get one of several keys. */
  key_choice: "random" | "in_turn";
  base_url: string;
  other: string;
  openai_organization: string;
  models: readonly string[];
  groups: readonly string[];
  tag: string;
  /** As typed, so that what is not a number can be refused. */
  priority: string;
  weight: string;
  /** As typed; blank for no limit. */
  max_input_tokens: string;
  auto_ban: boolean;
  model_mapping: string;
  status_code_mapping: string;
  param_override: string;
  setting: ChannelSetting;
  /** JSON texts; stored values of headers are `***`. */
  settings: string;
  header_override: string;
  remark: string;
  /** JSON text; costs.ts has its fields. */
  costs: string;
  test_model: string;
}

export type FieldName = keyof ChannelForm;
export type FieldErrors = Partial<Record<FieldName, string>>;

/** A new channel: type 1, auto-ban on, group default, priority and weight 0. */
export const NEW_CHANNEL: ChannelForm = {
  type: 1,
  name: "",
  key: "",
  keys_make: "channels",
  key_choice: "random",
  base_url: "",
  other: "",
  openai_organization: "",
  models: [],
  groups: ["default"],
  tag: "",
  priority: "0",
  weight: "0",
  max_input_tokens: "",
  auto_ban: true,
  model_mapping: "",
  status_code_mapping: "",
  param_override: "",
  setting: parseSetting(""),
  settings: "",
  header_override: "",
  remark: "",
  costs: "",
  test_model: "",
};

export function formOf(channel: ChannelRow): ChannelForm {
  const {
    type,
    name,
    base_url,
    other,
    openai_organization,
    tag,
    model_mapping,
    status_code_mapping,
    param_override,
    costs,
    test_model,
    settings,
    header_override,
    remark,
  } = channel;
  return {
    type,
    name,
    base_url,
    other,
    openai_organization,
    tag,
    model_mapping,
    status_code_mapping,
    param_override,
    costs,
    test_model,
    settings,
    header_override,
    remark,
    key: undefined,
    keys_make: NEW_CHANNEL.keys_make,
    key_choice: NEW_CHANNEL.key_choice,
    models: modelsOf(channel),
    groups: groupsOf(channel),
    priority: String(channel.priority),
    weight: String(channel.weight),
    max_input_tokens: channel.max_input_tokens === null ? "" : String(channel.max_input_tokens),
    auto_ban: channel.auto_ban !== 0,
    setting: parseSetting(channel.setting),
  };
}

/** Without blanks around it and without slashes at the end. */
export const cleanBaseUrl = (text: string): string => text.trim().replace(/\/+$/, "");

const VERSION = /\/v1$/i;

/** Whether the base URL asks for the warning about /v1: it ends in what the paths begin with, and paths are added to it. */
export const asksForVersion = (
  { base_url }: Pick<ChannelForm, "base_url">,
  provider: ProviderRow | undefined,
): boolean => VERSION.test(cleanBaseUrl(base_url)) && !takesWholeUrl(provider?.fields ?? []);

export const withoutVersion = (text: string): string => cleanBaseUrl(cleanBaseUrl(text).replace(VERSION, ""));

/** Type 18 with an empty version means v2.1. */
const otherOf = (form: ChannelForm): string =>
  form.type === 18 && form.other.trim() === "" ? "v2.1" : form.other.trim();

type Wire = Required<Pick<ChannelCreate, "name" | "base_url" | "models" | "groups">> & ChannelCreate;

/** Whether calls with the stored key would go elsewhere: another provider, address or proxy. */
export function movesKey(channel: ChannelRow, form: ChannelForm): boolean {
  const was = formOf(channel);
  const isSameAddress = cleanBaseUrl(was.base_url) === cleanBaseUrl(form.base_url);
  return was.type !== form.type || !isSameAddress || was.setting.proxy.trim() !== form.setting.proxy.trim();
}

/** Every field as it is sent; `key` only where one was typed. */
export function wireOf(form: ChannelForm): Wire {
  const { type, tag, openai_organization, model_mapping, status_code_mapping, param_override, test_model } = form;
  const key = form.key?.trim() ?? "";
  return {
    type,
    name: form.name.trim(),
    ...(key === "" ? {} : { key }),
    ...(form.keys_make === "channels" ? {} : { keys_make: form.keys_make, key_choice: form.key_choice }),
    base_url: cleanBaseUrl(form.base_url),
    other: otherOf(form),
    openai_organization: openai_organization.trim(),
    models: form.models.join(","),
    groups: [...form.groups],
    tag: tag.trim(),
    priority: parsePriority(form.priority) ?? 0,
    weight: parseWeight(form.weight) ?? 0,
    max_input_tokens: parseLimit(form.max_input_tokens) ?? null,
    auto_ban: form.auto_ban ? 1 : 0,
    model_mapping: model_mapping.trim(),
    status_code_mapping: status_code_mapping.trim(),
    param_override: param_override.trim(),
    setting: settingText(form.setting),
    settings: form.settings.trim(),
    header_override: form.header_override.trim(),
    remark: form.remark.trim(),
    costs: form.costs.trim(),
    test_model: test_model.trim(),
  };
}

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** The names of the fields that differ, in the order of the form. */
export const changedNames = (before: ChannelForm, after: ChannelForm): FieldName[] =>
  (Object.keys(NEW_CHANNEL) as FieldName[]).filter((name) => !isSame(before[name], after[name]));

/**
 * The fields that `mine` changes and that were stored otherwise meanwhile: saving `mine` would undo what another user saved.
 * `before` is what both began with, `theirs` what is stored now.
 */
export const clashesOf = (before: ChannelForm, mine: ChannelForm, theirs: ChannelForm): FieldName[] =>
  changedNames(before, mine).filter(
    (name) => !isSame(before[name], theirs[name]) && !isSame(mine[name], theirs[name]) && name !== "key",
  );

/** The request of an edit: the id and the fields that differ on the wire. */
export function updateOf(id: number, before: ChannelForm, after: ChannelForm): ChannelUpdate {
  const old: Record<string, unknown> = wireOf(before);
  const changed = Object.entries(wireOf(after)).filter(([name, value]) => !isSame(old[name], value));
  return { ...(Object.fromEntries(changed) as Partial<Wire>), id };
}

const JSON_FIELDS = ["model_mapping", "status_code_mapping", "param_override", "settings", "header_override"] as const;

type Rule = (form: ChannelForm, provider: ProviderRow | undefined) => string | undefined;

const manifestField =
  (name: "base_url" | "other" | "openai_organization"): Rule =>
  (form, provider) =>
    fieldError(
      form[name],
      provider?.fields.find((field) => field.name === name),
    );

const json =
  (name: (typeof JSON_FIELDS)[number]): Rule =>
  (form) =>
    findJsonError(form[name]) === undefined ? undefined : `errors.json.${name}`;

const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s/]+/i.test(text) && URL.canParse(text);

function addressError(url: string, provider: ProviderRow | undefined): string | undefined {
  if (url === "") return undefined;
  if (!isWebAddress(url)) return "errors.address";
  const hasQuery = url.includes("?") && !takesWholeUrl(provider?.fields ?? []);
  return hasQuery || url.includes("#") ? "errors.addressEnd" : undefined;
}

/** Keys of the sentence for each field, in the order in which the form shows them. */
const RULES: Partial<Record<FieldName, Rule>> = {
  name: ({ name }) =>
    name.trim() === "" ? "errors.name" : [...name.trim()].length > CHANNEL_NAME_MAX ? "errors.nameLong" : undefined,
  key: ({ key }, provider) => {
    if (key === undefined) return undefined;
    if (key.trim() === "") return "errors.key";
    return haveKeyForms(key, provider) ? undefined : "errors.keyForm";
  },
  base_url: (form, provider) =>
    manifestField("base_url")(form, provider) ?? addressError(cleanBaseUrl(form.base_url), provider),
  other: manifestField("other"),
  openai_organization: manifestField("openai_organization"),
  models: ({ models }) => (models.length === 0 ? "errors.models" : undefined),
  priority: ({ priority }) => (parsePriority(priority) === undefined ? "errors.priority" : undefined),
  weight: ({ weight }) => (parseWeight(weight) === undefined ? "errors.weight" : undefined),
  model_mapping: json("model_mapping"),
  status_code_mapping: json("status_code_mapping"),
  param_override: json("param_override"),
  settings: json("settings"),
  header_override: json("header_override"),
  remark: ({ remark }) => (remark.trim().length > CHANNEL_REMARK_MAX ? "errors.remark" : undefined),
  costs: ({ costs }) => costsError(costs)?.key,
  max_input_tokens: ({ max_input_tokens }) => (isLimit(max_input_tokens, 1) ? undefined : "errors.inputLimit"),
  setting: ({ setting }) => {
    if (!isLimit(setting.max_concurrency, 0)) return "errors.concurrency";
    // Above its most the server says so.
    if (!isLimit(setting.first_byte_timeout_stream_seconds, 1)) return "errors.inputLimit";
    const proxy = setting.proxy.trim();
    return proxy === "" || /^(https?|socks5h?):\/\/\S+$/.test(proxy) ? undefined : "errors.proxy";
  },
};

/** Errors of the form: field to the key of its sentence; none where it may be sent. */
export function checkForm(form: ChannelForm, provider: ProviderRow | undefined): FieldErrors {
  const found = Object.entries(RULES).map(([name, rule]) => [name, rule(form, provider)] as const);
  return Object.fromEntries(found.filter(([, error]) => error !== undefined)) as FieldErrors;
}

/** The field of the form that a field of the server's refusal stands for. */
export function fieldOf(name: string | undefined): FieldName | undefined {
  if (name === "group") return "groups";
  return name !== undefined && name in NEW_CHANNEL ? (name as FieldName) : undefined;
}

/** Texts of 'Fill template' for the JSON fields. */
export const MAPPING_TEMPLATE = JSON.stringify({ "gpt-4o": "gpt-4o-2024-11-20" }, null, 2);
export const STATUS_TEMPLATE = JSON.stringify({ "400": "500" }, null, 2);
export const COSTS_TEMPLATE = `{
  "factor": 0.8,
  "models": {
    "gpt-5": { "input": 1.1, "output": 9, "cache_read": 0.11 },
    "dall-e-3": { "request": 0.03 }
  }
}`;
export const HEADER_TEMPLATE = JSON.stringify({ "X-Team": "a", "X-Trace": "{client_header:X-Trace}" }, null, 2);
export const REQUEST_TEMPLATE = JSON.stringify({ disable_store: true, allow_safety_identifier: false }, null, 2);
export const OVERRIDE_TEMPLATE = JSON.stringify({ temperature: 0 }, null, 2);
