/** The conversation Anthropic takes: who speaks first, results right behind their calls, thinking sent back as it was given. */
import { type Fields, isObject, refuse } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

interface Rules {
  /** API version 2026-10-21. */
  isNewer: boolean;
  signatureOf(thinking: string): string;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MEDIA: Readonly<Record<string, ReadonlySet<unknown>>> = {
  image: new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  document: new Set(["application/pdf"]),
};
const GIVEN: ReadonlySet<unknown> = new Set(["text", "image", "document", "search_result"]);
const BY_ROLE: Readonly<Record<string, ReadonlySet<unknown>>> = {
  user: new Set([...GIVEN, "tool_result"]),
  assistant: new Set([
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "document",
    "server_tool_use",
    "web_search_tool_result",
  ]),
  system: new Set(["text"]),
};

/** Blocks of a message whose content may be one string. */
const blocksOf = (content: unknown): unknown[] | undefined => {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : undefined;
};

function refuseMedia(block: Fields, place: string): VendorError | undefined {
  const { source } = block;
  if (!isObject(source)) return refuse(`${place}.source: Field required`);
  if (source["type"] === "url")
    return /^https?:\/\//.test(String(source["url"]))
      ? undefined
      : refuse(`${place}.source.url: Only HTTP(S) URLs are supported.`);
  if (source["type"] === "text")
    return typeof source["data"] === "string" ? undefined : refuse(`${place}.source.data: Field required`);
  if (source["type"] !== "base64") return refuse(`${place}.source.type: Input tag is not one of the expected tags`);
  if (MEDIA[String(block["type"])]?.has(source["media_type"]) !== true)
    return refuse(`${place}.source.base64.media_type: Input should be another media type`);
  const data = source["data"];
  const isValid = typeof data === "string" && data.length % 4 === 0 && BASE64.test(data);
  return isValid ? undefined : refuse(`${place}.source.base64.data: Invalid base64 data`);
}

function refuseThinkingBlock(block: Fields, place: string, { signatureOf }: Rules): VendorError | undefined {
  const thinking = block["thinking"];
  if (typeof thinking !== "string") return refuse(`${place}.thinking: Field required`);
  return block["signature"] === signatureOf(thinking)
    ? undefined
    : refuse(`${place}: Invalid \`signature\` in \`thinking\` block`);
}

function refuseBlock(block: unknown, role: string, place: string, rules: Rules): VendorError | undefined {
  if (!isObject(block)) return refuse(`${place}: Input should be a valid dictionary`);
  const type = block["type"];
  if (BY_ROLE[role]?.has(type) !== true)
    return refuse(`${place}: \`${String(type)}\` blocks are not permitted in ${role} messages`);
  if (type === "text") return refuseText(block, role, place, rules);
  if (type === "thinking") return refuseThinkingBlock(block, place, rules);
  if (type === "tool_use") return refuseCall(block, place);
  if (type === "document" && role === "assistant" && rules.isNewer)
    return refuse(`${place}: document blocks are not permitted in assistant messages`);
  if (type === "image" || type === "document") return refuseMedia(block, place);
  if (type !== "tool_result") return undefined;
  const inner = blocksOf(block["content"] ?? "ok");
  if (inner === undefined) return refuse(`${place}.content: Input should be a valid list`);
  return first(inner, (entry, index) => refuseInner(entry, `${place}.content.${index}`, rules));
}

/** What a result may hold: what users may, and names of tools that a search has found. */
function refuseInner(entry: unknown, place: string, rules: Rules): VendorError | undefined {
  if (!isObject(entry) || entry["type"] !== "tool_reference") return refuseBlock(entry, "user", place, rules);
  return typeof entry["tool_name"] === "string" ? undefined : refuse(`${place}.tool_name: Field required`);
}

function refuseText(
  { text, citations }: Fields,
  role: string,
  place: string,
  { isNewer }: Rules,
): VendorError | undefined {
  if (typeof text !== "string") return refuse(`${place}.text: Field required`);
  if (text.trim() === "") return refuse("messages: text content blocks must contain non-whitespace text");
  const hasCitations = Array.isArray(citations) && citations.length > 0;
  return isNewer && role === "user" && hasCitations
    ? refuse(`${place}.citations: not permitted in user messages`)
    : undefined;
}

function refuseCall({ id, name, input }: Fields, place: string): VendorError | undefined {
  if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id))
    return refuse(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (typeof name !== "string" || name === "") return refuse(`${place}.tool_use.name: Field required`);
  return isObject(input) ? undefined : refuse(`${place}.tool_use.input: Input should be a valid dictionary`);
}

