/** A call as a program: for each API its request bodies, and the shell, Python and Node that send them, in one table. Pure. */
import type { CodeLanguage } from "../../../ui/display/code-tokens.ts";
import { present, type Sample, argumentsOf, mediaOf, nameOfCall, partsOf } from "./sample.ts";
import type { ApiMessage, ContentPart } from "../model/request.ts";

type Fields = Record<string, unknown>;

/** Messages has no default for it. */
const MESSAGES_MAX_TOKENS = 4096;

function chatBody({ model, system, messages, tools, temperature, top_p, max_tokens }: Sample): Fields {
  const first = system === "" ? [] : [{ role: "system", content: system }];
  return present({
    model,
    messages: [...first, ...messages],
    temperature,
    top_p,
    max_tokens,
    tools: tools.length === 0 ? undefined : tools,
  });
}

/** Sound stands as the chat format has it: the API has no part of its own for it. */
function responsesPart(part: ContentPart): Fields {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "image_url") return { type: "input_image", image_url: part.image_url.url, detail: "auto" };
  return part.type === "file" ? { type: "input_file", ...part.file } : part;
}

function responsesItems({ role, content, tool_calls = [], tool_call_id }: ApiMessage): Fields[] {
  if (role === "tool") return [{ type: "function_call_output", call_id: tool_call_id, output: content }];
  const calls = tool_calls.map(({ id, function: called }) => ({ type: "function_call", call_id: id, ...called }));
  if (content === null || content === "") return calls;
  if (typeof content === "string") return [{ role, content }, ...calls];
  return [{ role, content: content.map(responsesPart) }, ...calls];
}

function responsesBody({ model, system, messages, tools, temperature, top_p, max_tokens }: Sample): Fields {
  return present({
    model,
    instructions: system === "" ? undefined : system,
    input: messages.flatMap(responsesItems),
    temperature,
    top_p,
    max_output_tokens: max_tokens,
    tools:
      tools.length === 0 ? undefined : tools.map((tool) => ({ type: "function", strict: false, ...tool.function })),
  });
}

function messagesBlocks({ role, content, tool_calls = [], tool_call_id }: ApiMessage): unknown {
  if (role === "tool") return [{ type: "tool_result", tool_use_id: tool_call_id, content }];
  if (typeof content === "string" && tool_calls.length === 0) return content;
  const said = partsOf(content ?? "").flatMap((part): Fields[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    const { mediaType, data } = mediaOf(part);
    const type = part.type === "file" ? "document" : part.type === "input_audio" ? "audio" : "image";
    return [{ type, source: { type: "base64", media_type: mediaType, data } }];
  });
  const calls = tool_calls.map(({ id, function: called }) => ({
    type: "tool_use",
    id,
    name: called.name,
    input: argumentsOf(called.arguments),
  }));
  return [...said, ...calls];
}

/** Results that follow each other are one message: the API wants all of a turn at once. */
function messagesTurns(messages: readonly ApiMessage[]): Fields[] {
  const turns: { role: string; content: unknown; isResult: boolean }[] = [];
  for (const message of messages) {
    const content = messagesBlocks(message);
    const isResult = message.role === "tool";
    const last = turns.at(-1);
    if (isResult && last?.isResult === true) last.content = [...(last.content as unknown[]), ...(content as unknown[])];
    else turns.push({ role: isResult ? "user" : message.role, content, isResult });
  }
  return turns.map(({ role, content }) => ({ role, content }));
}

function messagesBody({ model, system, messages, tools, temperature, top_p, max_tokens }: Sample): Fields {
  return present({
    model,
    max_tokens: max_tokens ?? MESSAGES_MAX_TOKENS,
    system: system === "" ? undefined : system,
    messages: messagesTurns(messages),
    temperature,
    top_p,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ function: { name, description, parameters } }) =>
            present({ name, description, input_schema: parameters ?? { type: "object", properties: {} } }),
          ),
  });
}

function geminiParts(message: ApiMessage, all: readonly ApiMessage[]): Fields[] {
  const { role, content, tool_calls = [], tool_call_id } = message;
  if (role === "tool")
    return [{ functionResponse: { name: nameOfCall(all, tool_call_id), response: { result: content } } }];
  const said = partsOf(content ?? "").flatMap((part): Fields[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
    const { mediaType, data } = mediaOf(part);
    return [{ inlineData: { mimeType: mediaType, data } }];
  });
  const calls = tool_calls.map(({ function: called }) => ({
    functionCall: { name: called.name, args: argumentsOf(called.arguments) },
  }));
  return [...said, ...calls];
}

