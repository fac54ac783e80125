/**
 * Cohere's buffered answers -> neutral ones, with the finish reasons, usage and citations that its streams share (docs.cohere.com/reference/chat).
 */
import { isObject, listOf, numberOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import type {
  Citation,
  FinishReason,
  JsonObject,
  NeutralAnswer,
  NeutralPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from "../../dialects/neutral/neutral.ts";
import { writtenArguments } from "../../dialects/neutral/waiting-calls.ts";
import { missingCallId } from "../../dialects/openai-chat/answer.ts";
import { proven } from "../../dialects/openai-chat/signature.ts";

const ENDS: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop_sequence",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool_calls",
};

export const finishOf = (word: string): FinishReason => ownOf(ENDS, word) ?? "stop";

/** The vendor gave up on its answer. */
export const isBrokenEnd = (word: string): boolean => word === "ERROR" || word === "TIMEOUT";

/**
 * Counts in the fields of chat completions: those that the vendor bills, else those its model saw, which are more by its own
 * instructions (docs.cohere.com/docs/how-does-cohere-pricing-work). What a cache held is counted of the latter, and is no part of what
 * is billed.
 */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const billed = objectOf(usage["billed_units"]);
  const counted = [billed, objectOf(usage["tokens"])].find(
    (units) => numberOf(units["input_tokens"]) !== undefined || numberOf(units["output_tokens"]) !== undefined,
  );
  if (counted === undefined) return undefined;
  const cached = counted === billed ? undefined : usage["cached_tokens"];
  return {
    prompt_tokens: counted["input_tokens"],
    completion_tokens: counted["output_tokens"],
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

/** Position in the text of a character that the vendor counts as Python does, by code points. */
function positionAt(text: string, codePoints: unknown): number | undefined {
  const wanted = numberOf(codePoints);
  if (wanted === undefined || wanted < 0) return undefined;
  let position = 0;
  for (let count = 0; count < wanted && position < text.length; count += 1)
    position += (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
  return position;
}

const URL_FIELDS = ["url", "link", "source", "href"];
const QUOTE_FIELDS = ["snippet", "text", "content"];

const firstText = (fields: JsonObject, names: readonly string[]): string =>
  names.map((name) => textOf(fields[name])).find((text) => text !== "") ?? "";

/**
 * The sources of one statement that have an address; the others point into the client's own request and have no place in other formats.
 * `text` is what the statement is in.
 */
export function citationsOf(citation: JsonObject, text: string, offset = 0): Citation[] {
  const [start, end] = [positionAt(text, citation["start"]), positionAt(text, citation["end"])];
  const span = start === undefined || end === undefined ? {} : { start: start + offset, end: end + offset };
  return listOf(citation["sources"]).flatMap((source) => {
    const found = objectOf(objectOf(source)["document"] ?? objectOf(source)["tool_output"]);
    const url = firstText(found, URL_FIELDS);
    if (!/^https?:/i.test(url)) return [];
    return [{ url, title: textOf(found["title"]), quote: firstText(found, QUOTE_FIELDS), ...span }];
  });
}

/** Citations of the answer's text, without those of its plan and its thinking. */
export const isTextContent = ({ type }: JsonObject): boolean => type === undefined || type === "TEXT_CONTENT";

function textPart(text: string, index: number, citations: readonly JsonObject[]): TextPart[] {
  if (text === "") return [];
  const own = citations.filter((each) => (numberOf(each["content_index"]) ?? index) === index);
  const found = own.flatMap((each) => citationsOf(each, text));
  return [{ kind: "text", text, ...(found.length === 0 ? {} : { citations: found }) }];
}

const thought = (text: string): NeutralPart[] =>
  text === "" ? [] : [proven({ kind: "reasoning", text } satisfies ReasoningPart)];

function contentParts(message: JsonObject): NeutralPart[] {
  const { content } = message;
  const citations = listOf(message["citations"]).filter(isObject).filter(isTextContent);
  if (typeof content === "string") return textPart(content, 0, citations);
  return listOf(content).flatMap((each, index): NeutralPart[] => {
    const part = objectOf(each);
    return part["type"] === "thinking"
      ? thought(textOf(part["thinking"]))
      : textPart(textOf(part["text"]), index, citations);
  });
}

const callParts = (message: JsonObject, answerId: string): ToolCallPart[] =>
  listOf(message["tool_calls"])
    .filter(isObject)
    .map((call, index) => {
      const called = objectOf(call["function"]);
      return {
        kind: "tool_call",
        id: textOf(call["id"]) || missingCallId(answerId, 0, index),
        name: textOf(called["name"]),
        arguments: writtenArguments(textOf(called["arguments"])),
      };
    });

/** Reads an answer in one piece; undefined where the body is none. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  const { message, id, finish_reason: word, usage } = fields;
  if (!isObject(message)) return undefined;
  const answerId = textOf(id);
  const parts = [...thought(textOf(message["tool_plan"])), ...contentParts(message), ...callParts(message, answerId)];
  return { id: answerId, choices: [{ parts, finish: finishOf(textOf(word)) }], rawUsage: usageOf(usage) };
}
