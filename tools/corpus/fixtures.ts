/** Reads the fixtures of vercel/ai (whole answers, and streams with an event a line) and the golden answers of agentgateway. */
import { readFileSync } from "node:fs";
import { type Fields, fieldsOf } from "../../tests/support/clients/client-formats.ts";
import { streamOfLines } from "./frames.ts";
import type { RecordedFormat, Recording } from "./recording.ts";

/** Channel type of the packages of vercel/ai, and the name of their vendor where it differs. */
const PACKAGES: Readonly<Record<string, { type: number; vendor?: string }>> = {
  alibaba: { type: 17 },
  "amazon-bedrock": { type: 33, vendor: "bedrock" },
  anthropic: { type: 14 },
  azure: { type: 3 },
  cohere: { type: 34 },
  deepseek: { type: 43 },
  google: { type: 24, vendor: "gemini" },
  groq: { type: 1 },
  mistral: { type: 42 },
  moonshotai: { type: 25, vendor: "moonshot" },
  "open-responses": { type: 1 },
  openai: { type: 1 },
  "openai-compatible": { type: 1 },
  perplexity: { type: 27 },
  xai: { type: 48 },
};

/** Folders of agentgateway's golden answers. */
const GOLDEN: Readonly<Record<string, { type: number; vendor: string }>> = {
  anthropic: { type: 14, vendor: "anthropic" },
  bedrock: { type: 33, vendor: "bedrock" },
  completions: { type: 1, vendor: "openai-compatible" },
  responses: { type: 1, vendor: "openai" },
  "vertex-gemini": { type: 41, vendor: "vertex" },
};

/** Which format an object is, by fields that only it has; undefined for what is no answer of a chat. */
function formatOf(answer: Fields): RecordedFormat | undefined {
  const type = String(answer["type"] ?? "");
  if (answer["object"] === "response" || type.startsWith("response.")) return "openai-responses";
  if (Array.isArray(answer["choices"]) && String(answer["object"]) !== "text_completion") return "openai-chat";
  if (type === "message" || type === "message_start") return "anthropic-messages";
  if (Array.isArray(answer["candidates"]) || answer["promptFeedback"] !== undefined) return "gemini";
  if (answer["messageStart"] !== undefined || fieldsOf(answer["output"])["message"] !== undefined) return "converse";
  const isCohere =
    type === "message-start" || (answer["finish_reason"] !== undefined && answer["message"] !== undefined);
  return isCohere ? "cohere" : undefined;
}

function modelOf(text: string, fallback: string): string {
  return /"(?:model|modelVersion)":\s*"([^"]+)"/.exec(text)?.[1] ?? fallback;
}

const MODEL_OF_FORMAT: Readonly<Partial<Record<RecordedFormat, string>>> = {
  converse: "amazon.nova-pro-v1:0",
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-2.5-flash",
  cohere: "command-a-03-2025",
};

function objectOf(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined; // not a JSON file after all
  }
}

type Known = Pick<Recording, "source" | "vendor" | "type" | "name">;

function recorded(known: Known, format: RecordedFormat, text: string, stream?: { body: Buffer; contentType: string }) {
  const model = format === "converse" ? "amazon.nova-pro-v1:0" : modelOf(text, MODEL_OF_FORMAT[format] ?? "gpt-4o");
  const { body, contentType } = stream ?? { body: Buffer.from(text), contentType: "application/json" };
  return { ...known, format, model, status: 200, isStream: stream !== undefined, contentType, body };
}

/** The answer of one fixture of vercel/ai; none for what is no chat. */
export function fixtureRecordings(file: string, name: string): Recording[] {
  const found = PACKAGES[/packages\/([^/]+)\//.exec(file)?.[1] ?? ""];
  if (found === undefined || /\/(?:interactions|realtime|speech-translation)\//.test(file)) return [];
  const vendor = found.vendor ?? /packages\/([^/]+)\//.exec(file)?.[1] ?? "";
  const known = { source: "vercel-ai", vendor, type: found.type, name };
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".chunks.txt")) {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const format = formatOf(objectOf(lines[0] ?? "") ?? {});
    return format === undefined ? [] : [recorded(known, format, text, streamOfLines(lines, format))];
  }
  const answer = file.endsWith(".json") ? objectOf(text) : undefined;
  const format = answer === undefined ? undefined : formatOf(answer);
  return format === undefined ? [] : [recorded(known, format, text)];
}

/** The answer of one golden file of agentgateway; none for requests and other operations. */
export function goldenRecordings(file: string, name: string): Recording[] {
  const found = GOLDEN[/tests\/response\/([^/]+)\//.exec(file)?.[1] ?? ""];
  if (found === undefined) return [];
  const known = { source: "agentgateway", ...found, name };
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  if (file.endsWith(".bin")) {
    const stream = { body: bytes, contentType: "application/vnd.amazon.eventstream" };
    return [recorded(known, "converse", "", stream)];
  }
  if (!file.endsWith(".json")) return [];
  const first = /^data:\s*(\{.*)$/m.exec(text)?.[1];
  const format = formatOf(objectOf(first ?? text) ?? {});
  if (format === undefined) return [];
  return [
    recorded(known, format, text, first === undefined ? undefined : { body: bytes, contentType: "text/event-stream" }),
  ];
}
