/** An Ollama server as strict as its code: OpenAI's chat with what it reads, and pictures as bytes only (tests/fixtures/providers/ollama/source.txt). */
import type { ServerResponse } from "node:http";
import { type Fields, fieldsOf, listOf } from "../../clients/client-formats.ts";
import {
  CALL_ID,
  type ModelCall,
  type OwnVendor,
  type RunningVendor,
  THOUGHT,
  WORDS,
  startHttpVendor,
} from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const KEY = "ollama";
const FAILURES = [
  { name: "401-key.json", kind: "auth" },
  { name: "429-usage.json", kind: "rate" },
  { name: "400-image.json", kind: "invalid" },
  { name: "404-model.json", kind: "invalid" },
  { name: "500-memory.json", kind: "overloaded" },
  { name: "503-busy.json", kind: "overloaded" },
] as const;

/** Fields that it reads; others would be passed over. */
const READ = [
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "seed",
  "stop",
  "temperature",
  "frequency_penalty",
  "presence_penalty",
  "top_p",
  "response_format",
  "tools",
  "reasoning_effort",
  "logprobs",
  "top_logprobs",
];
const MESSAGE = ["role", "content", "reasoning", "tool_calls", "name", "tool_call_id"];
const ROLES = ["system", "user", "assistant", "tool"];
const PICTURE = /^data:image\/(?:jpeg|jpg|png|webp);base64,/;

function partFault(part: Fields): string | undefined {
  if (part["type"] === "text") return undefined;
  const url = String(fieldsOf(part["image_url"])["url"]);
  return part["type"] === "image_url" && PICTURE.test(url) ? undefined : "invalid image input";
}

function messageFault(message: Fields): string | undefined {
  const strange = Object.keys(message).find((name) => !MESSAGE.includes(name));
  if (strange !== undefined) return `message.${strange}`;
  if (!ROLES.includes(String(message["role"]))) return `role ${String(message["role"])}`;
  const { content } = message;
  if (typeof content !== "string" && !Array.isArray(content) && message["tool_calls"] === undefined)
    return "invalid message content type";
  return listOf(content)
    .map(fieldsOf)
    .map(partFault)
    .find((fault) => fault !== undefined);
}

function bodyFault(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !READ.includes(name));
  if (strange !== undefined) return strange;
  const effort = String(body["reasoning_effort"] ?? "none");
  if (!["none", "low", "medium", "high"].includes(effort)) return `effort ${effort}`;
  return listOf(body["messages"])
    .map(fieldsOf)
    .map(messageFault)
    .find((fault) => fault !== undefined);
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function* chunks(called: ModelCall | undefined, thinks: boolean): Generator<Fields> {
  const base = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    system_fingerprint: "fp_ollama",
  };
  const chunk = (delta: Fields, finish_reason: string | null = null): Fields => ({
    ...base,
    choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason }],
  });
  if (called !== undefined) {
    const call = {
      id: CALL_ID,
      index: 0,
      type: "function",
      function: { name: called.name, arguments: JSON.stringify(called.arguments) },
    };
    yield chunk({ content: "", tool_calls: [call] });
  } else {
    if (thinks) yield chunk({ content: "", reasoning: THOUGHT });
    yield chunk({ content: WORDS.slice(0, 3) });
    yield chunk({ content: WORDS.slice(3) });
  }
  yield chunk({ content: "" }, called === undefined ? "stop" : "tool_calls");
  yield { ...base, choices: [], usage: USAGE };
}

function whole(call: ModelCall | undefined, thinks: boolean): Fields {
  const called = { name: call?.name, arguments: JSON.stringify(call?.arguments) };
  const said =
    call !== undefined
      ? { content: "", tool_calls: [{ id: CALL_ID, index: 0, type: "function", function: called }] }
      : { content: WORDS, ...(thinks ? { reasoning: THOUGHT } : {}) };
  const choice = {
    index: 0,
    message: { role: "assistant", ...said },
    finish_reason: call === undefined ? "stop" : "tool_calls",
  };
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", choices: [choice], usage: USAGE };
}

function answer(seen: RunningVendor["seen"][number], response: ServerResponse, vendor: RunningVendor): void {
  const send = (status: number, text: string) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(text);
  const failing = FAILURES[vendor.failing ?? -1]?.name;
  if (failing !== undefined) return send(Number.parseInt(failing, 10), providerFixture("ollama", failing));
  // An older server without other formats.
  if (/^\/v1\/(?:messages|responses)\b/.test(seen.path))
    return void response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
  const body = JSON.parse(seen.body.toString()) as Fields;
  const fault = seen.path === "/v1/chat/completions" ? bodyFault(body) : `path ${seen.path}`;
  if (fault !== undefined) {
    vendor.complaints.push(fault);
    return send(
      400,
      JSON.stringify({ error: { message: fault, type: "invalid_request_error", param: null, code: null } }),
    );
  }
  const hasResult = listOf(body["messages"]).some((message) => fieldsOf(message)["role"] === "tool");
  const call = vendor.deed === "call" && !hasResult ? vendor.call : undefined;
  const thinks = body["reasoning_effort"] !== undefined && body["reasoning_effort"] !== "none";
  if (body["stream"] !== true) return send(200, JSON.stringify(whole(call, thinks)));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const asksUsage = fieldsOf(body["stream_options"])["include_usage"] === true;
  for (const chunk of chunks(call, thinks))
    if (asksUsage || chunk["usage"] === undefined) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end("data: [DONE]\n\n");
}

export const vendor: OwnVendor = {
  name: "Ollama",
  type: 4,
  key: KEY,
  model: "gpt-oss:20b",
  takesTools: true,
  takesPictures: true,
  thinks: true,
  takesSchemas: true,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES,
  start: () => startHttpVendor(answer),
};
