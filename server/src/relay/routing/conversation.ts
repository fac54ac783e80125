/** The key of a call's conversation, read from its beginning alone: by it a conversation may stick to its channel. */
import { hash } from "node:crypto";
import type { AffinityRule } from "../../../../contract/src/channels/affinity-rules.ts";
import { type JsonField, fieldOf } from "../../dialects/json/bytes.ts";
import { objectOf, textOf } from "../../dialects/json/fields.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { type Accepted, requestField, textField } from "../request/accepted.ts";
import type { Holder } from "../../channels/conversations.ts";
import { type AffinityCaller, affinityOf } from "./affinity-rule.ts";
import type { HeldConversation } from "./routed-call.ts";

export interface Conversation {
  readonly userId: number;
  /** Of the user and the model too: what one user sends never moves another's calls. */
  readonly key: string;
  /** How long the channel is worth finding again, in seconds. */
  readonly seconds: number;
  /** True where the key names an answer that is stored at one upstream. */
  readonly isStored: boolean;
  /** True where no other channel is tried once the one that had it fails. */
  readonly skipsRetry?: boolean;
  /** Name of the operator's rule that it is of. */
  readonly rule?: string;
}

/** Vendors keep the cache of a prompt for five minutes to an hour after its last use. */
const CACHE_SECONDS = 3_600;
/** Stored answers are kept longer; a conversation that pauses for a day is a new one to most clients. */
const STORED_SECONDS = 86_400;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
/** Bytes at both ends of a long beginning that stand for all of it. */
const END_BYTES = 512;
/** Messages of the operator before the first of the person. */
const MAX_LEADING = 8;
/** Where a message names its role, at its beginning or its end. */
const ROLE_BYTES = 64;
const OPERATORS = /"role"\s*:\s*"(?:system|developer)"/;

