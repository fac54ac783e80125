/** The JSON texts of a channel, pure: each is blank or an object of a known shape, and is refused with a sentence that says which is not. */
import {
  HTTP2_CONNECTIONS_MAX,
  CHANNEL_REQUEST_NAMES,
  CHANNEL_SETTING_NAMES,
  channelRequestSchema,
  type ChannelSettingName,
  channelSettingSchema,
  MAX_FIRST_BYTE_SECONDS,
  SYSTEM_PROMPT_MAX,
} from "../../../../contract/src/channels/channel-form.ts";
import { HeaderOverrideError, readHeaderOverride } from "../../../../contract/src/channels/header-override.ts";
import { IGNORED_MODELS_MAX, watchSettingsSchema } from "../../../../contract/src/channels/model-watch.ts";
import { readChannelCosts } from "../../../../contract/src/channels/costs.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { badPatternIn } from "./model-difference.ts";
import { checkOverrideText } from "../../channels/overrides/override.ts";
import { isObject } from "../../util/json-read.ts";

const invalid = (field: string, message: string): AppError => new AppError("channel_invalid", { message, field });

const LABELS = {
  model_mapping: "Model mapping",
  status_code_mapping: "Status code mapping",
  param_override: "Parameter override",
  setting: "Channel settings",
  settings: "Request settings",
} as const;

export type JsonField = keyof typeof LABELS;

/** Deeper than any provider's parameters, and shallow enough for every reader behind. */
const MAX_TEXT_LENGTH = 60_000;

const tooLong = (field: JsonField): AppError =>
  invalid(field, `${LABELS[field]} is longer than ${MAX_TEXT_LENGTH} characters`);

function parseObject(field: JsonField, text: string): Record<string, unknown> {
  if (text.length > MAX_TEXT_LENGTH) throw tooLong(field);
  const parsed = parseJson(field, text);
  if (!isObject(parsed)) throw invalid(field, `${LABELS[field]} must be a JSON object`);
  return Object.fromEntries(Object.entries(parsed));
}

function parseJson(field: JsonField, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("channel_invalid", { message: `${LABELS[field]} must be valid JSON`, field, cause });
  }
}

/** The names a mapping leads `start` through until one comes back; undefined where it ends. A name mapped to itself is an end. */
function cycleFrom(start: string, mapping: ReadonlyMap<string, string>): string[] | undefined {
  const path = [start];
  for (;;) {
    const current = path.at(-1) ?? start;
    const next = mapping.get(current);
    if (next === undefined || next === current) return undefined;
    if (path.includes(next)) return [...path, next];
    path.push(next);
  }
}

/** Model name to the name the upstream knows, without a ring of names. */
function checkModelMapping(text: string): string {
  const entries = Object.entries(parseObject("model_mapping", text));
  const pairs = entries.map(([from, to]): [string, string] => {
    const isName = typeof to === "string" && to.trim() !== "" && from.trim() !== "";
    if (!isName)
      throw invalid("model_mapping", `Model mapping must map names to names; look at "${from.slice(0, 60)}"`);
    return [from, to];
  });
  const mapping = new Map(pairs);
  const cycle = pairs.map(([from]) => cycleFrom(from, mapping)).find((found) => found !== undefined);
  if (cycle !== undefined) throw invalid("model_mapping", `Model mapping goes round in a circle: ${cycle.join(" → ")}`);
  return text;
}

const statusCode = /^[1-5]\d\d$/;
/** What an answer with a body may have. */
const answerStatus = /^(?!204|205|304)[2-5]\d\d$/;

/** HTTP status to the status of an answer that has a body; a target may be written as text. */
function checkStatusCodeMapping(text: string): string {
  const entries = Object.entries(parseObject("status_code_mapping", text));
  const bad = entries.find(([from, to]) => !statusCode.test(from) || !answerStatus.test(String(to)));
  if (bad === undefined) return text;
  const message = `Status code mapping must map codes to codes of answers with a body (200 to 599 but 204, 205, 304); look at "${bad[0].slice(0, 60)}"`;
  throw invalid("status_code_mapping", message);
}

