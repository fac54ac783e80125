/** The response object around an answer, with the request's settings repeated (platform.openai.com/docs/api-reference/responses/object). */
import type { AnswerInfo } from "../neutral/info.ts";
import { isObject, objectOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

/** Settings that are repeated as the client wrote them, and what stands there where it wrote none. */
const SETTINGS: readonly (readonly [name: string, otherwise: unknown])[] = [
  ["access_programs", null],
  ["background", false],
  ["instructions", null],
  ["max_output_tokens", null],
  ["max_tool_calls", null],
  ["metadata", {}],
  ["parallel_tool_calls", true],
  ["previous_response_id", null],
  ["prompt_cache_key", null],
  ["safety_identifier", null],
  ["service_tier", "default"],
  ["temperature", 1],
  ["tool_choice", "auto"],
  ["tools", []],
  ["top_logprobs", 0],
  ["top_p", 1],
  ["truncation", "disabled"],
];

function settingsOf(request: JsonObject): JsonObject {
  const settings = Object.fromEntries(SETTINGS.map(([name, otherwise]) => [name, request[name] ?? otherwise]));
  const { effort = null, summary = null } = objectOf(request["reasoning"]);
  const text = objectOf(request["text"]);
  return {
    ...settings,
    // OpenAI's OpenAPI has a user only where one was named, and usage only of an answer that is over.
    ...(typeof request["user"] === "string" ? { user: request["user"] } : {}),
    reasoning: { effort, summary },
    // Answers are never stored, even if the client asked for it.
    store: false,
    text: {
      format: isObject(text["format"]) ? text["format"] : { type: "text" },
      verbosity: text["verbosity"] ?? "medium",
    },
  };
}

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";

/** How an answer ended. */
export interface ResponseEnd {
  status: ResponseStatus;
  output: readonly JsonObject[];
  /** Null while it runs. */
  usage: JsonObject | null;
  incompleteReason?: string;
  error?: JsonObject;
}

const responseId = ({ requestId }: AnswerInfo): string => `resp_${requestId}`;

/** Makes response objects of one answer; the repeated settings are read once. */
export function createEnvelope(info: AnswerInfo): (end: ResponseEnd) => JsonObject {
  const settings = settingsOf(info.request ?? {});
  return ({ status, output, usage, incompleteReason, error }) => ({
    id: responseId(info),
    object: "response",
    created_at: info.createdAt,
    status,
    completed_at: status === "completed" ? info.createdAt : null,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    model: info.model,
    output,
    ...settings,
    ...(usage === null ? {} : { usage }),
  });
}
