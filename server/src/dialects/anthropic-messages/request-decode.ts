/** Requests of the Messages API -> neutral ones (platform.claude.com/docs/en/api/messages). */
import { type Drop, textPartsOf } from "./parts-decode.ts";
import { readMessages } from "./messages-decode.ts";
import {
  isAbsent,
  needList,
  needName,
  needObject,
  optionalBoolean,
  optionalNumber,
  optionalObject,
  optionalText,
  optionalTexts,
} from "./fields.ts";
import { readToolsAndChoice } from "./tools.ts";
import { defined, objectOf, ownOf, unknownNames } from "../json/fields.ts";
import type { Effort, JsonObject, NeutralRequest, Reasoning, ResponseFormat } from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";
import { refusePrivacyTerms } from "../neutral/privacy.ts";
import { THINKING_FIELDS } from "../neutral/request-info.ts";

const KNOWN: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "max_tokens",
  "inference_geo",
  "metadata",
  ...THINKING_FIELDS["anthropic-messages"],
  "output_format",
  "service_tier",
  "stop_sequences",
  "stream",
  "system",
  "temperature",
  "tool_choice",
  "tools",
  "top_k",
  "top_p",
]);

/** What is read of the fields that are objects. */
const KNOWN_INSIDE: Readonly<Record<string, ReadonlySet<string>>> = {
  metadata: new Set(["user_id"]),
  output_config: new Set(["effort", "format"]),
};

const unknownInside = (fields: JsonObject): string[] =>
  Object.entries(KNOWN_INSIDE).flatMap(([field, known]) =>
    unknownNames(objectOf(fields[field]), known).map((name) => `${field}.${name}`),
  );

const EFFORTS: ReadonlySet<string> = new Set(["low", "medium", "high", "xhigh", "max"]);

function effortOf(value: unknown): Effort | undefined {
  const effort = optionalText(value, "output_config.effort");
  if (effort === undefined || EFFORTS.has(effort)) return effort as Effort | undefined;
  throw new TranslationFault(
    "output_config.effort",
    'output_config.effort must be "low", "medium", "high", "xhigh" or "max"',
  );
}

/** The reasoning requested. Thoughts are shown unless the client asks to omit them. */
function thinkingOf(thinking: JsonObject): Reasoning {
  const isShown = thinking["display"] !== "omitted";
  const type = optionalText(thinking["type"], "thinking.type") ?? "enabled";
  if (type === "disabled") return { budgetTokens: 0 };
  // Claude Code sends a budget of 0 with it (github.com/routatic/proxy/issues/171).
  if (type === "adaptive" || type === "between_tools") return { isAdaptive: true, isShown };
  if (type !== "enabled")
    throw new TranslationFault("thinking.type", 'thinking.type must be "enabled", "adaptive" or "disabled"');
  const budgetTokens = optionalNumber(thinking["budget_tokens"], "thinking.budget_tokens");
  // Without a budget as compatible servers take it, and clients of those send it.
  return budgetTokens === undefined ? { isAdaptive: true, isShown } : { budgetTokens, isShown };
}

function readReasoning(fields: JsonObject, config: JsonObject): { reasoning?: Reasoning } {
  const thinking = optionalObject(fields["thinking"], "thinking");
  const effort = effortOf(config["effort"]);
  if (thinking === undefined && effort === undefined) return {};
  const given = thinking === undefined ? {} : thinkingOf(thinking);
  return { reasoning: { ...given, ...(effort === undefined ? {} : { effort }) } };
}

/** `output_config.format`, and the top-level field it had while it was a beta. */
function readFormat(fields: JsonObject, config: JsonObject): { responseFormat?: ResponseFormat } {
  const param = isAbsent(config["format"]) ? "output_format" : "output_config.format";
  const format = optionalObject(config["format"] ?? fields["output_format"], param);
  if (format === undefined) return {};
  if (format["type"] !== "json_schema")
    throw new TranslationFault(`${param}.type`, `${param}.type must be "json_schema"`);
  const schema = needObject(format["schema"], `${param}.schema`);
  return { responseFormat: { kind: "json_schema", name: "answer", schema, isStrict: true } };
}

const TIERS: Readonly<Record<string, string>> = { auto: "auto", standard_only: "default" };

function readLimits(fields: JsonObject): Partial<NeutralRequest> {
  const tier = optionalText(fields["service_tier"], "service_tier");
  const metadata = optionalObject(fields["metadata"], "metadata");
  return defined({
    maxTokens: optionalNumber(fields["max_tokens"], "max_tokens"),
    temperature: optionalNumber(fields["temperature"], "temperature"),
    topP: optionalNumber(fields["top_p"], "top_p"),
    topK: optionalNumber(fields["top_k"], "top_k"),
    stop: optionalTexts(fields["stop_sequences"], "stop_sequences"),
    user: optionalText(metadata?.["user_id"], "metadata.user_id"),
    serviceTier: tier === undefined ? undefined : (ownOf(TIERS, tier) ?? tier),
  });
}

/** What the vendor reaches or keeps for its clients: without it the answer would be another. */
/** At these words the vendor's libraries send the whole conversation from then on (anthropic-sdk-python, lib/threads/_thread_state.py). */
const THREAD_UNSUPPORTED = { error_code: "thread_unsupported_request", unsupported: ["model"] };

function refuseOwn(fields: JsonObject): void {
  if (!isAbsent(fields["mcp_servers"]) && needList(fields["mcp_servers"], "mcp_servers").length > 0)
    throw new TranslationFault("mcp_servers", "mcp_servers are reached by Anthropic itself, and not by this model");
  if (optionalObject(fields["thread"], "thread")?.["type"] === "continue")
    throw new TranslationFault(
      "thread",
      "thread goes on with what Anthropic keeps: send the whole conversation",
      THREAD_UNSUPPORTED,
    );
}

/**
 * A line with which Claude Code begins its instructions, for its vendor's accounts and for no model; its hashes differ from call to call, and what begins
 * differently is in no prompt cache (github.com/anthropics/claude-code/issues/68900).
 */
const ATTRIBUTION = /^x-anthropic-billing-header:[^\n]*\n*/;

function readSystem({ system }: JsonObject, drop: Drop): NeutralRequest["system"] {
  const parts = isAbsent(system) ? [] : textPartsOf(system, "system");
  const [first, ...others] = parts;
  if (first === undefined || !ATTRIBUTION.test(first.text)) return parts;
  drop("system: x-anthropic-billing-header");
  const text = first.text.replace(ATTRIBUTION, "");
  return text === "" ? others : [{ ...first, text }, ...others];
}

/** Throws TranslationFault for what is malformed and for what only this vendor does. Serves count_tokens too. */
export function decodeRequest(fields: JsonObject): NeutralRequest {
  refuseOwn(fields);
  refusePrivacyTerms(fields);
  const unknownFields = new Set([...unknownNames(fields, KNOWN), ...unknownInside(fields)]);
  const drop: Drop = (field) => void unknownFields.add(field);
  const config = optionalObject(fields["output_config"], "output_config") ?? {};
  const request = {
    model: needName(fields["model"], "model"),
    isStream: optionalBoolean(fields["stream"], "stream") ?? false,
    system: readSystem(fields, drop),
    messages: readMessages(fields["messages"], drop),
    ...readToolsAndChoice(fields, drop),
    ...readLimits(fields),
    ...readFormat(fields, config),
    ...readReasoning(fields, config),
  };
  return { ...request, unknownFields: [...unknownFields] };
}