/** The turns of generateContent. */
function geminiContents(messages: readonly ApiMessage[]): Fields[] {
  const turns: { role: string; parts: Fields[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = geminiParts(message, messages);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  }
  return turns;
}

/** What its libraries call the configuration of a call. */
function geminiConfig({ system, tools, temperature, top_p, max_tokens }: Sample): Fields {
  const declarations = tools.map(({ function: { name, description, parameters } }) =>
    present({ name, description, parametersJsonSchema: parameters }),
  );
  return present({
    systemInstruction: system === "" ? undefined : system,
    temperature,
    topP: top_p,
    maxOutputTokens: max_tokens,
    tools: declarations.length === 0 ? undefined : [{ functionDeclarations: declarations }],
  });
}

/**
 * One conversation as the body of each API: chat completions and Responses (developers.openai.com/api/reference), Messages
 * (platform.claude.com/docs/en/api/messages) and generateContent (ai.google.dev/api/generate-content). Pure.
 */
function geminiBody(sample: Sample): Fields {
  const { systemInstruction, tools, ...generation } = geminiConfig(sample);
  return present({
    contents: geminiContents(sample.messages),
    systemInstruction: systemInstruction === undefined ? undefined : { parts: [{ text: systemInstruction }] },
    generationConfig: Object.keys(generation).length === 0 ? undefined : generation,
    tools,
  });
}

/** Python that stands for a value as it is. */
class PythonExpression {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const PYTHON_WORDS = new Map<unknown, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

/** A value that JSON can hold, as Python has it. @param indent blanks before its last line */
function pythonLiteral(value: unknown, indent = ""): string {
  if (value instanceof PythonExpression) return value.source;
  if (typeof value !== "object" || value === null) return PYTHON_WORDS.get(value) ?? JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close, lines] = Array.isArray(value)
    ? ["[", "]", value.map((each) => pythonLiteral(each, inner))]
    : ["{", "}", Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each, inner)}`)];
  if (lines.length === 0) return open + close;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
}

/** Each field as an argument of a call, on a line of its own. */
const pythonArguments = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).map(([name, value]) => `    ${name}=${pythonLiteral(value, "    ")},`);

/** A value as JavaScript has it, its lines after the first set in. */
const javascriptLiteral = (value: unknown, indent = ""): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);

/** For a shell's single quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names of fields as Python's library of Google has them; what a schema or a call of a function holds keeps its own. */
function snakeFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeFields);
  if (typeof value !== "object" || value === null || value instanceof PythonExpression) return value;
  const isOthers = (name: string): boolean => ["parametersJsonSchema", "args", "response"].includes(name);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [snake(name), isOthers(name) ? each : snakeFields(each)]),
  );
}

export const DIALECTS = ["chat", "responses", "messages", "gemini"] as const;
export type Dialect = (typeof DIALECTS)[number];
export const LANGUAGES = ["curl", "python", "node"] as const;
export type ProgramLanguage = (typeof LANGUAGES)[number];

export const COLOURS: Readonly<Record<ProgramLanguage, CodeLanguage>> = {
  curl: "shell",
  python: "python",
  node: "javascript",
};

/** What has to be installed first; blank for nothing. */
export const INSTALL: Readonly<Record<Dialect, Readonly<Record<ProgramLanguage, string>>>> = {
  chat: { curl: "", python: "pip install openai", node: "npm install openai" },
  responses: { curl: "", python: "pip install openai", node: "npm install openai" },
  messages: { curl: "", python: "pip install anthropic", node: "npm install @anthropic-ai/sdk" },
  gemini: { curl: "", python: "pip install google-genai", node: "npm install @google/genai" },
};

const quoted = (text: string): string => JSON.stringify(text);

const bearer = ({ key }: Sample): string[] => [`Authorization: Bearer ${key}`];

function curl(address: string, headers: readonly string[], body: object): string {
  return [
    `curl ${shellQuoted(address)} \\`,
    ...[...headers, "Content-Type: application/json"].map((header) => `  -H ${shellQuoted(header)} \\`),
    `  -d ${shellQuoted(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}

function openAiPython({ root, key }: Sample, method: string, fields: Record<string, unknown>, shown: string): string {
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${quoted(`${root}/v1`)}, api_key=${quoted(key)})`,
    "",
    `answer = client.${method}.create(`,
    ...pythonArguments(fields),
    ")",
    `print(${shown})`,
  ].join("\n");
}

function openAiNode({ root, key }: Sample, method: string, fields: object, shown: string): string {
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${quoted(`${root}/v1`)}, apiKey: ${quoted(key)} });`,
    "",
    `const answer = await client.${method}.create(${javascriptLiteral(fields)});`,
    `console.log(${shown});`,
  ].join("\n");
}

const messagesPython = (sample: Sample): string =>
  [
    "from anthropic import Anthropic",
    "",
    `client = Anthropic(base_url=${quoted(sample.root)}, api_key=${quoted(sample.key)})`,
    "",
    "answer = client.messages.create(",
    ...pythonArguments(messagesBody(sample)),
    ")",
    'print("".join(block.text for block in answer.content if block.type == "text"))',
  ].join("\n");

const messagesNode = (sample: Sample): string =>
  [
    'import Anthropic from "@anthropic-ai/sdk";',
    "",
    `const client = new Anthropic({ baseURL: ${quoted(sample.root)}, apiKey: ${quoted(sample.key)} });`,
    "",
    `const answer = await client.messages.create(${javascriptLiteral(messagesBody(sample))});`,
    'console.log(answer.content.map((block) => (block.type === "text" ? block.text : "")).join(""));',
  ].join("\n");

/** Its library takes bytes, not their letters. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === "inlineData"
        ? { ...each, data: new PythonExpression(`base64.b64decode(${quoted(each.data)})`) }
        : withBytes(each),
    ]),
  );
}

const configOf = (sample: Sample): object | undefined => {
  const config = geminiConfig(sample);
  return Object.keys(config).length === 0 ? undefined : config;
};

function geminiPython(sample: Sample): string {
  const contents = withBytes(geminiContents(sample.messages));
  const fields = present({
    model: sample.model,
    contents: snakeFields(contents),
    config: snakeFields(configOf(sample)),
  });
  const code = [
    "from google import genai",
    "",
    `client = genai.Client(api_key=${quoted(sample.key)}, http_options={"base_url": ${quoted(sample.root)}})`,
    "",
    "answer = client.models.generate_content(",
    ...pythonArguments(fields),
    ")",
    "print(answer.text)",
  ].join("\n");
  return code.includes("base64.b64decode(") ? `import base64\n\n${code}` : code;
}

function geminiNode(sample: Sample): string {
  const { model, messages } = sample;
  const fields = present({ model, contents: geminiContents(messages), config: configOf(sample) });
  return [
    'import { GoogleGenAI } from "@google/genai";',
    "",
    `const client = new GoogleGenAI({ apiKey: ${quoted(sample.key)}, httpOptions: { baseUrl: ${quoted(sample.root)} } });`,
    "",
    `const answer = await client.models.generateContent(${javascriptLiteral(fields)});`,
    "console.log(answer.text);",
  ].join("\n");
}

const CHAT_TEXT = "answer.choices[0].message.content";

const PROGRAMS: Readonly<Record<Dialect, Readonly<Record<ProgramLanguage, (sample: Sample) => string>>>> = {
  chat: {
    curl: (sample) => curl(`${sample.root}/v1/chat/completions`, bearer(sample), chatBody(sample)),
    python: (sample) => openAiPython(sample, "chat.completions", chatBody(sample), CHAT_TEXT),
    node: (sample) => openAiNode(sample, "chat.completions", chatBody(sample), CHAT_TEXT),
  },
  responses: {
    curl: (sample) => curl(`${sample.root}/v1/responses`, bearer(sample), responsesBody(sample)),
    python: (sample) => openAiPython(sample, "responses", responsesBody(sample), "answer.output_text"),
    node: (sample) => openAiNode(sample, "responses", responsesBody(sample), "answer.output_text"),
  },
  messages: {
    curl: (sample) =>
      curl(
        `${sample.root}/v1/messages`,
        [`x-api-key: ${sample.key}`, "anthropic-version: 2023-06-01"],
        messagesBody(sample),
      ),
    python: messagesPython,
    node: messagesNode,
  },
  gemini: {
    curl: (sample) =>
      curl(
        `${sample.root}/v1beta/models/${encodeURIComponent(sample.model)}:generateContent`,
        [`x-goog-api-key: ${sample.key}`],
        geminiBody(sample),
      ),
    python: geminiPython,
    node: geminiNode,
  },
};

/** The program that makes the sample's call in this language through this API. */
export const programOf = (dialect: Dialect, language: ProgramLanguage, sample: Sample): string =>
  PROGRAMS[dialect][language](sample);
