/** Bytes of the fake upstream's answers: chat, completions, embeddings and models as OpenAI's reference prints them. */

import { splitText } from "../vendor.ts";

export interface AnswerParts {
  model: string;
  pieces: readonly string[];
  reasoning: readonly string[];
  /** Calls of the client's tools; their ids differ from turn to turn. */
  toolCalls?: readonly { id: string; name: string; arguments: string }[];
  finishReason: string | null;
  /** Sent as it is given, so that it may lie; null sends none. */
  usage: unknown;
}

/** A fixed moment keeps every run's bytes the same. */
const CREATED = 1_760_000_000;

const envelope = (object: string, model: string) => ({
  id: object.startsWith("chat") ? "chatcmpl-turnpike0001" : "cmpl-turnpike0001",
  object,
  created: CREATED,
  model,
});

const callObject = ({ id, name, arguments: text }: { id: string; name: string; arguments: string }) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

/** Body of a chat completion that is not streamed. */
export function chatBody(parts: AnswerParts): string {
  const message: Record<string, unknown> = {
    role: "assistant",
    content: parts.pieces.join(""),
    refusal: null,
    annotations: [],
  };
  if (parts.reasoning.length > 0) message["reasoning_content"] = parts.reasoning.join("");
  if (parts.toolCalls !== undefined) message["tool_calls"] = parts.toolCalls.map(callObject);
  const choices = [{ index: 0, message, logprobs: null, finish_reason: parts.finishReason }];
  const usage = parts.usage === null ? {} : { usage: parts.usage };
  return JSON.stringify(
    {
      ...envelope("chat.completion", parts.model),
      choices,
      ...usage,
      service_tier: "default",
      system_fingerprint: null,
    },
    null,
    2,
  );
}

/** Body of a legacy completion. */
export function completionBody(parts: AnswerParts): string {
  const choices = [{ text: parts.pieces.join(""), index: 0, logprobs: null, finish_reason: parts.finishReason }];
  const usage = parts.usage === null ? {} : { usage: parts.usage };
  return JSON.stringify({ ...envelope("text_completion", parts.model), choices, ...usage });
}

export interface EmbeddingParts {
  model: string;
  inputs: number;
  /** Numbers of each vector. */
  dimensions: number;
  isBase64: boolean;
  usage: unknown;
}

/** The third number is that of the input; little-endian floats where base64 was asked for. */
function vector(index: number, dimensions: number, isBase64: boolean): unknown {
  const numbers = Array.from({ length: dimensions }, (_, at) => [0.0023064255, -0.009327292, index][at] ?? 0);
  return isBase64 ? Buffer.from(new Float32Array(numbers).buffer).toString("base64") : numbers;
}

/** Body of an embeddings answer: one vector for each input. */
export function embeddingBody({ model, inputs, dimensions, isBase64, usage }: EmbeddingParts): string {
  const data = Array.from({ length: inputs }, (_, index) => ({
    object: "embedding",
    index,
    embedding: vector(index, dimensions, isBase64),
  }));
  return JSON.stringify({ object: "list", data, model, ...(usage === null ? {} : { usage }) });
}

/** Body of GET /v1/models. */
export const modelsBody = (models: readonly string[]): string =>
  JSON.stringify({
    object: "list",
    data: models.map((id) => ({ id, object: "model", created: CREATED, owned_by: "openai" })),
  });

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** Frames of a streamed answer, `[DONE]` not included. `asksUsage` is stream_options.include_usage of the request. */
export function streamFrames(parts: AnswerParts, isChat: boolean, asksUsage: boolean): string[] {
  const base = envelope(isChat ? "chat.completion.chunk" : "text_completion", parts.model);
  const tail = asksUsage ? { usage: null } : {};
  const chunk = (delta: Record<string, unknown>, text: string, finish: string | null): string =>
    frame({
      ...base,
      choices: [
        isChat
          ? { index: 0, delta, logprobs: null, finish_reason: finish }
          : { text, index: 0, logprobs: null, finish_reason: finish },
      ],
      ...tail,
    });
  const frames = isChat ? [chunk({ role: "assistant", content: "", refusal: null }, "", null)] : [];
  for (const piece of parts.reasoning) frames.push(chunk({ reasoning_content: piece }, "", null));
  for (const piece of parts.pieces) frames.push(chunk({ content: piece }, piece, null));
  for (const [index, call] of (parts.toolCalls ?? []).entries()) {
    const { id, type, function: called } = callObject(call);
    frames.push(chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] }, "", null));
    for (const piece of splitText(called.arguments, 3))
      frames.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, "", null));
  }
  if (parts.finishReason !== null) frames.push(chunk({}, "", parts.finishReason));
  if (asksUsage && parts.usage !== null) frames.push(frame({ ...base, choices: [], usage: parts.usage }));
  return frames;
}
