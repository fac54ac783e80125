/** Neutral messages -> those of an Anthropic request: alternating roles, results directly after their calls, nothing empty. */
import { systemBlocks, turnBlocks, userBlocks } from "./parts-encode.ts";
import { withCarriedImages } from "../neutral/pictures.ts";
import { addAll } from "../json/fields.ts";
import type { JsonObject, NeutralMessage, NeutralRequest, TextPart, Warn } from "../neutral/neutral.ts";

interface Turn {
  role: "user" | "assistant";
  content: JsonObject[];
}

/** Stands where the vendor asks for a message and the client gave none. */
const PLACEHOLDER: JsonObject = { type: "text", text: "..." };

const isResult = (block: JsonObject): boolean => block["type"] === "tool_result";

/** Neighbours of one role become one message, with the results of calls in front. */
function merged(turns: readonly Turn[]): Turn[] {
  const found: Turn[] = [];
  for (const turn of turns) {
    const last = found.at(-1);
    if (last?.role === turn.role) addAll(last.content, turn.content);
    else found.push({ role: turn.role, content: [...turn.content] });
  }
  for (const turn of found)
    if (turn.role === "user" && turn.content.some(isResult))
      turn.content = [...turn.content.filter(isResult), ...turn.content.filter((block) => !isResult(block))];
  return found;
}

/** A last message of the model is a prefill that it continues, and may not end in blanks. */
function trimLast(turns: Turn[]): void {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (block !== undefined && typeof block["text"] === "string")
    last?.content.splice(-1, 1, { ...block, text: block["text"].trimEnd() });
}

function turnOf({ role, parts, name }: NeutralMessage, warn: Warn): Turn[] {
  if (name !== undefined) warn("messages[].name", "Anthropic has no names of participants");
  if (role === "system") return [];
  const content = role === "user" ? userBlocks(parts, warn) : turnBlocks(parts, warn);
  return content.length === 0 ? [] : [{ role, content }];
}

/** One text stands as a plain string. */
function messageOf({ role, content }: Turn): JsonObject {
  const [first] = content;
  const isPlain = content.length === 1 && first?.["type"] === "text" && first["cache_control"] === undefined;
  return { role, content: isPlain ? first["text"] : content };
}

export function encodeMessages(messages: readonly NeutralMessage[], warn: Warn): JsonObject[] {
  const turns = merged(withCarriedImages(messages).flatMap((message) => turnOf(message, warn)));
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [PLACEHOLDER] });
  trimLast(turns);
  return turns.map(messageOf);
}

const isText = (part: { kind: string }): part is TextPart => part.kind === "text";

/** The system prompt, and behind it the instructions that stood inside the conversation: most models take none there. */
export function encodeSystem(request: NeutralRequest, instruction: string | undefined, warn: Warn): JsonObject {
  const inside = request.messages.filter(({ role }) => role === "system").flatMap(({ parts }) => parts.filter(isText));
  if (inside.length > 0) warn("messages", "instructions inside the conversation were moved to the system prompt");
  const added: readonly TextPart[] = instruction === undefined ? [] : [{ kind: "text", text: instruction }];
  const blocks = systemBlocks([...request.system, ...inside, ...added]);
  const [first] = blocks;
  if (first === undefined) return {};
  return { system: blocks.length === 1 && first["cache_control"] === undefined ? first["text"] : blocks };
}
