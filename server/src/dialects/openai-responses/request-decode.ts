/** A Responses request -> the neutral one (platform.openai.com/docs/api-reference/responses/create). */
import type { PathInfo } from "../neutral/info.ts";
import { objectOf, unknownNames } from "../json/fields.ts";
import {
  type Effort,
  type JsonObject,
  type NeutralRequest,
  type Reasoning,
  type ResponseFormat,
  TranslationFault,
} from "../neutral/neutral.ts";
import { OPENAI_SHARED, sharedOf } from "../neutral/openai-shared.ts";
import { isKeptOf, refusePrivacyTerms } from "../neutral/privacy.ts";
import { THINKING_FIELDS } from "../neutral/request-info.ts";
import { needObject, needText, readBoolean, readList, readNumber, readObject, readText } from "./fields.ts";
import { decodeInput } from "./messages-decode.ts";
import { decodeTools } from "./tools.ts";

/** Fields that are read here, and those that change nothing for a vendor without a store of answers. */
const KNOWN: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "stream_options",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "max_tool_calls",
  "max_output_tokens",
  "temperature",
  "top_p",
  "top_logprobs",
  "include",
  "text",
  ...THINKING_FIELDS["openai-responses"],
  "metadata",
  "user",
  ...OPENAI_SHARED,
  "service_tier",
  "background",
]);

const LOGPROBS = "message.output_text.logprobs";
/** Values of `include` that are met: reasoning always comes back with its signature. */
const MET_INCLUDES: ReadonlySet<unknown> = new Set([LOGPROBS, "reasoning.encrypted_content"]);
const EFFORTS: ReadonlySet<string> = new Set(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
/** Codex's name for the highest effort, with work shared among agents besides. */
const MAX_EFFORT = "ultra";

const hasValue = (value: unknown): boolean => value !== undefined && value !== null;

/** What is in the vendor's own store, or is done there behind the caller's back, exists nowhere else. */
function refuseStored(fields: JsonObject): void {
  for (const name of ["previous_response_id", "conversation", "prompt"] as const) {
    if (hasValue(fields[name]))
      throw new TranslationFault(
        name,
        `${name} works only on channels that speak the Responses API: send the whole input`,
      );
  }
  if (readBoolean(fields, "background") === true)
    throw new TranslationFault("background", "background works only on channels that speak the Responses API");
}

function formatOf(text: JsonObject | undefined): ResponseFormat | undefined {
  const format = text === undefined ? undefined : readObject(text, "format", "text");
  if (format === undefined) return undefined;
  const at = "text.format";
  const type = needText(format, "type", at);
  if (type === "text") return undefined;
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema")
    throw new TranslationFault(`${at}.type`, `${at}.type must be text, json_object or json_schema`);
  const description = readText(format, "description", at);
  const isStrict = readBoolean(format, "strict", at);
  return {
    kind: "json_schema",
    name: needText(format, "name", at),
    schema: needObject(format["schema"], `${at}.schema`),
    ...(description === undefined ? {} : { description }),
    ...(isStrict === undefined ? {} : { isStrict }),
  };
}

function reasoningOf(fields: JsonObject): Reasoning | undefined {
  const reasoning = readObject(fields, "reasoning");
  if (reasoning === undefined) return undefined;
  const word = readText(reasoning, "effort", "reasoning");
  const effort = word === MAX_EFFORT ? "max" : word;
  if (effort !== undefined && !EFFORTS.has(effort))
    throw new TranslationFault(
      "reasoning.effort",
      `reasoning.effort "${effort}" is none of ${[...EFFORTS].join(", ")}`,
    );
  const isShown = hasValue(reasoning["summary"]) || hasValue(reasoning["generate_summary"]);
  if (effort === undefined && !isShown) return undefined;
  return { ...(effort === undefined ? {} : { effort: effort as Effort }), ...(isShown ? { isShown } : {}) };
}

function logprobsOf(fields: JsonObject): Pick<NeutralRequest, "hasLogprobs" | "topLogprobs"> {
  if (!(readList(fields, "include") ?? []).includes(LOGPROBS)) return {};
  const topLogprobs = readNumber(fields, "top_logprobs");
  return { hasLogprobs: true, ...(topLogprobs === undefined ? {} : { topLogprobs }) };
}

const REASONING: ReadonlySet<string> = new Set(["effort", "summary", "generate_summary"]);

/** Names of what is left out without changing the answer. */
function unreadNames(fields: JsonObject): string[] {
  const names = unknownNames(fields, KNOWN).filter(
    (name) =>
      !(name === "store" && fields["store"] === false) && !(name === "truncation" && fields[name] === "disabled"),
  );
  for (const name of unknownNames(objectOf(fields["reasoning"]), REASONING)) names.push(`reasoning.${name}`);
  const includes = readList(fields, "include") ?? [];
  if (includes.some((include) => !MET_INCLUDES.has(include))) names.push("include");
  if (!includes.includes(LOGPROBS) && (readNumber(fields, "top_logprobs") ?? 0) > 0) names.push("top_logprobs");
  return names;
}

/** Settings that are one value with the same meaning everywhere. */
function plainSettings(fields: JsonObject, text: JsonObject | undefined): Partial<NeutralRequest> {
  const settings = {
    hasParallelToolCalls: readBoolean(fields, "parallel_tool_calls"),
    maxTokens: readNumber(fields, "max_output_tokens"),
    temperature: readNumber(fields, "temperature"),
    topP: readNumber(fields, "top_p"),
    responseFormat: formatOf(text),
    reasoning: reasoningOf(fields),
    user: readText(fields, "safety_identifier") ?? readText(fields, "user"),
    metadata: readObject(fields, "metadata"),
    serviceTier: readText(fields, "service_tier"),
    isKept: isKeptOf(fields),
    verbosity: text === undefined ? undefined : readText(text, "verbosity", "text"),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Decodes a whole request. Throws TranslationFault for what is malformed or lives in the vendor's own store. */
export function decodeRequest(fields: JsonObject, _path: PathInfo): NeutralRequest {
  refuseStored(fields);
  refusePrivacyTerms(fields);
  const { system, messages, dropped } = decodeInput(fields["input"]);
  const instructions = readText(fields, "instructions") ?? "";
  const text = readObject(fields, "text");
  const { dropped: droppedTools, ...tools } = decodeTools(fields);
  return {
    model: readText(fields, "model") ?? "",
    isStream: readBoolean(fields, "stream") === true,
    system: instructions === "" ? system : [{ kind: "text", text: instructions }, ...system],
    messages,
    ...tools,
    ...plainSettings(fields, text),
    ...sharedOf(fields),
    ...logprobsOf(fields),
    unknownFields: [...new Set([...unreadNames(fields), ...dropped, ...droppedTools])],
  };
}
