/** Anthropic's Messages API as the fake upstream plays it (platform.claude.com/docs/en/api/messages, /build-with-claude/streaming). */
import { anthropicRefusal, signatureOf } from "./validate.ts";
import type { Plan, SeenRequest } from "../plan.ts";
import { DEFAULT_TEXT, type VendorError, type Vendor, splitText, tokensOf } from "../vendor.ts";

type Fields = Readonly<Record<string, unknown>>;

const pathOf = (seen: SeenRequest): string => seen.path.split("?")[0] ?? "";
const isCount = (seen: SeenRequest): boolean => pathOf(seen).endsWith("/count_tokens");

const UNAUTHORISED: VendorError = {
  status: 401,
  message: "invalid x-api-key",
  type: "authentication_error",
  code: null,
  param: null,
};

/** Plans may be written in the words of another vendor. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

function stopReason(plan: Plan): string | null {
  if (plan.finishReason === null) return null;
  if (plan.finishReason === undefined) return plan.toolCalls === undefined ? "end_turn" : "tool_use";
  return STOP_REASONS[plan.finishReason] ?? plan.finishReason;
}

const textOf = (plan: Plan): string => plan.text ?? (plan.toolCalls === undefined ? DEFAULT_TEXT : "");

function usageOf(seen: SeenRequest, plan: Plan): unknown {
  if (plan.usage !== undefined) return plan.usage;
  const { messages, system, tools } = seen.json ?? {};
  const calls = (plan.toolCalls ?? []).map((call) => call.name + call.arguments).join("");
  return {
    input_tokens: tokensOf(JSON.stringify([messages, system, tools])),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: tokensOf(textOf(plan) + (plan.reasoning ?? "") + calls),
    service_tier: "standard",
  };
}

/** Messages before this answer: their number makes ids that differ from turn to turn, as the vendor's do. */
const turnOf = ({ json }: SeenRequest): number => (Array.isArray(json?.["messages"]) ? json["messages"].length : 0);

function blocksOf(seen: SeenRequest, plan: Plan): Fields[] {
  const { reasoning } = plan;
  const text = textOf(plan);
  const blocks: Fields[] = [];
  if (reasoning !== undefined)
    blocks.push({ type: "thinking", thinking: reasoning, signature: signatureOf(reasoning) });
  if (text !== "") blocks.push({ type: "text", text });
  for (const [index, { name, arguments: input }] of (plan.toolCalls ?? []).entries())
    blocks.push({
      type: "tool_use",
      id: `toolu_turnpike${turnOf(seen)}_${index}`,
      name,
      input: JSON.parse(input) as unknown,
    });
  return blocks;
}

const messageOf = (seen: SeenRequest, content: readonly Fields[], reason: string | null, usage: unknown): Fields => ({
  id: "msg_turnpike0001",
  type: "message",
  role: "assistant",
  model: seen.json?.["model"],
  content,
  stop_reason: reason,
  stop_sequence: null,
  ...(usage === null ? {} : { usage }),
});

const frame = (type: string, fields: Fields): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** What a block's beginning leaves out, in pieces. */
function deltasOf(block: Fields, pieces: number): Fields[] {
  if (block["type"] === "text")
    return splitText(String(block["text"]), pieces).map((text) => ({ type: "text_delta", text }));
  if (block["type"] === "thinking") {
    const words = splitText(String(block["thinking"]), pieces).map((thinking) => ({
      type: "thinking_delta",
      thinking,
    }));
    return [...words, { type: "signature_delta", signature: block["signature"] }];
  }
  const input = splitText(JSON.stringify(block["input"]), pieces);
  return ["", ...input].map((json) => ({ type: "input_json_delta", partial_json: json }));
}

const EMPTY: Readonly<Record<string, Fields>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  tool_use: { input: {} },
};

function blockFrames(block: Fields, index: number, pieces: number): string[] {
  const opening = { ...block, ...EMPTY[String(block["type"])] };
  return [
    frame("content_block_start", { index, content_block: opening }),
    ...(index === 0 ? [frame("ping", {})] : []),
    ...deltasOf(block, pieces).map((delta) => frame("content_block_delta", { index, delta })),
    frame("content_block_stop", { index }),
  ];
}

/** Input is counted where the message starts, output where it ends. */
function framesOf(seen: SeenRequest, plan: Plan): string[] {
  const usage = usageOf(seen, plan);
  const starting = typeof usage === "object" && usage !== null ? { ...usage, output_tokens: 1 } : null;
  const reason = stopReason(plan);
  const output = { output_tokens: (usage as { output_tokens?: unknown } | null)?.output_tokens };
  return [
    frame("message_start", { message: messageOf(seen, [], null, starting) }),
    ...blocksOf(seen, plan).flatMap((block, index) => blockFrames(block, index, plan.chunks ?? 8)),
    ...(reason === null
      ? []
      : [
          frame("message_delta", {
            delta: { stop_reason: reason, stop_sequence: null },
            ...(usage === null ? {} : { usage: output }),
          }),
        ]),
  ];
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export const anthropicVendor: Vendor = {
  refuseKey(seen, key) {
    const isKnown = seen.headers["x-api-key"] === key || seen.headers["authorization"] === `Bearer ${key}`;
    return isKnown ? undefined : UNAUTHORISED;
  },
  refuse: anthropicRefusal,
  isStream: (seen) => seen.json?.["stream"] === true && !isCount(seen),
  whole(seen, plan) {
    if (isCount(seen)) return JSON.stringify({ input_tokens: tokensOf(JSON.stringify(seen.json?.["messages"])) });
    return JSON.stringify(messageOf(seen, blocksOf(seen, plan), stopReason(plan), usageOf(seen, plan)));
  },
  frames: framesOf,
  done: () => frame("message_stop", {}),
  error({ status, message, type }) {
    const fallback = status >= 500 ? "api_error" : "invalid_request_error";
    return JSON.stringify({
      type: "error",
      error: { type: type ?? TYPES[status] ?? fallback, message },
      request_id: "req_fake_0001",
    });
  },
  models: (models) =>
    JSON.stringify({
      data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-10-21T00:00:00Z" })),
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null,
    }),
};
