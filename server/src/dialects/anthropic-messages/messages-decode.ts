/** Messages of an Anthropic request -> neutral ones: roles, calls and their results, thinking with its signatures. */
import { type Drop, givenBlock, readToolResult, textPart, unknownBlock, textPartsOf } from "./parts-decode.ts";
import { cacheOf, isAbsent, needList, needName, needObject, needText, optionalObject } from "./fields.ts";
import { readRedacted, readSignedId, readThinking } from "./signature.ts";
import { addAll } from "../json/fields.ts";
import type { JsonObject, NeutralMessage, NeutralPart, ToolCallPart } from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";

/** Blocks of tools the vendor runs itself, and what the client sends back of them. */
const SERVER_TOOL_BLOCK =
  /^(?:server_tool_use|mcp_tool_use|mcp_tool_listing|[a-z_]{1,64}_tool_result|compaction|fallback)$/;

/** What was read so far of one request. */
interface Reading {
  calls: Set<string>;
  drop: Drop;
}

/** A call that the model made itself is what every vendor has; one made by code, or of a member of a toolset, is not. */
function dropOrigin(block: JsonObject, param: string, drop: Drop): void {
  if (!isAbsent(block["toolset_name"])) drop(`${param}.toolset_name`);
  const caller = optionalObject(block["caller"], `${param}.caller`);
  if (caller !== undefined && caller["type"] !== "direct") drop(`${param}.caller`);
}

function readCall(block: JsonObject, param: string, drop: Drop): ToolCallPart {
  dropOrigin(block, param, drop);
  const input = optionalObject(block["input"], `${param}.input`) ?? {};
  const { id, signature } = readSignedId(needName(block["id"], `${param}.id`));
  return {
    kind: "tool_call",
    id,
    name: needName(block["name"], `${param}.name`),
    arguments: JSON.stringify(input),
    ...(signature === undefined ? {} : { signature }),
    ...cacheOf(block, param),
  };
}

function readTurn(content: readonly unknown[], param: string, { calls, drop }: Reading): NeutralPart[] {
  const parts: NeutralPart[] = [];
  for (const [index, entry] of content.entries()) {
    const place = `${param}[${index}]`;
    const block = needObject(entry, place);
    if (block["type"] === "tool_use") {
      const call = readCall(block, place, drop);
      calls.add(call.id);
      parts.push(call);
    } else if (block["type"] === "thinking") {
      const text = needText(block["thinking"], `${place}.thinking`);
      parts.push(readThinking(text, needText(block["signature"] ?? "", `${place}.signature`)));
    } else addAll(parts, readOther(block, place, drop));
  }
  return parts;
}

function readOther(block: JsonObject, place: string, drop: Drop): NeutralPart[] {
  const type = block["type"];
  if (type === "redacted_thinking") return [readRedacted(needText(block["data"], `${place}.data`))];
  // What stands before a summary its client may have dropped.
  if (type === "compaction" && typeof block["content"] === "string" && block["content"] !== "")
    return [textPart(block["content"])];
  if (typeof type === "string" && SERVER_TOOL_BLOCK.test(type)) {
    drop(place);
    return [];
  }
  const parts = givenBlock(block, place, drop);
  if (parts === undefined) throw unknownBlock(block, place);
  return parts;
}

/** Results come first in a neutral message, in any order of the client's. */
function readUser(content: readonly unknown[], param: string, { calls, drop }: Reading): NeutralPart[] {
  const [results, rest]: [NeutralPart[], NeutralPart[]] = [[], []];
  for (const [index, entry] of content.entries()) {
    const place = `${param}[${index}]`;
    const block = needObject(entry, place);
    if (block["type"] !== "tool_result") {
      addAll(rest, readOther(block, place, drop));
      continue;
    }
    dropOrigin(block, place, drop);
    const result = readToolResult(block, place, drop);
    if (!calls.has(result.id))
      throw new TranslationFault(
        `${place}.tool_use_id`,
        `${place}.tool_use_id answers no tool_use of an earlier message`,
      );
    results.push(result);
  }
  return [...results, ...rest];
}

function readMessage(entry: unknown, param: string, reading: Reading): NeutralMessage {
  const message = needObject(entry, param);
  const { role, content } = message;
  if (role === "system") return { role, parts: textPartsOf(content, `${param}.content`) };
  if (role !== "user" && role !== "assistant")
    throw new TranslationFault(`${param}.role`, `${param}.role must be "user", "assistant" or "system"`);
  if (typeof content === "string") return { role, parts: [textPart(content)] };
  const blocks = needList(content, `${param}.content`);
  const read = role === "user" ? readUser : readTurn;
  return { role, parts: read(blocks, `${param}.content`, reading) };
}

/** Throws TranslationFault for roles, blocks and ids that make no conversation. */
export function readMessages(messages: unknown, drop: Drop): NeutralMessage[] {
  const reading: Reading = { calls: new Set(), drop };
  const list = needList(messages, "messages");
  if (list.length === 0) throw new TranslationFault("messages", "messages must hold at least one message");
  return list.map((entry, index) => readMessage(entry, `messages[${index}]`, reading));
}
