/** Bedrock's Converse as strict as its documentation, for models that are no Claude (tests/fixtures/providers/aws/source.txt has the pages). */
import type { ServerResponse } from "node:http";
import { type Fields, fieldsOf, listOf } from "../../clients/client-formats.ts";
import { BEDROCK_FAILURES, BEDROCK_KEY, frame, sendFrames, signatureFault } from "../bedrock.ts";
import { jsonIn } from "../hosted.ts";
import {
  type ModelCall,
  type OwnVendor,
  type RunningVendor,
  type SeenVendorRequest,
  THOUGHT,
  WORDS,
  startHttpVendor,
} from "../own-vendor.ts";

const MODEL = "amazon.nova-2-lite-v1:0";
const PATH = `/model/us.${encodeURIComponent(MODEL)}/`;
const CALL_ID = "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q";
const NAMES = ["AccessDeniedException", "ThrottlingException", "ValidationException", "ModelTimeoutException"];
const FAILURES = BEDROCK_FAILURES.filter(({ name }) => NAMES.includes(name));

const KNOWN = ["messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields", "outputConfig"];
const IN_USER = ["text", "image", "document", "toolResult", "cachePoint"];
const IN_ASSISTANT = ["text", "toolUse", "cachePoint"];
const ID = /^[a-zA-Z0-9_-]{1,64}$/;

const only = (block: Fields): string => (Object.keys(block).length === 1 ? String(Object.keys(block)[0]) : "");
const isBlank = (value: unknown): boolean => typeof value !== "string" || value.trim() === "";

function mediumFault(medium: Fields, formats: readonly string[]): string | undefined {
  const { bytes } = fieldsOf(medium["source"]);
  if (typeof bytes !== "string" || bytes === "") return "source.bytes";
  return formats.includes(String(medium["format"])) ? undefined : `format ${String(medium["format"])}`;
}

/** What is wrong with a block, by its only member. */
const FAULTS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  text: (text) => (isBlank(text) ? "The text field in the ContentBlock object is blank." : undefined),
  image: (image) => mediumFault(fieldsOf(image), ["png", "jpeg", "gif", "webp"]),
  document: (document) =>
    /^[A-Za-z0-9\s()[\]-]+$/.test(String(fieldsOf(document)["name"]))
      ? mediumFault(fieldsOf(document), ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"])
      : "document.name",
  toolUse: (use) => {
    const { toolUseId, name, input } = fieldsOf(use);
    return ID.test(String(toolUseId)) && ID.test(String(name)) && typeof input === "object" ? undefined : "toolUse";
  },
  toolResult: (result) => {
    const { toolUseId, content } = fieldsOf(result);
    if (!ID.test(String(toolUseId)) || listOf(content).length === 0) return "toolResult";
    return listOf(content)
      .map((block) => blockFault(fieldsOf(block), ["text", "json", "image", "document"]))
      .find((fault) => fault !== undefined);
  },
  cachePoint: (point) => (fieldsOf(point)["type"] === "default" ? undefined : "cachePoint.type"),
};

function blockFault(block: Fields, known: readonly string[]): string | undefined {
  const member = only(block);
  return known.includes(member) ? FAULTS[member]?.(block[member]) : `a block of ${Object.keys(block).join(" and ")}`;
}

const idsOf = (message: Fields | undefined, member: "toolUse" | "toolResult"): string[] =>
  listOf(message?.["content"]).flatMap((block) => {
    const value = fieldsOf(block)[member];
    return value === undefined ? [] : [String(fieldsOf(value)["toolUseId"])];
  });

function messageFault(messages: readonly Fields[], index: number): string | undefined {
  const message = messages[index] ?? {};
  const role = index % 2 === 0 ? "user" : "assistant";
  if (message["role"] !== role) return "A conversation must alternate between user and assistant roles.";
  const content = listOf(message["content"]).map(fieldsOf);
  if (content.length === 0) return "content must not be empty";
  const fault = content
    .map((block) => blockFault(block, role === "user" ? IN_USER : IN_ASSISTANT))
    .find((each) => each !== undefined);
  const [called, answered] = [idsOf(messages[index - 1], "toolUse"), idsOf(message, "toolResult")];
  return fault ?? (called.toSorted().join() === answered.toSorted().join() ? undefined : "Expected toolResult blocks");
}

function toolFault({ toolConfig, messages }: Fields): string | undefined {
  const hasBlocks = /"tool(?:Use|Result)":/.test(JSON.stringify(messages));
  if (toolConfig === undefined)
    return hasBlocks
      ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
      : undefined;
  const { tools, toolChoice = { auto: {} } } = fieldsOf(toolConfig);
  if (!["auto", "any", "tool"].includes(only(fieldsOf(toolChoice)))) return "toolChoice";
  const wrong = listOf(tools).find((tool) => {
    const { name, description = "d", inputSchema } = fieldsOf(fieldsOf(tool)["toolSpec"]);
    const json = fieldsOf(fieldsOf(inputSchema)["json"]);
    const strange = Object.keys(json).some((key) => !["type", "properties", "required"].includes(key));
    return (
      strange ||
      !ID.test(String(name)) ||
      isBlank(description) ||
      fieldsOf(fieldsOf(inputSchema)["json"])["type"] !== "object"
    );
  });
  return wrong === undefined && listOf(tools).length > 0 ? undefined : `tools ${JSON.stringify(wrong)}`;
}

