/** Ready code for a token: one table of what can be shown, each with the wire format it speaks, and the formats the relay serves. Pure. */
import type { CodeLanguage } from "../../../ui/code-tokens.ts";

export type Dialect = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

/** Wire formats the relay answers today. A snippet of any other format is not offered: it could not work. */
export const SERVED_DIALECTS: readonly Dialect[] = ["openai-chat"];

export interface Connection {
  /** With /v1, without a trailing slash. */
  baseUrl: string;
  /** With sk-. */
  key: string;
  model: string;
  operation: "chat" | "embeddings";
}

export interface Snippet {
  id: "curl" | "python" | "node";
  dialect: Dialect;
  language: CodeLanguage;
  /** What runs first, once; empty where nothing has to be installed. */
  install: string;
  code: (connection: Connection) => string;
}

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

const SNIPPETS: readonly Snippet[] = [
  { id: "curl", dialect: "openai-chat", language: "shell", install: "", code: curlCode },
  { id: "python", dialect: "openai-chat", language: "python", install: "pip install openai", code: pythonCode },
  { id: "node", dialect: "openai-chat", language: "javascript", install: "npm install openai", code: nodeCode },
];

/** The snippets that work with this relay, in the order of their tabs. */
export const servedSnippets = (served: readonly Dialect[] = SERVED_DIALECTS): Snippet[] =>
  SNIPPETS.filter((snippet) => served.includes(snippet.dialect));
