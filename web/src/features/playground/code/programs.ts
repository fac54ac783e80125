/** A call as a program: for each API the shell, Python and Node, in one table. Pure. */
import type { CodeLanguage } from "../../../ui/display/code-tokens.ts";
import { chatBody, geminiBody, geminiConfig, geminiContents, messagesBody, responsesBody } from "./bodies.ts";
import { present, type Sample } from "./sample.ts";

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