/** Behind the string that opens at `at`. */
function afterString(body: Buffer, at: number, end: number): number {
  for (let close = body.indexOf(QUOTE, at + 1); close >= 0 && close < end; close = body.indexOf(QUOTE, close + 1)) {
    let backslashes = 0;
    while (body[close - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
  return end;
}

/** At the comma behind the entry of a list that begins at `start`, or at the list's end. */
function entryEnd(body: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end;) {
    const code = body[at];
    if (code === QUOTE) {
      at = afterString(body, at, end);
      continue;
    }
    if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth < 0 || (depth === 0 && code === COMMA)) return at;
    at += 1;
  }
  return end;
}

function isOperators(body: Buffer, start: number, end: number): boolean {
  const head = body.toString("latin1", start, Math.min(end, start + ROLE_BYTES));
  return OPERATORS.test(head) || OPERATORS.test(body.toString("latin1", Math.max(start, end - ROLE_BYTES), end));
}

/** Where the leading messages of a list end: the operator's own, and the first of the conversation. */
function leadingEnd(body: Buffer, { valueStart, valueEnd }: JsonField): number {
  if (body[valueStart] !== OPEN_LIST) return valueEnd;
  let start = valueStart + 1;
  for (let count = 0; count < MAX_LEADING && start < valueEnd; count += 1) {
    const end = entryEnd(body, start, valueEnd);
    if (!isOperators(body, start, end)) return end;
    start = end + 1;
  }
  return Math.min(start, valueEnd);
}

/** A text that is the same for the same beginning: all of a short one, length and both ends of a long one. */
function digestible(body: Buffer, start: number, end: number): string {
  if (end - start <= 2 * END_BYTES) return body.toString("latin1", start, end);
  const head = body.toString("latin1", start, start + END_BYTES);
  return `${end - start} ${head}${body.toString("latin1", end - END_BYTES, end)}`;
}

/** What stands before the messages, in the formats that have a place of its own for it. */
const INSTRUCTIONS = ["system", "instructions", "systemInstruction", "system_instruction"];
const MESSAGES = ["messages", "input", "contents"];

/** What Claude Code writes first into `system` for its vendor's accounts, other in each call (dialects/anthropic-messages/request-decode.ts). */
const ATTRIBUTION = /^\s*(?:\{[^{}"]*"type"\s*:\s*"text"[^{}"]*"text"\s*:\s*)?"x-anthropic-billing-header:/;
const ATTRIBUTION_BYTES = 512;

/** Where instructions begin that are the same in each call: behind the entry of a list, or the line of a text, that is not. */
function stableStart(body: Buffer, { valueStart, valueEnd }: JsonField): number {
  const isList = body[valueStart] === OPEN_LIST;
  const start = isList ? valueStart + 1 : valueStart;
  const head = body.toString("latin1", start, Math.min(valueEnd, start + ATTRIBUTION_BYTES));
  if (!ATTRIBUTION.test(head)) return valueStart;
  if (isList) return entryEnd(body, start, valueEnd);
  const line = head.indexOf(String.raw`\n`);
  return line < 0 ? valueStart : start + line;
}

const firstOf = ({ info }: Accepted, names: readonly string[]): JsonField | undefined => {
  for (const name of names) {
    const field = fieldOf(info.top, name);
    if (field !== undefined) return field;
  }
  return undefined;
};

function leadingText(accepted: Accepted): string | undefined {
  const messages = firstOf(accepted, MESSAGES);
  if (messages === undefined) return undefined;
  const instructions = firstOf(accepted, INSTRUCTIONS);
  const { body } = accepted;
  const before =
    instructions === undefined ? "" : digestible(body, stableStart(body, instructions), instructions.valueEnd);
  return `${before}\n${digestible(body, messages.valueStart, leadingEnd(body, messages))}`;
}

const keyOf = (userId: number, model: string, kind: string, text: string): string =>
  hash("sha1", `${userId}\n${model}\n${kind}\n${text}`, "base64url");

/** The conversation of a call that continues a stored answer. */
export const storedConversation = (userId: number, model: string, id: string): Conversation => ({
  userId,
  key: keyOf(userId, model, "stored", id),
  seconds: STORED_SECONDS,
  isStored: true,
});

/** What the operator's rules know it by: of the user too, and of the model only where the rule says so. */
function ruledConversation(
  accepted: Accepted,
  caller: AffinityCaller,
  rules: readonly AffinityRule[],
): Conversation | undefined {
  const found = affinityOf(accepted, caller, rules);
  if (found === undefined) return undefined;
  const { rule, value } = found;
  const model = rule.include_model_name === true ? accepted.model : "";
  return {
    userId: caller.userId,
    key: keyOf(caller.userId, model, `rule ${rule.name}`, value),
    seconds: (rule.ttl_seconds ?? 0) === 0 ? CACHE_SECONDS : (rule.ttl_seconds ?? 0),
    isStored: false,
    skipsRetry: rule.skip_retry_on_failure === true,
    rule: rule.name,
  };
}

/** What the conversation of a call is known by; undefined where it is none. */
function conversationOf(
  accepted: Accepted,
  caller: AffinityCaller,
  { isGeneral, rules }: { isGeneral: boolean; rules: readonly AffinityRule[] },
): Conversation | undefined {
  if (accepted.operation !== "chat" || accepted.form !== undefined) return undefined;
  const { model } = accepted;
  const { userId } = caller;
  const previous = isGeneral ? textField(accepted, "previous_response_id") : undefined;
  if (previous !== undefined) return storedConversation(userId, model, previous);
  const ruled = ruledConversation(accepted, caller, rules);
  if (ruled !== undefined || !isGeneral) return ruled;
  const named = textField(accepted, "prompt_cache_key");
  const text = named ?? leadingText(accepted);
  if (text === undefined) return undefined;
  const kind = named === undefined ? "leading" : "named";
  return { userId, key: keyOf(userId, model, kind, text), seconds: CACHE_SECONDS, isStored: false };
}

/** The parts of a call by which it finds its channel again. */
interface Asked {
  readonly call: Call;
  readonly accepted: Accepted;
  conversation: Conversation | undefined;
  held: HeldConversation | undefined;
}

const NO_RULES: readonly AffinityRule[] = Object.freeze([]);

/** At Anthropic's code its libraries send the whole conversation. */
const notFound = ({ dialect }: Accepted, id: string): RelayError =>
  new RelayError("previous_response_not_found", {
    message: `The response '${id}' is not known. Send the whole conversation.`,
    ...(dialect.name === "anthropic-messages"
      ? { param: "thread", details: { error_code: "thread_not_found" } }
      : { param: "previous_response_id" }),
  });

/** The holder of the stored answer that a call continues. Rejects with RelayError 400 where it is another user's. */
async function recallStored(asked: Asked, id: string, userId: number): Promise<void> {
  const { storedResponses, logger } = asked.call.context;
  const found = await storedResponses.find(id).catch((error: unknown) => {
    logger.warn({ ...asked.call.logFields, err: error }, "the channel of a stored response could not be looked up");
    return undefined;
  });
  if (found === undefined) return;
  if (found.userId !== userId) throw notFound(asked.accepted, id);
  asked.held = { channelId: found.channelId, keyId: found.channelKeyId, isOnlyThere: true };
}

/** The thread of Anthropic's that a call begins or continues: its answers are kept like those of Responses. */
const threadOf = (accepted: Accepted) =>
  accepted.dialect.name === "anthropic-messages" ? objectOf(requestField(accepted, "thread")) : {};

/** The stored answer that the call continues; undefined for none. */
function previousOf(accepted: Accepted): string | undefined {
  if (accepted.operation !== "chat") return undefined;
  if (accepted.dialect.name === "openai-responses") return textField(accepted, "previous_response_id");
  return textOf(threadOf(accepted)["previous_message_id"]) || undefined;
}

/** True where an answer of the client's own format is kept by its upstream: one of Responses is, unless the request says no. */
function isKept(accepted: Accepted): boolean {
  const { operation, endpoint, dialect } = accepted;
  if (operation !== "chat" || endpoint.compacts === true) return false;
  if (dialect.name === "openai-responses") return requestField(accepted, "store") !== false;
  return threadOf(accepted)["type"] !== undefined;
}

/**
 * Looks up the holder of the answer that the call continues, and who had its conversation where the operator wants calls to stick; a promise only where the
 * database or other processes are asked. Rejects with RelayError 400 for an answer of another user.
 */
export function recallConversation(asked: Asked, ids: { userId: number; tokenId: number }): Promise<void> | undefined {
  if (isKept(asked.accepted)) asked.call.trace.wantsAnswerId = true;
  const previous = previousOf(asked.accepted);
  const recalled = recallSticky(asked, ids);
  if (previous === undefined) return recalled;
  return Promise.resolve(recalled).then(() => recallStored(asked, previous, ids.userId));
}

function recallSticky(
  asked: Asked,
  { userId, tokenId }: { userId: number; tokenId: number },
): Promise<void> | undefined {
  const { conversations, snapshot } = asked.call.context;
  const { options } = snapshot;
  const isGeneral = options.PromptCacheAffinityEnabled;
  const rules = options["channel_affinity_setting.enabled"] ? options["channel_affinity_setting.rules"] : NO_RULES;
  if (!isGeneral && rules.length === 0) return undefined;
  const header = (name: string): string => String(asked.call.request.headers[name] ?? "");
  const conversation = conversationOf(asked.accepted, { userId, tokenId, header }, { isGeneral, rules });
  if (conversation === undefined) return undefined;
  asked.conversation = conversation;
  if (isGeneral && asked.accepted.dialect.name === "openai-responses") asked.call.trace.wantsAnswerId = true;
  const { rule } = conversation;
  const keep = (holder: Holder | undefined): void => {
    if (rule !== undefined) asked.call.trace.affinity = { rule, hit: holder !== undefined };
    if (holder === undefined) return;
    asked.held = { ...holder, isOnlyThere: conversation.isStored, skipsRetry: conversation.skipsRetry === true };
  };
  const found = conversations.holderOf(conversation.key, performance.now());
  if (found instanceof Promise) return found.then(keep);
  keep(found);
  return undefined;
}
