/** OpenAI's Responses API as the fake upstream plays it (platform.openai.com/docs/api-reference/responses-streaming). */
import type { Plan, SeenRequest } from "../plan.ts";
import { openAiChatVendor } from "./chat.ts";
import { type Played, playCall } from "./responses-calls.ts";
import { proofOf } from "./responses-proof.ts";
import { responsesRefusal } from "./responses-validate.ts";
import { DEFAULT_TEXT, type Vendor, splitText, tokensOf } from "../vendor.ts";

type Fields = Record<string, unknown>;

/** A fixed moment keeps every run's bytes the same. */
const CREATED = 1_760_000_000;
const RESPONSE_ID = "resp_turnpike0001";

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const pieceCount = (plan: Plan): number => plan.chunks ?? 8;

/** Items before this answer: their number makes ids that differ from turn to turn. */
const turnOf = (seen: SeenRequest): number => listOf(seen.json?.["input"]).length;

function playReasoning(seen: SeenRequest, plan: Plan, index: number): Played[] {
  if (plan.reasoning === undefined) return [];
  const id = `rs_turnpike${turnOf(seen)}`;
  const where = { item_id: id, output_index: index, summary_index: 0 };
  const part = { type: "summary_text", text: plan.reasoning };
  const include = seen.json?.["include"];
  const isAsked = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  const proof = isAsked ? { encrypted_content: proofOf(id, [part]) } : {};
  const events = [
    { type: "response.reasoning_summary_part.added", ...where, part: { ...part, text: "" } },
    ...splitText(plan.reasoning, pieceCount(plan)).map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      ...where,
      delta,
      obfuscation: "k3Jd0",
    })),
    { type: "response.reasoning_summary_text.done", ...where, text: plan.reasoning },
    { type: "response.reasoning_summary_part.done", ...where, part },
  ];
  const item = { id, type: "reasoning", ...proof, summary: [part] };
  return [{ item, begun: { ...item, summary: [] }, events }];
}

function playMessage(seen: SeenRequest, plan: Plan, index: number): Played[] {
  const text = plan.text ?? DEFAULT_TEXT;
  if (text === "") return [];
  const id = `msg_turnpike${turnOf(seen)}`;
  const where = { item_id: id, output_index: index, content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  const events = [
    { type: "response.content_part.added", ...where, part: { ...part, text: "" } },
    ...splitText(text, pieceCount(plan)).map((delta) => ({
      type: "response.output_text.delta",
      ...where,
      delta,
      logprobs: [],
      obfuscation: "Yc0a",
    })),
    { type: "response.output_text.done", ...where, text, logprobs: [] },
    { type: "response.content_part.done", ...where, part },
  ];
  const item = { id, type: "message", status: "completed", content: [part], role: "assistant" };
  return [{ item, begun: { ...item, status: "in_progress", content: [] }, events }];
}

function playItems(seen: SeenRequest, plan: Plan): Played[] {
  const items = playReasoning(seen, plan, 0);
  items.push(...playMessage(seen, plan, items.length));
  for (const call of plan.toolCalls ?? [])
    items.push(
      playCall(call, { request: seen.json ?? {}, turn: turnOf(seen), index: items.length, pieces: pieceCount(plan) }),
    );
  return items;
}

const INCOMPLETE: Readonly<Record<string, string>> = { length: "max_output_tokens", content_filter: "content_filter" };

function usageOf(seen: SeenRequest, plan: Plan): unknown {
  if (plan.usage !== undefined) return plan.usage;
  const input = tokensOf(JSON.stringify(seen.json?.["input"] ?? ""));
  const reasoning = plan.reasoning === undefined ? 0 : tokensOf(plan.reasoning);
  const output = tokensOf(plan.text ?? DEFAULT_TEXT) + reasoning;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function responseOf(seen: SeenRequest, status: string, output: readonly Fields[], plan: Plan): Fields {
  const body = seen.json ?? {};
  const reason = status === "incomplete" ? { reason: INCOMPLETE[String(plan.finishReason)] } : null;
  return {
    id: RESPONSE_ID,
    object: "response",
    created_at: CREATED,
    status,
    background: false,
    error: null,
    incomplete_details: reason,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    model: body["model"],
    output,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: { effort: null, summary: null },
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: body["top_p"] ?? 1,
    truncation: "disabled",
    ...(plan.usage === null ? {} : { usage: status === "in_progress" ? null : usageOf(seen, plan) }),
    user: null,
    metadata: body["metadata"] ?? {},
  };
}

const endStatus = (plan: Plan): string =>
  INCOMPLETE[String(plan.finishReason)] === undefined ? "completed" : "incomplete";

/** All events of a stream up to, and without, the one that ends it. */
function eventsOf(seen: SeenRequest, plan: Plan): Fields[] {
  const response = responseOf(seen, "in_progress", [], plan);
  const events: Fields[] = [
    { type: "response.created", response },
    { type: "response.in_progress", response },
  ];
  for (const [output_index, { item, begun, events: inner }] of playItems(seen, plan).entries()) {
    events.push({ type: "response.output_item.added", output_index, item: begun });
    events.push(...inner, { type: "response.output_item.done", output_index, item });
  }
  return events;
}

const frame = (event: Fields, sequence_number: number): string =>
  `event: ${String(event["type"])}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;

const itemsOf = (seen: SeenRequest, plan: Plan): Fields[] => playItems(seen, plan).map(({ item }) => item);

export const openAiResponsesVendor: Vendor = {
  refuseKey: openAiChatVendor.refuseKey,
  refuse: (seen) => (seen.method === "POST" ? responsesRefusal(seen.json) : undefined),
  isStream: (seen) => seen.json?.["stream"] === true,
  whole: (seen, plan) => JSON.stringify(responseOf(seen, endStatus(plan), itemsOf(seen, plan), plan), null, 2),
  frames: (seen, plan) => eventsOf(seen, plan).map(frame),
  done(seen, plan) {
    const status = endStatus(plan);
    const response = responseOf(seen, status, itemsOf(seen, plan), plan);
    return frame({ type: `response.${status}`, response }, eventsOf(seen, plan).length);
  },
  error: openAiChatVendor.error,
  models: openAiChatVendor.models,
};
