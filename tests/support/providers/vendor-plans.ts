/** A compatible vendor's response to one request: it refuses what its documentation does not accept, else answers with its own usage and thinking. */
import type { Plan, SeenRequest } from "../../fake-upstream/plan.ts";
import { vendorOf } from "../../fake-upstream/vendors.ts";
import { type Fields, HAS_RESULT, fieldsOf, listOf } from "../clients/client-formats.ts";
import type { SnapshotChannel } from "../../../server/src/snapshot/snapshot.ts";
import type { CompatibleVendor } from "./compatible-vendor.ts";

export const KEY = "sk-upstream-secret-key";
export const WORDS = "Grüße, 42";
export const THOUGHT = "Let me see.";

/** The model's act: text, or tool calls, after whose results it answers with the text. */
export type Deed = "words" | readonly ModelCall[];

export interface ModelCall {
  name: string;
  /** JSON text. */
  arguments: string;
}

/** What a channel to it has: its address, and a model of each operation that is tried. */
export function offeringOf(vendor: CompatibleVendor, url: string): Partial<SnapshotChannel> {
  const models = [vendor, vendor.embeddings, vendor.images, vendor.rerank].flatMap((each) => each?.model ?? []);
  const { type, other = "", basePath = "" } = vendor;
  return { type, other, baseUrl: url + basePath, models: new Set(models) };
}

const refused = (status: number, message: string): Plan => ({
  status,
  rawBody: JSON.stringify({ error: { message, type: "invalid_request_error", code: "refused_by_test_vendor" } }),
});

const isOff = ({ thinking }: Fields): boolean => fieldsOf(thinking)["type"] === "disabled";

function messageFault(vendor: CompatibleVendor, body: Fields, message: Fields): string | undefined {
  const role = String(message["role"]);
  if (vendor.roles?.includes(role) === false) return `role ${role}`;
  const strange = Object.keys(message).find((name) => vendor.messages?.[role]?.includes(name) === false);
  if (strange !== undefined) return `${role}.${strange}`;
  const calls = listOf(message["tool_calls"]).map((call) => String(fieldsOf(call)["id"]));
  const ids = role === "tool" ? [String(message["tool_call_id"])] : calls;
  const id = ids.find((each) => vendor.callId?.test(each) === false);
  if (id !== undefined) return `id ${id}`;
  const isThoughtful = typeof message["reasoning_content"] === "string" && message["reasoning_content"] !== "";
  if (calls.length === 0 || isThoughtful || vendor.wantsThinking === undefined) return undefined;
  return vendor.wantsThinking === "unless_off" && isOff(body) ? undefined : "reasoning_content is missing";
}