function first<Entry>(
  entries: readonly Entry[],
  refuse: (entry: Entry, index: number) => VendorError | undefined,
): VendorError | undefined {
  for (const [index, entry] of entries.entries()) {
    const refusal = refuse(entry, index);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

interface Turn {
  role: string;
  blocks: Fields[];
}

/** Neighbours of one role count as one turn. */
function turnsOf(messages: readonly Fields[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const blocks = (blocksOf(message["content"]) ?? []).filter(isObject);
    const last = turns.at(-1);
    if (last !== undefined && last.role === message["role"]) last.blocks.push(...blocks);
    else turns.push({ role: String(message["role"]), blocks: [...blocks] });
  }
  return turns;
}

/** Every call is answered at the head of the next turn, and nothing else is. */
function refusePairs(turns: readonly Turn[]): VendorError | undefined {
  return first(turns, ({ role, blocks }, index) => {
    const calls = new Set(
      role === "assistant" ? blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id) : [],
    );
    const before = turns[index - 1];
    const asked = new Set(
      before?.role === "assistant" ? before.blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id) : [],
    );
    const next = turns[index + 1]?.blocks ?? [];
    const head = next.slice(0, next.findLastIndex(({ type }) => type === "tool_result") + 1);
    const answered = new Set(head.map((block) => block["tool_use_id"]));
    const isLast = index === turns.length - 1;
    if (!isLast && [...calls].some((id) => !answered.has(id)))
      return refuse(`messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
    if (calls.size > 0 && head.some(({ type }) => type !== "tool_result"))
      return refuse(`messages.${index + 1}: \`tool_result\` blocks must come first`);
    const stray = blocks.find((block) => block["type"] === "tool_result" && !asked.has(block["tool_use_id"]));
    return stray === undefined
      ? undefined
      : refuse(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks`);
  });
}

/** With a budget for thinking, the turn the model is in the middle of has to begin with its thinking. */
function refuseOpenTurn(turns: readonly Turn[], thinking: unknown): VendorError | undefined {
  if (!isObject(thinking) || thinking["type"] !== "enabled") return undefined;
  const [turn, results] = turns.slice(-2);
  if (turn?.role !== "assistant" || results?.blocks[0]?.["type"] !== "tool_result") return undefined;
  const type = turn.blocks[0]?.["type"];
  return type === "thinking" || type === "redacted_thinking"
    ? undefined
    : refuse(`messages: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(type)}\``);
}

/** `system` and `messages` of a body. */
export function refuseConversation({ messages, system, thinking }: Fields, rules: Rules): VendorError | undefined {
  const words = system === undefined ? [] : blocksOf(system);
  if (words === undefined) return refuse("system: Input should be a valid string or list");
  const refused = first(words, (block, index) => refuseBlock(block, "system", `system.${index}`, rules));
  if (refused !== undefined) return refused;
  if (!Array.isArray(messages) || messages.length === 0) return refuse("messages: at least one message is required");
  const wrong = first(messages as unknown[], (message, index) => {
    const role = isObject(message) ? String(message["role"]) : "";
    const blocks = isObject(message) ? blocksOf(message["content"]) : undefined;
    if (BY_ROLE[role] === undefined) return refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    if (blocks === undefined || blocks.length === 0) return refuse(`messages.${index}: must have non-empty content`);
    return first(blocks, (block, at) => refuseBlock(block, role, `messages.${index}.content.${at}`, rules));
  });
  if (wrong !== undefined) return wrong;
  const turns = turnsOf(messages.filter(isObject));
  if (turns[0]?.role !== "user") return refuse('messages: first message must use the "user" role');
  return refusePairs(turns) ?? refuseOpenTurn(turns, thinking);
}
