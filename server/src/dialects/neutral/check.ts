/** Checks what every vendor refuses, once for all formats, so that the client gets an error in its own format; part of the hub. */
import {
  type MediaSource,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
} from "./neutral.ts";

function refuse(field: string, message: string): never {
  throw new TranslationFault(field, message);
}

/** Counts that multiply work: whole, and at least one. */
function checkCounts({ maxTokens, choices }: NeutralRequest): void {
  for (const [field, count] of [
    ["max_tokens", maxTokens],
    ["n", choices],
  ] as const)
    if (count !== undefined && !(Number.isInteger(count) && count >= 1))
      refuse(field, "must be a whole number above 0");
}

function checkToolChoice({ toolChoice, tools }: NeutralRequest): void {
  if (toolChoice?.kind === "required" && tools.length === 0)
    refuse("tool_choice", "asks for a call of a tool, and there are no tools");
  if (toolChoice?.kind !== "tool") return;
  const { name } = toolChoice;
  if (!tools.some((tool) => tool.kind === "function" && tool.name === name))
    refuse("tool_choice", `names the tool "${name.slice(0, 64)}", which is none of the tools`);
}

/** How often each is in a list. */
function timesOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  return times;
}

/** Every call has its result in the next turn, once. */
function checkCalls(messages: readonly NeutralMessage[]): void {
  const turns = messages.filter(({ role }) => role !== "system");
  for (const [index, { role, parts }] of turns.entries()) {
    if (role !== "assistant") continue;
    const calls = parts.flatMap((part) => (part.kind === "tool_call" ? [part.id] : []));
    const next = turns[index + 1];
    const results = timesOf(
      (next?.role === "user" ? next.parts : []).flatMap((part) => (part.kind === "tool_result" ? [part.id] : [])),
    );
    for (const [id, times] of timesOf(calls)) {
      const count = results.get(id) ?? 0;
      if (count === 0) refuse("messages", `the call "${id.slice(0, 64)}" of a tool has no result behind it`);
      if (count > times) refuse("messages", `the call "${id.slice(0, 64)}" of a tool has several results`);
    }
  }
}

const WEB_ADDRESS = /^https?:\/\/[^\s/]/i;
/** Checks the beginning only; both alphabets of base64, and line breaks. */
const BASE64_FRONT = /^[\w+/=\-\r\n]+$/;
const LOOKED_AT = 1024;

function checkSource(source: MediaSource, kind: string): void {
  if (source.kind === "url") {
    if (!WEB_ADDRESS.test(source.url)) refuse("messages", `the address of ${kind} must begin with https:// or http://`);
    return;
  }
  if (!BASE64_FRONT.test(source.data.slice(0, LOOKED_AT))) refuse("messages", `the data of ${kind} are not in base64`);
}

const NAMES = { image: "an image", file: "a file", audio: "a recording" } as const;

function checkPart(part: NeutralPart): void {
  if (part.kind === "tool_result") for (const each of part.parts) checkPart(each);
  else if (part.kind === "image" || part.kind === "file" || part.kind === "audio")
    checkSource(part.source, NAMES[part.kind]);
}

/** Throws TranslationFault, its field by its neutral name, for a decoded request that every vendor would refuse. */
export function checkRequest(request: NeutralRequest): void {
  const { messages, system } = request;
  if (messages.length === 0 && system.length === 0) refuse("messages", "there is nothing to answer");
  checkCounts(request);
  checkToolChoice(request);
  checkCalls(messages);
  for (const { parts } of messages) for (const part of parts) checkPart(part);
}