function chatFault(vendor: CompatibleVendor, body: Fields): string | undefined {
  const field = vendor.refuses?.find((name) => body[name] !== undefined);
  if (field !== undefined) return field;
  const effort = body["reasoning_effort"];
  if (effort !== undefined && vendor.efforts?.includes(String(effort)) !== true) return `effort ${String(effort)}`;
  for (const message of listOf(body["messages"])) {
    const fault = messageFault(vendor, body, fieldsOf(message));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const isGemini = ({ gemini }: CompatibleVendor, path: string): boolean => gemini?.test(path) === true;

function faultOf(vendor: CompatibleVendor, path: string, body: Fields): string | undefined {
  const { embeddings, images, rerank } = vendor;
  if (isGemini(vendor, path)) return undefined;
  // The query of Claude Code's path reaches those that serve Messages, which know it.
  switch (path.replace("?beta=true", "")) {
    case vendor.chat:
      return chatFault(vendor, body);
    case embeddings?.path:
      if (embeddings?.refusesBase64 === true && body["encoding_format"] === "base64") return "encoding_format";
      return embeddings?.refuses?.find((name) => body[name] !== undefined);
    case images?.path:
      return images?.refuses?.find((name) => body[name] !== undefined);
    case vendor.responses:
    case vendor.anthropicMessages:
    case vendor.completions:
    case rerank?.path:
      return undefined;
    default:
      return vendor.audio === true && path.startsWith("/v1/audio/") ? undefined : `path ${path}`;
  }
}

export const CALLS: readonly ModelCall[] = [{ name: "get_weather", arguments: '{"city":"Paris"}' }];

function messageOf({ thinking }: CompatibleVendor, deed: Deed, isDelta: boolean): Fields {
  const calls = (deed === "words" ? [] : deed).map((called, index) => ({
    ...(isDelta ? { index } : {}),
    id: `Ab3dE6gH${index}`,
    type: "function",
    function: called,
  }));
  const said = deed === "words" ? { content: WORDS } : { content: null, tool_calls: calls };
  if (thinking === undefined || deed !== "words") return { role: "assistant", ...said };
  if (thinking !== "parts") return { role: "assistant", ...said, [thinking]: THOUGHT };
  const parts = [
    { type: "thinking", thinking: [{ type: "text", text: THOUGHT }] },
    { type: "text", text: WORDS },
  ];
  return { role: "assistant", content: parts };
}

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function streamOf(vendor: CompatibleVendor, deed: Deed, asksUsage: boolean): string[] {
  const { streamUsage, counted, model } = vendor;
  const base = { id: "chat-1", object: "chat.completion.chunk", created: 1_790_000_000, model };
  const usage = counted.raw;
  const last = { index: 0, delta: {}, finish_reason: deed === "words" ? "stop" : "tool_calls" };
  const isAsked = streamUsage === "chunk_if_asked" && asksUsage;
  return [
    ": keep-alive\n\n",
    frame({ ...base, choices: [{ index: 0, delta: messageOf(vendor, deed, true), finish_reason: null }] }),
    frame({
      ...base,
      choices: [streamUsage === "in_choice" ? { ...last, usage } : last],
      ...(streamUsage === "in_last" ? { usage } : {}),
    }),
    ...(isAsked ? [frame({ ...base, choices: [], usage })] : []),
    "data: [DONE]\n\n",
  ];
}

const wholeOf = (vendor: CompatibleVendor, deed: Deed): string =>
  JSON.stringify({
    id: "chat-1",
    object: "chat.completion",
    created: 1_790_000_000,
    model: vendor.model,
    choices: [
      { index: 0, message: messageOf(vendor, deed, false), finish_reason: deed === "words" ? "stop" : "tool_calls" },
    ],
    usage: vendor.counted.raw,
  });

/** What it does in another of the four formats. */
const otherFormatPlan = (deed: Deed): Plan =>
  deed === "words" ? { text: WORDS, reasoning: THOUGHT } : { text: "", reasoning: THOUGHT, toolCalls: deed };

/** What it does in the format of Messages, counted as elsewhere. */
function messagesPlan({ counted }: CompatibleVendor, deed: Deed): Plan {
  const usage = { input_tokens: counted.usage["inputTokens"], output_tokens: counted.usage["outputTokens"] };
  return { ...otherFormatPlan(deed), chunks: 1, usage };
}

const hasKey = ({ messagesKey }: CompatibleVendor, { headers }: SeenRequest, isMessages: boolean): boolean =>
  isMessages && messagesKey !== undefined
    ? headers[messagesKey] === KEY && headers["authorization"] === undefined
    : headers["authorization"] === `Bearer ${KEY}`;

/** The vendor's answer to one request. Calls beside chat are answered as OpenAI does. */
export function planOf(vendor: CompatibleVendor, seen: SeenRequest, planned: Deed): Plan {
  const deed = HAS_RESULT.test(seen.body.toString("utf8")) ? "words" : planned;
  const isMessages = seen.path.split("?")[0] === vendor.anthropicMessages;
  if (!hasKey(vendor, seen, isMessages)) return refused(401, "key");
  const body = fieldsOf(seen.json);
  const fault = faultOf(vendor, seen.path, body);
  if (fault !== undefined) return refused(400, `The vendor refuses ${fault}.`);
  if (isMessages) return messagesPlan(vendor, deed);
  if (isGemini(vendor, seen.path)) return { ...otherFormatPlan(deed), chunks: 1 };
  if (seen.path === vendor.responses) return otherFormatPlan(deed);
  if (seen.path !== vendor.chat) return {};
  const ofFormat = vendorOf(seen)?.refuse(seen);
  if (ofFormat !== undefined) return refused(400, ofFormat.message);
  const asksUsage = fieldsOf(body["stream_options"])["include_usage"] === true;
  if (body["stream"] === true) return { rawBody: streamOf(vendor, deed, asksUsage), chunkDelayMs: 0 };
  return { rawBody: wholeOf(vendor, deed) };
}
