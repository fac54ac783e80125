/** Tencent's Hunyuan as its documentation has it (cloud.tencent.com/document/product/1729/105701): signed bodies, alternating turns, failures inside successes. */
import { createHash, createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Fields, fieldsOf, listOf } from "../../clients/client-formats.ts";
import {
  CALL_ID,
  type ModelCall,
  type OwnVendor,
  type SeenVendorRequest,
  THOUGHT,
  WORDS,
  startHttpVendor,
} from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const [SECRET_ID, SECRET_KEY] = ["AKIDofthetest0123456789", "secretkeyofthetest0123456789"];

const FAILURES = [
  ["a wrong signature", "200-signature.json", "auth"],
  ["an empty package", "200-quota.json", "quota"],
  ["too many requests", "200-rate.json", "rate"],
  ["a broken engine", "200-busy.json", "overloaded"],
  ["a slow engine", "200-slow.json", "timeout"],
  ["an unknown model", "200-model.json", "invalid"],
  ["forbidden words", "200-content.json", "content"],
] as const;

const sha = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** What is wrong with the signature; undefined where it is right. */
function signatureFault({ headers, body }: SeenVendorRequest): string | undefined {
  const action = String(headers["x-tc-action"]);
  const seconds = Number(headers["x-tc-timestamp"]);
  if (Math.abs(Date.now() / 1000 - seconds) > 300) return "timestamp";
  if (headers["x-tc-version"] !== "2023-09-01") return "version";
  const date = new Date(seconds * 1000).toISOString().slice(0, 10);
  const scope = `${date}/hunyuan/tc3_request`;
  const canonical =
    `POST\n/\n\ncontent-type:${headers["content-type"]}\nhost:hunyuan.tencentcloudapi.com\n` +
    `x-tc-action:${action.toLowerCase()}\n\ncontent-type;host;x-tc-action\n${sha(body)}`;
  const key = hmac(hmac(hmac(`TC3${SECRET_KEY}`, date), "hunyuan"), "tc3_request");
  const signature = hmac(key, `TC3-HMAC-SHA256\n${seconds}\n${scope}\n${sha(canonical)}`).toString("hex");
  const expected = `TC3-HMAC-SHA256 Credential=${SECRET_ID}/${scope}, SignedHeaders=content-type;host;x-tc-action, Signature=${signature}`;
  return headers["authorization"] === expected ? undefined : "signature";
}

const FIELDS = new Set([
  "Model",
  "Messages",
  "Stream",
  "TopP",
  "Temperature",
  "Tools",
  "ToolChoice",
  "CustomTool",
  "Seed",
  "Stop",
]);
const ROLES: Readonly<Record<string, readonly string[]>> = {
  system: ["Role", "Content"],
  user: ["Role", "Content", "Contents"],
  assistant: ["Role", "Content", "ToolCalls"],
  tool: ["Role", "Content", "ToolCallId"],
};

function messageFault(message: Fields, at: number, before: Fields | undefined): string | undefined {
  const role = String(message["Role"]);
  const strange = Object.keys(message).find((name) => ROLES[role]?.includes(name) !== true);
  if (strange !== undefined) return `${role}.${strange}`;
  if (role === "system" && at > 0) return "a system message that is not the first";
  if (role === before?.["Role"] && role !== "tool") return `two messages of ${role} behind each other`;
  const hasWords = typeof message["Content"] === "string" && message["Content"] !== "";
  return hasWords || message["Contents"] !== undefined || message["ToolCalls"] !== undefined
    ? undefined
    : "Content is empty";
}

function contentFault(message: Fields): string | undefined {
  const contents = listOf(message["Contents"]).map(fieldsOf);
  if (contents.length === 0) return undefined;
  const types = contents.map(({ Type }) => Type);
  if (!types.includes("text") || !types.includes("image_url")) return "Contents without a text or a picture";
  const urls = contents.flatMap((each) =>
    each["Type"] === "image_url" ? [String(fieldsOf(each["ImageUrl"])["Url"])] : [],
  );
  return urls.every((url) => /^(?:https?:|data:image\/\w+;base64,)/.test(url))
    ? undefined
    : "a picture that is no address";
}

