/** OpenAI's chat, completions and embeddings, and compatible vendors, as the fake upstream plays them. */
import { type AnswerParts, chatBody, completionBody, embeddingBody, modelsBody, streamFrames } from "./answers.ts";
import type { Plan, SeenRequest } from "../plan.ts";
import { operationRefusal } from "./operations-validate.ts";
import { refusalOf } from "./validate.ts";
import { DEFAULT_TEXT, type VendorError, type Vendor, splitText, tokensOf } from "../vendor.ts";

const UNAUTHORISED: VendorError = {
  status: 401,
  message: "Incorrect API key provided.",
  type: "invalid_request_error",
  code: "invalid_api_key",
  param: null,
};

const pathOf = (seen: SeenRequest): string => seen.path.split("?")[0] ?? "";
const isChat = (seen: SeenRequest): boolean => pathOf(seen).endsWith("/chat/completions");

function callsOf(seen: SeenRequest, { toolCalls }: Plan): Pick<AnswerParts, "toolCalls"> {
  const messages = seen.json?.["messages"];
  const turn = Array.isArray(messages) ? messages.length : 0;
  return toolCalls === undefined
    ? {}
    : { toolCalls: toolCalls.map((call, index) => ({ ...call, id: `call_turnpike_${turn}_${index}` })) };
}

function partsOf(seen: SeenRequest, plan: Plan): AnswerParts {
  const text = plan.text ?? DEFAULT_TEXT;
  const input = tokensOf(
    JSON.stringify(seen.json?.["messages"] ?? seen.json?.["prompt"] ?? seen.json?.["input"] ?? ""),
  );
  const output = tokensOf(text + (plan.reasoning ?? ""));
  const counted = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return {
    model: String(seen.json?.["model"] ?? ""),
    pieces: splitText(text, plan.chunks ?? 8),
    reasoning: plan.reasoning === undefined ? [] : splitText(plan.reasoning, plan.chunks ?? 8),
    ...callsOf(seen, plan),
    finishReason:
      plan.finishReason === undefined ? (plan.toolCalls === undefined ? "stop" : "tool_calls") : plan.finishReason,
    usage: plan.usage === undefined ? counted : plan.usage,
  };
}

function embeddings({ json = {} }: SeenRequest, plan: Plan): string {
  const { input, model, dimensions, encoding_format: format } = json;
  const tokens = tokensOf(JSON.stringify(input ?? ""));
  // A list of numbers is one text in tokens.
  const isList = Array.isArray(input) && typeof input[0] !== "number";
  return embeddingBody({
    model: String(model),
    inputs: isList ? input.length : 1,
    dimensions: typeof dimensions === "number" ? dimensions : 3,
    isBase64: format === "base64",
    usage: plan.usage === undefined ? { prompt_tokens: tokens, total_tokens: tokens } : plan.usage,
  });
}

function whole(seen: SeenRequest, plan: Plan): string {
  const parts = partsOf(seen, plan);
  const path = pathOf(seen);
  if (path.endsWith("/embeddings")) {
    return embeddings(seen, plan);
  }
  return isChat(seen) || !path.endsWith("/completions") ? chatBody(parts) : completionBody(parts);
}

export const openAiChatVendor: Vendor = {
  refuseKey: (seen, key) => (seen.headers["authorization"] === `Bearer ${key}` ? undefined : UNAUTHORISED),
  refuse: (seen) =>
    seen.method === "POST" ? (refusalOf(pathOf(seen), seen.json) ?? operationRefusal(seen)) : undefined,
  isStream: (seen) => seen.json?.["stream"] === true,
  whole,
  frames(seen, plan) {
    const options = seen.json?.["stream_options"] as { include_usage?: boolean } | undefined;
    return streamFrames(partsOf(seen, plan), isChat(seen), options?.include_usage === true);
  },
  done: () => "data: [DONE]\n\n",
  error: (error) =>
    JSON.stringify({
      error: {
        message: error.message,
        type: error.type ?? (error.status >= 500 ? "server_error" : "invalid_request_error"),
        param: error.param ?? null,
        code: error.code ?? null,
      },
    }),
  models: modelsBody,
};