const SETTING_RULES: Readonly<Record<ChannelSettingName, string>> = {
  proxy: "proxy must be an http, https or socks5 URL",
  max_concurrency: "max_concurrency must be a whole number, 0 for no bound",
  first_byte_timeout_stream_seconds: `first_byte_timeout_stream_seconds must be a whole number from 1 to ${MAX_FIRST_BYTE_SECONDS}`,
  allow_service_tier: "allow_service_tier must be true or false",
  force_format: "force_format must be true or false",
  thinking_to_content: "thinking_to_content must be true or false",
  system_prompt: `system_prompt must be a text of at most ${SYSTEM_PROMPT_MAX} characters`,
  system_prompt_override: "system_prompt_override must be true or false",
  system_prompt_replaces: "system_prompt_replaces must be true or false",
  pass_through_body_enabled: "pass_through_body_enabled must be true or false",
  pass_agent_headers: "pass_agent_headers must be true or false",
  send_hops: "send_hops must be true or false",
  http_protocol: "http_protocol must be auto, http1 or http2",
  http2_connection_shards: `http2_connection_shards must be a whole number from 1 to ${HTTP2_CONNECTIONS_MAX}`,
  send_trace_context: "send_trace_context must be true or false",
};

const settingMessage = (name: string): string =>
  name === "upstream_model_update_ignored_models"
    ? `must be a list of at most ${IGNORED_MODELS_MAX} names or patterns (regex:...)`
    : "must be true or false";

/** The fields as they were sent. Throws channel_invalid for a pattern of ignored models that cannot be used. */
function checkIgnoredModels(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { upstream_model_update_ignored_models: ignored } = watchSettingsSchema.parse(fields);
  const bad = badPatternIn(ignored ?? []);
  if (bad !== undefined) throw invalid("settings", `Request settings: a pattern of ignored models: ${bad}`);
  return fields;
}

/** A name of `settings` that is none, or whose value is no switch. */
function checkRequestSettings(text: string): string {
  const fields = parseObject("settings", text);
  const issue = channelRequestSchema.safeParse(fields).error?.issues[0];
  if (issue === undefined) return JSON.stringify(checkIgnoredModels(fields));
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  if (unknown === undefined)
    throw invalid("settings", `Request settings: ${issue.path.join(".")}: ${settingMessage(String(issue.path[0]))}`);
  const known = CHANNEL_REQUEST_NAMES.join(", ");
  throw invalid(
    "settings",
    `Request settings: there is no setting "${unknown.slice(0, 60)}"; what is known is ${known}`,
  );
}

/** Only what the relay does is taken: a setting that would be kept and never followed is refused by its name. */
function checkSetting(text: string): string {
  const fields = parseObject("setting", text);
  const result = channelSettingSchema.safeParse(fields);
  // Written anew: of a name that stands twice, the first value would be stored unseen.
  if (result.success) return JSON.stringify(fields);
  const issue = result.error.issues[0];
  if (issue?.code !== "unrecognized_keys")
    throw invalid("setting", `Channel settings: ${SETTING_RULES[issue?.path[0] as ChannelSettingName]}`);
  const name = String(issue.keys[0]).slice(0, 60);
  throw invalid(
    "setting",
    `Channel settings: there is no setting "${name}"; what is known is ${CHANNEL_SETTING_NAMES.join(", ")}`,
  );
}

const CHECKS: Record<JsonField, (text: string) => string> = {
  model_mapping: checkModelMapping,
  status_code_mapping: checkStatusCodeMapping,
  param_override: (text) => {
    if (text.length > MAX_TEXT_LENGTH) throw tooLong("param_override");
    checkOverrideText(text);
    return text;
  },
  setting: checkSetting,
  settings: checkRequestSettings,
};

/** The text to store for one of the JSON fields, "" for a blank one. Throws channel_invalid or channel_override_invalid, naming the field. */
export function checkJsonText(field: JsonField, text: string): string {
  const trimmed = text.trim();
  return trimmed === "" ? "" : CHECKS[field](trimmed);
}

/** The text of a header override, "" for a blank one; `***` may stand in it for stored values. Throws channel_invalid, naming the entry. */
export function checkHeaderOverride(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TEXT_LENGTH)
    throw invalid("header_override", `Header override is longer than ${MAX_TEXT_LENGTH} characters`);
  try {
    readHeaderOverride(trimmed);
  } catch (cause) {
    if (!(cause instanceof HeaderOverrideError)) throw cause;
    throw new AppError("channel_invalid", { message: cause.message, field: "header_override", cause });
  }
  return trimmed;
}

/**
 * The text to store for what the upstream asks for, "" for the price list as it is. Throws channel_costs_invalid, which names the
 * reason and the place.
 */
export function checkCosts(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TEXT_LENGTH) throw invalid("costs", `costs is longer than ${MAX_TEXT_LENGTH} characters`);
  if (trimmed !== "") readChannelCosts(trimmed);
  return trimmed;
}