function toolFault(tools: unknown): string | undefined {
  const wrong = listOf(tools)
    .map(fieldsOf)
    .find((tool) => {
      const { Name, Parameters } = fieldsOf(tool["Function"]);
      return tool["Type"] !== "function" || typeof Name !== "string" || typeof Parameters !== "string";
    });
  return wrong === undefined ? undefined : "a tool whose parameters are no text";
}

function faultOf(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !FIELDS.has(name));
  if (strange !== undefined) return strange;
  const messages = listOf(body["Messages"]).map(fieldsOf);
  if (!["user", "tool"].includes(String(messages.at(-1)?.["Role"]))) return "the last message is no question";
  const faults = messages.map((message, at) => messageFault(message, at, messages[at - 1]) ?? contentFault(message));
  return faults.find((fault) => fault !== undefined) ?? toolFault(body["Tools"]);
}

const USAGE = { PromptTokens: 100, CompletionTokens: 20, TotalTokens: 120 };
const HEAD = { Id: "chat-1", Created: 1_790_000_000, Note: "AI" };
const callOf = (Name: string, Arguments: string) => ({
  Id: CALL_ID,
  Type: "function",
  Function: { Name, Arguments },
  Index: 0,
});

function streamed(call: ModelCall | undefined): object[] {
  const text = JSON.stringify(call?.arguments);
  const deltas =
    call !== undefined
      ? [text.slice(0, 5), text.slice(5)].map((piece) => ({ ToolCalls: [callOf(call.name, piece)] }))
      : [{ ReasoningContent: THOUGHT }, { Content: WORDS.slice(0, 4) }, { Content: WORDS.slice(4) }];
  const piece = (Delta: object, FinishReason: string) => ({
    ...HEAD,
    Choices: [{ Index: 0, Delta: { Role: "assistant", ...Delta }, FinishReason }],
    Usage: USAGE,
  });
  return [
    ...deltas.map((delta) => piece(delta, "")),
    piece({ Content: "" }, call === undefined ? "stop" : "tool_calls"),
  ];
}

function whole(call: ModelCall | undefined): object {
  const said =
    call !== undefined
      ? { Content: "", ToolCalls: [callOf(call.name, JSON.stringify(call.arguments))] }
      : { Content: WORDS, ReasoningContent: THOUGHT };
  const Choices = [
    { Index: 0, Message: { Role: "assistant", ...said }, FinishReason: call === undefined ? "stop" : "tool_calls" },
  ];
  return { Response: { ...HEAD, Choices, Usage: USAGE, RequestId: "r-1" } };
}

const refusal = (Code: string, Message: string): object => ({
  Response: { Error: { Code, Message }, RequestId: "r-1" },
});
const fixture = (name: string): object => JSON.parse(providerFixture("tencent", name)) as object;

function send(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

export const vendor: OwnVendor = {
  name: "Tencent Hunyuan",
  type: 23,
  key: `1250000000|${SECRET_ID}|${SECRET_KEY}`,
  model: "hunyuan-t1-latest",
  takesTools: true,
  takesPictures: true,
  thinks: true,
  takesSchemas: false,
  counted: { inputTokens: 100, outputTokens: 20 },
  failures: FAILURES.map(([name, , kind]) => ({ name, kind })),
  start: () =>
    startHttpVendor((request, response, running) => {
      const body = fieldsOf(JSON.parse(request.body.toString()));
      const fault = signatureFault(request) ?? faultOf(body);
      if (fault !== undefined) {
        running.complaints.push(fault);
        return send(response, refusal("InvalidParameter", fault));
      }
      const failing = FAILURES[running.failing ?? -1];
      if (failing !== undefined) return send(response, fixture(failing[1]));
      const hasResult = listOf(body["Messages"]).some((message) => fieldsOf(message)["Role"] === "tool");
      const call = running.deed === "call" && !hasResult ? running.call : undefined;
      if (body["Stream"] !== true) return send(response, whole(call));
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of streamed(call)) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    }),
};
