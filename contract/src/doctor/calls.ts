/** The first calls of each family of programs, as they are sent: the doctor plays them in this order. Pure. */
import type { Family } from "../connect/program.ts";
import { MAX_ANSWER_TOKENS, type Step, STEPS } from "./steps.ts";

/** The program that is tested. */
export interface Patient {
  family: Family;
  /** The address as the program's configuration has it: with /v1 for `chat` and `responses`, without it for the others. No slash at the end. */
  base: string;
  /** With sk-. */
  key: string;
  model: string;
}

export interface SentCall {
  step: Step;
  method: "GET" | "POST" | "HEAD";
  url: string;
  headers: Readonly<Record<string, string>>;
  /** undefined for calls without a body. */
  body: string | undefined;
  timeoutMs: number;
}

/** As long as Claude Code waits for the list (code.claude.com/docs/en/llm-gateway). */
const LIST_TIMEOUT_MS = 3_000;
const CALL_TIMEOUT_MS = 120_000;
/** More than a proxy takes whose limit was left as it is (nginx: 1 MB), and less than the gateway refuses. */
const LARGE_BODY_BYTES = 1_500_000;

const PLAIN_PROMPT = "Say hello.";
/** Long enough to be seen to come piece by piece. */
const LONG_PROMPT = "Count from 1 to 60 in words, separated by commas, and say nothing else.";
const TOOL_PROMPT = "Which weather is it in Lisbon? Use the tool.";
const TOOL = "weather_of";
const TOOL_TEXT = "Says the present weather of a city.";
const TOOL_FIELDS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

interface Asked {
  prompt: string;
  isStream: boolean;
  hasTool: boolean;
}

const ASKED: Readonly<Record<"count" | "plain" | "stream" | "tool", Asked>> = {
  count: { prompt: PLAIN_PROMPT, isStream: false, hasTool: false },
  plain: { prompt: PLAIN_PROMPT, isStream: false, hasTool: false },
  stream: { prompt: LONG_PROMPT, isStream: true, hasTool: false },
  tool: { prompt: TOOL_PROMPT, isStream: true, hasTool: true },
};

interface Format {
  key: (key: string) => Record<string, string>;
  list: string;
  /** Undefined where the family has no such call. */
  count: ((model: string) => string) | undefined;
  call: (model: string, isStream: boolean) => string;
  body: (model: string, asked: Asked) => object;
  /** Fields that counting does not take. */
  notCounted: readonly string[];
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const messagesOf = (prompt: string) => [{ role: "user", content: prompt }];
const streamed = ({ isStream }: Asked) => (isStream ? { stream: true } : {});

const FORMATS: Readonly<Record<Family, Format>> = {
  messages: {
    key: (key) => ({ ...bearer(key), "anthropic-version": "2023-06-01" }),
    list: "/v1/models?limit=1000",
    count: () => "/v1/messages/count_tokens?beta=true",
    call: () => "/v1/messages?beta=true",
    body: (model, asked) => ({
      model,
      max_tokens: MAX_ANSWER_TOKENS,
      messages: messagesOf(asked.prompt),
      ...streamed(asked),
      ...(asked.hasTool
        ? {
            tools: [{ name: TOOL, description: TOOL_TEXT, input_schema: TOOL_FIELDS }],
            tool_choice: { type: "tool", name: TOOL },
          }
        : {}),
    }),
    notCounted: ["max_tokens"],
  },
  responses: {
    key: bearer,
    list: "/models",
    count: () => "/responses/input_tokens",
    call: () => "/responses",
    body: (model, asked) => ({
      model,
      max_output_tokens: MAX_ANSWER_TOKENS,
      input: messagesOf(asked.prompt),
      ...streamed(asked),
      ...(asked.hasTool
        ? {
            tools: [{ type: "function", name: TOOL, description: TOOL_TEXT, parameters: TOOL_FIELDS }],
            tool_choice: { type: "function", name: TOOL },
          }
        : {}),
    }),
    notCounted: ["max_output_tokens"],
  },
  gemini: {
    key: (key) => ({ "x-goog-api-key": key }),
    list: "/v1beta/models",
    count: (model) => `/v1beta/models/${encodeURIComponent(model)}:countTokens`,
    call: (model, isStream) =>
      `/v1beta/models/${encodeURIComponent(model)}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (_model, { prompt, hasTool }) => ({
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: MAX_ANSWER_TOKENS },
      ...(hasTool
        ? {
            tools: [{ functionDeclarations: [{ name: TOOL, description: TOOL_TEXT, parameters: TOOL_FIELDS }] }],
            toolConfig: { functionCallingConfig: { mode: "ANY" } },
          }
        : {}),
    }),
    notCounted: ["generationConfig"],
  },
  chat: {
    key: bearer,
    list: "/models",
    count: undefined,
    call: () => "/chat/completions",
    body: (model, asked) => ({
      model,
      max_tokens: MAX_ANSWER_TOKENS,
      messages: messagesOf(asked.prompt),
      ...(asked.isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
      ...(asked.hasTool
        ? {
            tools: [{ type: "function", function: { name: TOOL, description: TOOL_TEXT, parameters: TOOL_FIELDS } }],
            tool_choice: { type: "function", function: { name: TOOL } },
          }
        : {}),
    }),
    notCounted: [],
  },
};

const without = (body: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** Names no model and has no content: refused before any upstream, and never charged, however long it is. */
const largeBody = (): string => JSON.stringify({ padding: "x".repeat(LARGE_BODY_BYTES) });

function callOf({ family, base, key, model }: Patient, step: Exclude<Step, "socket">): SentCall | undefined {
  const format = FORMATS[family];
  const read = { step, headers: format.key(key), body: undefined };
  const write = { step, method: "POST" as const, timeoutMs: CALL_TIMEOUT_MS };
  const headers = { ...format.key(key), "content-type": "application/json" };
  switch (step) {
    case "head":
      // Claude Code alone looks whether anybody is there, without its key.
      return family === "messages"
        ? { ...read, headers: {}, method: "HEAD", url: `${base}/`, timeoutMs: LIST_TIMEOUT_MS }
        : undefined;
    case "models":
      return { ...read, method: "GET", url: base + format.list, timeoutMs: LIST_TIMEOUT_MS };
    case "size":
      return { ...write, headers, url: base + format.call(model, false), body: largeBody() };
    case "count": {
      if (format.count === undefined) return undefined;
      const body = without(format.body(model, ASKED.count), format.notCounted);
      return { ...write, headers, url: base + format.count(model), body: JSON.stringify(body) };
    }
    default: {
      const url = base + format.call(model, ASKED[step].isStream);
      return { ...write, headers, url, body: JSON.stringify(format.body(model, ASKED[step])) };
    }
  }
}

/** The calls of a program of this family, in order; the handshake of a socket is no such call. */
export const callsOf = (patient: Patient): SentCall[] =>
  STEPS.flatMap((step) => (step === "socket" ? [] : (callOf(patient, step) ?? [])));

/** Where Codex opens its socket; undefined for families without one. */
export const socketUrl = ({ family, base }: Patient): string | undefined =>
  family === "responses" ? `${base.replace(/^http/, "ws")}/responses` : undefined;
