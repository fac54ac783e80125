/** Cohere as strict as its documentation: chat of version 2, whole and as events (tests/fixtures/providers/cohere/source.txt has the pages). */
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

const KEY = "co-key-of-the-test";
const FAILURES = [
  { name: "401-token.json", kind: "auth" },
  { name: "402-payment.json", kind: "quota" },
  { name: "429-trial.json", kind: "quota" },
  { name: "429-rate.json", kind: "rate" },
  { name: "400-temperature.json", kind: "invalid" },
  { name: "498-denied.json", kind: "content" },
  { name: "500-server.json", kind: "overloaded" },
  { name: "503-busy.json", kind: "overloaded" },
  { name: "504-slow.json", kind: "timeout" },
  { name: "200-error.json", kind: "overloaded" },
  { name: "200-timeout.json", kind: "timeout" },
] as const;

const KNOWN = [
  "model",
  "messages",
  "stream",
  "tools",
  "tool_choice",
  "strict_tools",
  "response_format",
  "safety_mode",
  "thinking",
  "max_tokens",
  "temperature",
  "p",
  "k",
  "seed",
  "stop_sequences",
  "frequency_penalty",
  "presence_penalty",
];
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "tool_calls", "tool_plan"],
  tool: ["role", "content", "tool_call_id"],
};
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  user: ["text", "image_url"],
  assistant: ["text", "thinking"],
  tool: ["text", "document"],
};
/** A content's own field, by its type. */
const VALUES: Readonly<Record<string, string>> = {
  text: "string",
  thinking: "string",
  image_url: "object",
  document: "object",
};

function messageFault(message: Fields, index: number): string | undefined {
  const role = String(message["role"]);
  const known = MESSAGE_FIELDS[role];
  if (known === undefined) return `role ${role}`;
  if (role === "system" && index > 0) return "system turn must be the first in the list";
  const strange = Object.keys(message).find((name) => !known.includes(name));
  if (strange !== undefined) return `${role}.${strange}`;
  if (role === "tool" && typeof message["tool_call_id"] !== "string") return "tool_call_id";
  const { content } = message;
  if (typeof content === "string") return content === "" ? "message must not be empty in a turn" : undefined;
  if (content === undefined && listOf(message["tool_calls"]).length > 0) return undefined;
  const wrong = listOf(content)
    .map(fieldsOf)
    .find((part) => {
      const type = String(part["type"]);
      return CONTENTS[role]?.includes(type) !== true || typeof part[type] !== VALUES[type];
    });
  if (wrong !== undefined || listOf(content).length === 0) return `${role} content ${JSON.stringify(wrong)}`;
  return undefined;
}

/** Each call has its result right behind it. */
function callFault(messages: readonly Fields[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const ids = listOf(message["tool_calls"]).map((call) => fieldsOf(call)["id"]);
    const results = messages.slice(index + 1, index + 1 + ids.length).map((result) => result["tool_call_id"]);
    if (ids.some((id) => !results.includes(id))) return "a tool call without its result";
  }
  return undefined;
}

function bodyFault(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return `unknown field: ${strange}`;
  const messages = listOf(body["messages"]).map(fieldsOf);
  if (messages.every(({ role }) => role === "system")) return "messages must hold a turn";
  const faults = messages.map(messageFault);
  const temperature = body["temperature"] ?? 0;
  if (typeof temperature !== "number" || temperature < 0 || temperature > 1) return "temperature";
  if (body["response_format"] !== undefined && body["tools"] !== undefined) return "response_format with tools";
  if (!["undefined", "REQUIRED", "NONE"].includes(String(body["tool_choice"]))) return "tool_choice";
  return faults.find((fault) => fault !== undefined) ?? callFault(messages);
}

const USAGE = {
  billed_units: { input_tokens: 100, output_tokens: 20 },
  tokens: { input_tokens: 160, output_tokens: 22 },
  cached_tokens: 64,
};

