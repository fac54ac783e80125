/** Dify's chat apps as strict as their documentation: one question, files by address or by upload, always events (tests/fixtures/providers/dify/source.txt). */
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

const KEY = "app-dify-key-of-the-test";
const UPLOADED = "72fa9618-8f89-4a37-9b33-7e1178a24a67";

/** Each as a body, or as an event of a stream behind a status of success. */
const FAILURES = [
  { name: "401-unauthorized", kind: "auth", isEvent: false },
  { name: "400-not-initialized", kind: "auth", isEvent: true },
  { name: "400-provider-quota", kind: "quota", isEvent: true },
  { name: "400-app-unavailable", kind: "overloaded", isEvent: false },
  { name: "400-not-chat-app", kind: "overloaded", isEvent: false },
  { name: "400-invalid-param", kind: "invalid", isEvent: false },
  { name: "429-busy", kind: "rate", isEvent: false },
  { name: "429-rate", kind: "rate", isEvent: true },
  { name: "500-server", kind: "overloaded", isEvent: true },
] as const;

const KNOWN = ["inputs", "query", "response_mode", "user", "auto_generate_name", "files"];
const FILE_TYPES = ["image", "document", "audio", "video", "custom"];

function fileFault(file: Fields): string | undefined {
  const { type, transfer_method: method, url, upload_file_id: id, ...more } = file;
  if (Object.keys(more).length > 0) return `files.${Object.keys(more)[0]}`;
  if (!FILE_TYPES.includes(String(type))) return `files.type ${String(type)}`;
  if (method === "remote_url") return typeof url === "string" && id === undefined ? undefined : "files.url";
  return method === "local_file" && id === UPLOADED ? undefined : "files.upload_file_id";
}

function bodyFault(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return `unknown field ${strange}`;
  if (typeof body["query"] !== "string" || body["query"] === "") return "query";
  if (typeof body["inputs"] !== "object") return "inputs";
  if (body["response_mode"] !== "streaming") return "Agent Chat App does not support blocking mode";
  if (typeof body["user"] !== "string" || body["user"] === "") return "Arg user must be provided.";
  return listOf(body["files"])
    .map((file) => fileFault(fieldsOf(file)))
    .find((fault) => fault !== undefined);
}

const MESSAGE = { task_id: "c3800678", message_id: "9da23599", conversation_id: "45701982", created_at: 1_705_407_629 };
const event = (name: string, fields: Fields): string =>
  `data: ${JSON.stringify({ event: name, ...MESSAGE, ...fields })}\n\n`;

function answerWith(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("event: ping\n\n");
  response.write(event("workflow_started", { workflow_run_id: "fb47b2e6", data: { id: "fb47b2e6" } }));
  response.write(event("reasoning_chunk", { data: { reasoning: THOUGHT, node_id: "llm", is_final: false } }));
  for (const answer of [WORDS.slice(0, 3), WORDS.slice(3)]) response.write(event("message", { answer }));
  response.write(
    event("workflow_finished", { data: { id: "fb47b2e6", status: "succeeded", outputs: { answer: WORDS } } }),
  );
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    total_price: "0.0013",
    currency: "USD",
  };
  response.end(event("message_end", { metadata: { usage, retriever_resources: [] } }));
}

function fail({ name, isEvent }: (typeof FAILURES)[number], response: ServerResponse): void {
  const body = providerFixture("dify", `${name}.json`);
  if (!isEvent)
    return void response.writeHead(Number.parseInt(name, 10), { "content-type": "application/json" }).end(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(event("error", JSON.parse(body) as Fields));
}

/** The upload of a file: a form with its bytes and whose it is. */
function uploadFault({ headers, body }: SeenVendorRequest): string | undefined {
  if (!/^multipart\/form-data; boundary=\S+$/.test(String(headers["content-type"]))) return "content-type of an upload";
  const text = body.toString("latin1");
  const names = [...text.matchAll(/form-data; name="(\w+)"/g)].map(([, name]) => name);
  return names.includes("user") && /name="file"; filename="[^"]+"\r\ncontent-type: image\//.test(text)
    ? undefined
    : `form of ${names.join(", ")}`;
}

function answer(seen: SeenVendorRequest, response: ServerResponse, vendor: RunningVendor): void {
  const failing = FAILURES[vendor.failing ?? -1];
  if (failing !== undefined) return fail(failing, response);
  const refuse = (fault: string): void => {
    vendor.complaints.push(fault);
    const body = JSON.stringify({ status: 400, code: "invalid_param", message: fault });
    response.writeHead(400, { "content-type": "application/json" }).end(body);
  };
  if (seen.headers["authorization"] !== `Bearer ${KEY}`) return refuse("the key is not a bearer token");
  if (seen.path === "/v1/files/upload") {
    const fault = uploadFault(seen);
    if (fault !== undefined) return refuse(fault);
    return void response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ id: UPLOADED }));
  }
  if (seen.path !== "/v1/chat-messages") return refuse(`there is no ${seen.path}`);
  const fault = bodyFault(JSON.parse(seen.body.toString()) as Fields);
  if (fault !== undefined) return refuse(fault);
  answerWith(response);
}

export const vendor: OwnVendor = {
  name: "Dify",
  type: 37,
  key: KEY,
  other: "chat",
  model: "dify",
  takesTools: false,
  takesPictures: true,
  thinks: true,
  takesSchemas: false,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES,
  start: () => startHttpVendor(answer),
};