function settingsFault(body: Fields): string | undefined {
  const {
    maxTokens = 1,
    temperature = 0,
    topP = 0,
    stopSequences: _stop,
    ...strange
  } = fieldsOf(body["inferenceConfig"]);
  if (Object.keys(strange).length > 0) return `inferenceConfig.${Object.keys(strange).join()}`;
  if (!(Number(maxTokens) >= 1 && Number(temperature) <= 1 && Number(topP) <= 1)) return "inferenceConfig";
  const own = fieldsOf(body["additionalModelRequestFields"]);
  const effort = fieldsOf(own["reasoningConfig"])["maxReasoningEffort"] ?? "low";
  if (!["low", "medium", "high"].includes(String(effort))) return "maxReasoningEffort";
  return effort === "high" && body["inferenceConfig"] !== undefined ? "high goes with no inferenceConfig" : undefined;
}

function bodyFault(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return `extraneous key [${strange}] is not permitted`;
  const messages = listOf(body["messages"]).map(fieldsOf);
  if (messages.length === 0) return "messages is required";
  const system = listOf(body["system"]).map((block) => blockFault(fieldsOf(block), ["text", "cachePoint"]));
  const faults = [...system, ...messages.map((_, index) => messageFault(messages, index))];
  return faults.find((fault) => fault !== undefined) ?? toolFault(body) ?? settingsFault(body);
}

const USAGE = {
  inputTokens: 100,
  outputTokens: 20,
  totalTokens: 184,
  cacheReadInputTokens: 64,
  cacheWriteInputTokens: 0,
};
const stopReasonOf = (call: ModelCall | undefined): string => (call === undefined ? "end_turn" : "tool_use");

function whole(call: ModelCall | undefined, thinks: boolean): object {
  const thought = thinks ? [{ reasoningContent: { reasoningText: { text: THOUGHT } } }] : [];
  const said =
    call === undefined ? { text: WORDS } : { toolUse: { toolUseId: CALL_ID, name: call.name, input: call.arguments } };
  const message = { role: "assistant", content: [...thought, said] };
  return { output: { message }, stopReason: stopReasonOf(call), usage: USAGE, metrics: { latencyMs: 551 } };
}

function* events(call: ModelCall | undefined, thinks: boolean): Generator<readonly [string, Fields]> {
  yield ["messageStart", { role: "assistant" }];
  const contentBlockIndex = thinks ? 1 : 0;
  if (thinks) {
    yield ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: THOUGHT } } }];
    yield ["contentBlockStop", { contentBlockIndex: 0 }];
  }
  const json = JSON.stringify(call?.arguments ?? {});
  if (call !== undefined)
    yield ["contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId: CALL_ID, name: call.name } } }];
  const pieces: readonly Fields[] =
    call === undefined
      ? [{ text: WORDS.slice(0, 3) }, { text: WORDS.slice(3) }]
      : [{ toolUse: { input: json.slice(0, 5) } }, { toolUse: { input: json.slice(5) } }];
  for (const delta of pieces) yield ["contentBlockDelta", { contentBlockIndex, delta }];
  yield ["contentBlockStop", { contentBlockIndex }];
  yield ["messageStop", { stopReason: stopReasonOf(call) }];
  yield ["metadata", { usage: USAGE, metrics: { latencyMs: 551 } }];
}

/** Frames are filled up with letters, so that their length reveals nothing of the text. */
const frameOf = ([name, payload]: readonly [string, Fields]): Buffer =>
  frame({ ":event-type": name, ":message-type": "event" }, { ...payload, p: "abcdefghijklm" });

function answer(seen: SeenVendorRequest, response: ServerResponse, vendor: RunningVendor): void {
  const failing = FAILURES[vendor.failing ?? -1];
  const json = { "content-type": "application/json" };
  if (failing !== undefined)
    return void response.writeHead(failing.status, { ...json, ...failing.headers }).end(failing.body);
  const action = seen.path.startsWith(PATH) ? seen.path.slice(PATH.length) : "";
  const body = jsonIn(seen);
  const isKnown = action === "converse" || action === "converse-stream";
  const fault = isKnown ? (signatureFault(seen) ?? bodyFault(body)) : `there is no ${seen.path}`;
  if (fault !== undefined) {
    vendor.complaints.push(fault);
    return void response.writeHead(400, json).end(JSON.stringify({ message: fault }));
  }
  const hasResult = /"toolResult":/.test(JSON.stringify(listOf(body["messages"]).at(-1)));
  const call = vendor.deed === "call" && !hasResult ? vendor.call : undefined;
  const { type } = fieldsOf(fieldsOf(body["additionalModelRequestFields"])["reasoningConfig"]);
  const thinks = type === "enabled";
  if (action === "converse") return void response.writeHead(200, json).end(JSON.stringify(whole(call, thinks)));
  sendFrames(response, [...events(call, thinks)].map(frameOf));
}

export const vendor: OwnVendor = {
  name: "AWS Bedrock, Converse",
  type: 33,
  key: BEDROCK_KEY,
  model: MODEL,
  takesTools: true,
  takesPictures: true,
  thinks: true,
  takesSchemas: false,
  counted: { inputTokens: 164, outputTokens: 20, cacheReadTokens: 64 },
  failures: FAILURES,
  start: () => startHttpVendor(answer),
};
