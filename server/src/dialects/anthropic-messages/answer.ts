/** Buffered answers of the Messages API, both ways (platform.claude.com/docs/en/api/messages). */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import { citationFields, citationsOf, searchBlocks } from "./citations.ts";
import { explanationOf, finishOf, stopFields } from "./finish.ts";
import { UNSIGNED, signedId, thinkingBlock } from "./signature.ts";
import { encodeUsage } from "./usage.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import { parseExactObject } from "../json/exact.ts";
import { isObject, textOf } from "../json/fields.ts";
import {
  type JsonObject,
  type NeutralAnswer,
  type NeutralPart,
  pictureText,
  type ReasoningPart,
  type ToolCallPart,
} from "../neutral/neutral.ts";

const thinkingOf = (text: string, value: string): ReasoningPart => ({
  kind: "reasoning",
  text,
  ...(value === "" || value === UNSIGNED ? {} : { signature: { dialect: "anthropic-messages", value } }),
});

/** The part a block of an answer stands for; blocks of the vendor's own tools have none. */
function partOf(block: JsonObject): NeutralPart | undefined {
  switch (block["type"]) {
    case "text":
      return { kind: "text", text: textOf(block["text"]), ...citationsOf(block["citations"]) };
    case "thinking":
      return thinkingOf(textOf(block["thinking"]), textOf(block["signature"]));
    case "redacted_thinking":
      return { ...thinkingOf("", textOf(block["data"])), isRedacted: true };
    case "tool_use":
      return {
        kind: "tool_call",
        id: textOf(block["id"]),
        name: textOf(block["name"]),
        arguments: JSON.stringify(isObject(block["input"]) ? block["input"] : {}),
      };
    default:
      return undefined;
  }
}

/** Undefined where the body is no message. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  const content = fields["content"];
  if (!Array.isArray(content)) return undefined;
  const parts = content
    .filter(isObject)
    .map(partOf)
    .filter((part) => part !== undefined);
  const finish = finishOf(textOf(fields["stop_reason"]));
  const explanation = explanationOf(finish, fields["stop_details"]);
  if (explanation !== "") parts.push({ kind: "refusal", text: explanation });
  const stopSequence = textOf(fields["stop_sequence"]);
  return {
    id: textOf(fields["id"]),
    choices: [{ parts, finish, ...(stopSequence === "" ? {} : { stopSequence }) }],
    rawUsage: fields["usage"] ?? undefined,
  };
}

/** The head of a tool_use block; a stream's has an empty input. */
export const toolUse = (id: string, name: string, input: JsonObject): JsonObject => ({
  type: "tool_use",
  id,
  name,
  input,
  caller: { type: "direct" },
});

function toolBlocks({ id, name, arguments: text, signature }: ToolCallPart): JsonObject[] {
  return [
    toolUse(signedId(id, signature), name, parseExactObject(text) ?? (text.trim() === "" ? {} : { arguments: text })),
  ];
}

function blocksOf(part: NeutralPart): JsonObject[] {
  switch (part.kind) {
    case "text":
      if (part.citations === undefined) return part.text === "" ? [] : [{ type: "text", text: part.text }];
      return [{ type: "text", text: part.text, citations: part.citations.map(citationFields) }];
    case "refusal":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return [thinkingBlock(part)];
    case "tool_call":
      return toolBlocks(part);
    case "image":
      return [{ type: "text", text: pictureText(part.source) }];
    case "search":
      return [...searchBlocks(part)];
    default:
      return [];
  }
}

/** Ids of other vendors get the prefix that this vendor's have. */
function messageId(id: string, requestId: string): string {
  if (id.startsWith("msg_")) return id;
  return `msg_${(id === "" ? requestId : id).replace(/[^A-Za-z0-9_-]/g, "")}`;
}

/** What a message is before it has content: the one of message_start. */
export const messageFields = (id: string, { model, requestId }: AnswerInfo): JsonObject => ({
  id: messageId(id, requestId),
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
});

/** The first choice only: a client of this dialect cannot ask for more. */
export function encodeAnswer(answer: NeutralAnswer, usage: Usage, info: AnswerInfo): JsonObject {
  const [choice] = answer.choices;
  const parts = choice?.parts ?? [];
  const hasCalls = parts.some(({ kind }) => kind === "tool_call");
  return {
    ...messageFields(answer.id, info),
    content: parts.flatMap(blocksOf),
    ...stopFields(choice?.finish ?? "stop", choice?.stopSequence, hasCalls),
    usage: encodeUsage(usage),
  };
}