function whole(call: ModelCall | undefined, thinks: boolean): object {
  const called = { name: call?.name, arguments: JSON.stringify(call?.arguments) };
  const thinking = thinks ? [{ type: "thinking", thinking: THOUGHT }] : [];
  const message =
    call !== undefined
      ? {
          role: "assistant",
          tool_plan: "I will look.",
          tool_calls: [{ id: CALL_ID, type: "function", function: called }],
        }
      : { role: "assistant", content: [...thinking, { type: "text", text: WORDS }] };
  return { id: "c14c80c3", finish_reason: call === undefined ? "COMPLETE" : "TOOL_CALL", message, usage: USAGE };
}

function* events(call: ModelCall | undefined, thinks: boolean): Generator<Fields> {
  yield { type: "message-start", id: "c14c80c3", delta: { message: { role: "assistant", content: [] } } };
  if (call !== undefined) {
    for (const tool_plan of ["I will", " look."]) yield { type: "tool-plan-delta", delta: { message: { tool_plan } } };
    const start = { id: CALL_ID, type: "function", function: { name: call.name, arguments: "" } };
    yield { type: "tool-call-start", index: 0, delta: { message: { tool_calls: start } } };
    const json = JSON.stringify(call.arguments);
    for (const text of [json.slice(0, 8), json.slice(8)])
      yield {
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: text } } } },
      };
    yield { type: "tool-call-end", index: 0 };
  } else {
    if (thinks) yield* contentEvents(0, "thinking", [THOUGHT]);
    yield* contentEvents(thinks ? 1 : 0, "text", [WORDS.slice(0, 3), WORDS.slice(3)]);
  }
  yield { type: "message-end", delta: { finish_reason: call === undefined ? "COMPLETE" : "TOOL_CALL", usage: USAGE } };
}

function* contentEvents(index: number, type: "text" | "thinking", pieces: readonly string[]): Generator<Fields> {
  yield { type: "content-start", index, delta: { message: { content: { type, [type]: "" } } } };
  for (const piece of pieces)
    yield { type: "content-delta", index, delta: { message: { content: { [type]: piece } } } };
  yield { type: "content-end", index };
}

/** What is in a fixture, as the vendor would say it to this request. */
function fail(name: string, isStream: boolean, response: ServerResponse): void {
  const body = providerFixture("cohere", name);
  const status = Number.parseInt(name, 10);
  if (status !== 200 || !isStream)
    return void response.writeHead(status, { "content-type": "application/json" }).end(body);
  const { finish_reason } = JSON.parse(body) as Fields;
  const end = { type: "message-end", delta: { error: "the generation failed", finish_reason } };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`event: message-end\ndata: ${JSON.stringify(end)}\n\n`);
}

function answer(seen: RunningVendor["seen"][number], response: ServerResponse, vendor: RunningVendor): void {
  const body = JSON.parse(seen.body.toString()) as Fields;
  const isStream = body["stream"] === true;
  const failing = FAILURES[vendor.failing ?? -1];
  if (failing !== undefined) return fail(failing.name, isStream, response);
  const isAuthorised = seen.headers["authorization"] === `Bearer ${KEY}`;
  const fault = seen.path !== "/v2/chat" ? `path ${seen.path}` : isAuthorised ? bodyFault(body) : "invalid api token";
  if (fault !== undefined) {
    vendor.complaints.push(fault);
    const message = `invalid request: ${fault}`;
    return void response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ message }));
  }
  const hasResult = listOf(body["messages"]).some((message) => fieldsOf(message)["role"] === "tool");
  const call = vendor.deed === "call" && !hasResult ? vendor.call : undefined;
  const thinks = fieldsOf(body["thinking"])["type"] === "enabled";
  if (!isStream)
    return void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(whole(call, thinks)));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events(call, thinks))
    response.write(`event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end("data: [DONE]\n\n");
}

export const vendor: OwnVendor = {
  name: "Cohere",
  type: 34,
  key: KEY,
  model: "command-a-plus-05-2026",
  takesTools: true,
  takesPictures: true,
  thinks: true,
  takesSchemas: true,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES,
  start: () => startHttpVendor(answer),
};
