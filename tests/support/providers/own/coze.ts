/** Coze's agents as strict as their documentation: messages of users and assistants, files by address or upload, always events (tests/fixtures/providers/coze/source.txt). */
import type { ServerResponse } from "node:http";
import { type Fields, fieldsOf, listOf } from "../../clients/client-formats.ts";
import {
  type OwnVendor,
  type RunningVendor,
  type SeenVendorRequest,
  startHttpVendor,
  THOUGHT,
  WORDS,
} from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const KEY = "pat_coze-key-of-the-test";
const AGENT = "7339912345678901234";
const UPLOADED = "7340000000000000001";

/** Bodies of status 200; `as` is the event that says the same inside a stream. */
const FAILURES = [
  { name: "200-key", kind: "auth", as: "error" },
  { name: "200-permission", kind: "auth", as: undefined },
  { name: "200-credits", kind: "quota", as: "conversation.chat.failed" },
  { name: "200-free", kind: "quota", as: undefined },
  { name: "200-rate", kind: "rate", as: "conversation.chat.failed" },
  { name: "200-parameter", kind: "invalid", as: undefined },
  { name: "200-unpublished", kind: "overloaded", as: undefined },
  { name: "200-internal", kind: "overloaded", as: "conversation.chat.failed" },
] as const;

const KNOWN = ["bot_id", "user_id", "stream", "auto_save_history", "additional_messages"];
const TYPES: Readonly<Record<string, string>> = { user: "question", assistant: "answer" };

function partFault(part: Fields): string | undefined {
  const { type, text, file_id: id, file_url: url, ...more } = part;
  if (Object.keys(more).length > 0) return `content.${Object.keys(more)[0]}`;
  if (type === "text") return typeof text === "string" ? undefined : "content.text";
  if (!["image", "file", "audio"].includes(String(type))) return `content.type ${String(type)}`;
  return typeof url === "string" || id === UPLOADED ? undefined : "content.file_id";
}

function messageFault(message: Fields): string | undefined {
  const { role, type, content, content_type: kind } = message;
  if (TYPES[String(role)] !== type) return `role ${String(role)} with type ${String(type)}`;
  if (typeof content !== "string" || content === "") return "content";
  if (kind === "text") return undefined;
  if (kind !== "object_string") return `content_type ${String(kind)}`;
  return listOf(JSON.parse(content))
    .map((part) => partFault(fieldsOf(part)))
    .find((fault) => fault !== undefined);
}

function bodyFault(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return `unknown field ${strange}`;
  if (body["bot_id"] !== AGENT) return "bot_id";
  if (typeof body["user_id"] !== "string" || body["user_id"] === "") return "user_id";
  if (body["stream"] !== true) return "auto_save_history must be true without a stream";
  const messages = listOf(body["additional_messages"]).map(fieldsOf);
  if (messages.at(-1)?.["role"] !== "user") return "the last message must be the user's";
  return messages.map(messageFault).find((fault) => fault !== undefined);
}

const event = (name: string, data: unknown): string => `event:${name}\ndata:${JSON.stringify(data)}\n\n`;
const CHAT = { id: "7382159487131697202", conversation_id: "7381473525342978089", bot_id: AGENT };
const MESSAGE = { ...CHAT, chat_id: CHAT.id, role: "assistant", type: "answer", content_type: "text" };

function answerWith(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write(event("conversation.chat.created", { ...CHAT, status: "created" }));
  response.write(event("conversation.chat.in_progress", { ...CHAT, status: "in_progress" }));
  response.write(event("conversation.message.delta", { ...MESSAGE, content: "", reasoning_content: THOUGHT }));
  for (const content of [WORDS.slice(0, 3), WORDS.slice(3)])
    response.write(event("conversation.message.delta", { ...MESSAGE, content }));
  response.write(event("conversation.message.completed", { ...MESSAGE, content: WORDS }));
  response.write(event("conversation.message.completed", { ...MESSAGE, type: "follow_up", content: "And then?" }));
  const usage = { token_count: 120, output_count: 20, input_count: 100 };
  response.write(event("conversation.chat.completed", { ...CHAT, status: "completed", usage }));
  response.end('event:done\ndata:"[DONE]"\n\n');
}

function fail({ name, as }: (typeof FAILURES)[number], response: ServerResponse): void {
  const body = providerFixture("coze", `${name}.json`);
  if (as === undefined) return void response.writeHead(200, { "content-type": "application/json" }).end(body);
  const { code, msg } = JSON.parse(body) as Fields;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(event(as, as === "error" ? { code, msg } : { ...CHAT, status: "failed", last_error: { code, msg } }));
}

function answer(seen: SeenVendorRequest, response: ServerResponse, vendor: RunningVendor): void {
  const failing = FAILURES[vendor.failing ?? -1];
  if (failing !== undefined) return fail(failing, response);
  const json = (body: object): void =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  const refuse = (fault: string): void => {
    vendor.complaints.push(fault);
    json({ code: 4000, msg: fault });
  };
  if (seen.headers["authorization"] !== `Bearer ${KEY}`) return refuse("the key is not a bearer token");
  if (seen.path === "/v1/files/upload") {
    const isForm = /name="file"; filename="[^"]+"\r\ncontent-type: image\//.test(seen.body.toString("latin1"));
    return isForm ? json({ code: 0, msg: "", data: { id: UPLOADED } }) : refuse("form of an upload");
  }
  if (seen.path !== "/v3/chat") return refuse(`there is no ${seen.path}`);
  const fault = bodyFault(JSON.parse(seen.body.toString()) as Fields);
  return fault === undefined ? answerWith(response) : refuse(fault);
}

export const vendor: OwnVendor = {
  name: "Coze",
  type: 49,
  key: KEY,
  other: AGENT,
  model: "travel-agent",
  takesTools: false,
  takesPictures: true,
  thinks: true,
  takesSchemas: false,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES,
  start: () => startHttpVendor(answer),
};
