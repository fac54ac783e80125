/** Ready code for a token: one table of clients and coding agents, each with its command and its settings. Pure. */
import type { CodeLanguage } from "./code-tokens.ts";

export interface Connection {
  /** With /v1, without a trailing slash. */
  baseUrl: string;
  /** With sk-. */
  key: string;
  model: string;
  operation: "chat" | "embeddings";
}

export type SnippetId = "curl" | "python" | "node" | "claude" | "codex" | "gemini";
/** Titles of blocks in the locale files. */
export type BlockId = "shell" | "python" | "javascript" | "claudeCode" | "codexConfig" | "codexRun" | "geminiCli";

export interface CodePart {
  id: BlockId;
  language: CodeLanguage;
  code: (connection: Connection) => string;
}

export interface Snippet {
  id: SnippetId;
  /** What runs first, once; empty where nothing has to be installed. */
  install: string;
  /** True where it also shows embeddings; the others only chat. */
  embeds: boolean;
  parts: readonly CodePart[];
}

const EMBEDDING = /embed|(?:^|[-/])(?:bge|gte|e5|m3e)(?:-|$)/i;

/** Which call a model is for, judged by its name as vendors write it. */
export const operationOf = (model: string): "chat" | "embeddings" => (EMBEDDING.test(model) ? "embeddings" : "chat");

const PROMPT = "Say hello.";

const quoted = (text: string): string => JSON.stringify(text);
/** For a shell's single quotes. */
const shellQuoted = (text: string): string => text.replaceAll("'", "'\\''");

function curlCode({ baseUrl, key, model, operation }: Connection): string {
  const path = operation === "chat" ? "chat/completions" : "embeddings";
  const content =
    operation === "chat"
      ? `"messages": [{"role": "user", "content": ${quoted(PROMPT)}}]`
      : `"input": ${quoted(PROMPT)}`;
  return [
    `curl ${baseUrl}/${path} \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    "  -d '{",
    `    "model": ${shellQuoted(quoted(model))},`,
    `    ${content}`,
    "  }'",
  ].join("\n");
}

const PYTHON_CALLS = {
  chat: (model: string) => [
    "answer = client.chat.completions.create(",
    `    model=${quoted(model)},`,
    `    messages=[{"role": "user", "content": ${quoted(PROMPT)}}],`,
    ")",
    "print(answer.choices[0].message.content)",
  ],
  embeddings: (model: string) => [
    "answer = client.embeddings.create(",
    `    model=${quoted(model)},`,
    `    input=${quoted(PROMPT)},`,
    ")",
    "print(len(answer.data[0].embedding))",
  ],
};

const pythonCode = ({ baseUrl, key, model, operation }: Connection): string =>
  [
    "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    base_url=${quoted(baseUrl)},`,
    `    api_key=${quoted(key)},`,
    ")",
    "",
    ...PYTHON_CALLS[operation](model),
  ].join("\n");

const NODE_CALLS = {
  chat: (model: string) => [
    "const answer = await client.chat.completions.create({",
    `  model: ${quoted(model)},`,
    `  messages: [{ role: "user", content: ${quoted(PROMPT)} }],`,
    "});",
    "console.log(answer.choices[0].message.content);",
  ],
  embeddings: (model: string) => [
    "const answer = await client.embeddings.create({",
    `  model: ${quoted(model)},`,
    `  input: ${quoted(PROMPT)},`,
    "});",
    "console.log(answer.data[0].embedding.length);",
  ],
};

const nodeCode = ({ baseUrl, key, model, operation }: Connection): string =>
  [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: ${quoted(baseUrl)},`,
    `  apiKey: ${quoted(key)},`,
    "});",
    "",
    ...NODE_CALLS[operation](model),
  ].join("\n");

/** Anthropic's and Google's clients put the version into the path themselves. */
const rootOf = (baseUrl: string): string => baseUrl.replace(/\/v1$/, "");

const claudeCode = ({ baseUrl, key, model }: Connection): string =>
  [
    `export ANTHROPIC_BASE_URL='${shellQuoted(rootOf(baseUrl))}'`,
    `export ANTHROPIC_AUTH_TOKEN='${shellQuoted(key)}'`,
    `export ANTHROPIC_MODEL='${shellQuoted(model)}'`,
    "claude",
  ].join("\n");

const anthropicCode = ({ baseUrl, key, model }: Connection): string =>
  [
    "from anthropic import Anthropic",
    "",
    "client = Anthropic(",
    `    base_url=${quoted(rootOf(baseUrl))},`,
    `    api_key=${quoted(key)},`,
    ")",
    "",
    "message = client.messages.create(",
    `    model=${quoted(model)},`,
    "    max_tokens=256,",
    `    messages=[{"role": "user", "content": ${quoted(PROMPT)}}],`,
    ")",
    "print(message.content[0].text)",
  ].join("\n");

const codexConfig = ({ baseUrl, model }: Connection): string =>
  [
    `model = ${quoted(model)}`,
    'model_provider = "turnpike"',
    "",
    "[model_providers.turnpike]",
    'name = "Turnpike"',
    `base_url = ${quoted(baseUrl)}`,
    'env_key = "TURNPIKE_API_KEY"',
    'wire_api = "responses"',
  ].join("\n");

const codexRun = ({ key }: Connection): string => `export TURNPIKE_API_KEY='${shellQuoted(key)}'\ncodex`;

const geminiCli = ({ baseUrl, key, model }: Connection): string =>
  [
    `export GOOGLE_GEMINI_BASE_URL='${shellQuoted(rootOf(baseUrl))}'`,
    `export GEMINI_API_KEY='${shellQuoted(key)}'`,
    `gemini --model '${shellQuoted(model)}'`,
  ].join("\n");

const googleCode = ({ baseUrl, key, model }: Connection): string =>
  [
    "from google import genai",
    "",
    "client = genai.Client(",
    `    api_key=${quoted(key)},`,
    `    http_options={"base_url": ${quoted(rootOf(baseUrl))}},`,
    ")",
    "",
    "answer = client.models.generate_content(",
    `    model=${quoted(model)},`,
    `    contents=${quoted(PROMPT)},`,
    ")",
    "print(answer.text)",
  ].join("\n");

/** In the order of their tabs. */
const SNIPPETS: readonly Snippet[] = [
  { id: "curl", install: "", embeds: true, parts: [{ id: "shell", language: "shell", code: curlCode }] },
  {
    id: "python",
    install: "pip install openai",
    embeds: true,
    parts: [{ id: "python", language: "python", code: pythonCode }],
  },
  {
    id: "node",
    install: "npm install openai",
    embeds: true,
    parts: [{ id: "javascript", language: "javascript", code: nodeCode }],
  },
  {
    id: "claude",
    install: "",
    embeds: false,
    parts: [
      { id: "claudeCode", language: "shell", code: claudeCode },
      { id: "python", language: "python", code: anthropicCode },
    ],
  },
  {
    id: "codex",
    install: "",
    embeds: false,
    parts: [
      { id: "codexConfig", language: "shell", code: codexConfig },
      { id: "codexRun", language: "shell", code: codexRun },
    ],
  },
  {
    id: "gemini",
    install: "",
    embeds: false,
    parts: [
      { id: "geminiCli", language: "shell", code: geminiCli },
      { id: "python", language: "python", code: googleCode },
    ],
  },
];

/** The snippets that can use a model of this operation. */
export const snippetsFor = (operation: Connection["operation"]): readonly Snippet[] =>
  SNIPPETS.filter(({ embeds }) => embeds || operation === "chat");
