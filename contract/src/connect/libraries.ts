/** Libraries of programming languages and curl: whole small programs that make one call. Pure. */
import { type Code, type Connection, type Program, versioned } from "./program.ts";
import { QUOTE } from "./quoting.ts";

const PROMPT = "Say hello.";
const quoted = (text: string): string => JSON.stringify(text);

const curlBody = ({ model, operation }: Connection): string =>
  JSON.stringify(
    operation === "chat" ? { model, messages: [{ role: "user", content: PROMPT }] } : { model, input: PROMPT },
    undefined,
    2,
  );

const curlCode = (connection: Connection): string =>
  [
    `curl ${versioned(connection)}/${connection.operation === "chat" ? "chat/completions" : "embeddings"} \\`,
    `  -H ${QUOTE.bash(`Authorization: Bearer ${connection.key}`)} \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d ${QUOTE.bash(curlBody(connection))}`,
  ].join("\n");

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

const pythonCode = (connection: Connection): string =>
  [
    "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    base_url=${quoted(versioned(connection))},`,
    `    api_key=${quoted(connection.key)},`,
    ")",
    "",
    ...PYTHON_CALLS[connection.operation](connection.model),
  ].join("\n");

const JAVASCRIPT_CALLS = {
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

const javascriptCode = (connection: Connection): string =>
  [
    'import OpenAI from "openai";',
    "",
    "const client = new OpenAI({",
    `  baseURL: ${quoted(versioned(connection))},`,
    `  apiKey: ${quoted(connection.key)},`,
    "});",
    "",
    ...JAVASCRIPT_CALLS[connection.operation](connection.model),
  ].join("\n");

const goCode = (connection: Connection): string =>
  [
    "package main",
    "",
    "import (",
    '\t"context"',
    '\t"fmt"',
    "",
    '\t"github.com/openai/openai-go/v3"',
    '\t"github.com/openai/openai-go/v3/option"',
    ")",
    "",
    "func main() {",
    "\tclient := openai.NewClient(",
    `\t\toption.WithBaseURL(${quoted(versioned(connection))}),`,
    `\t\toption.WithAPIKey(${quoted(connection.key)}),`,
    "\t)",
    "\tanswer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{",
    `\t\tModel:    ${quoted(connection.model)},`,
    `\t\tMessages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(${quoted(PROMPT)})},`,
    "\t})",
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    "\tfmt.Println(answer.Choices[0].Message.Content)",
    "}",
  ].join("\n");

const anthropicCode = ({ origin, key, model }: Connection): string =>
  [
    "from anthropic import Anthropic",
    "",
    "client = Anthropic(",
    `    base_url=${quoted(origin)},`,
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

const googleCode = ({ origin, key, model }: Connection): string =>
  [
    "from google import genai",
    "",
    "client = genai.Client(",
    `    api_key=${quoted(key)},`,
    `    http_options={"base_url": ${quoted(origin)}},`,
    ")",
    "",
    "answer = client.models.generate_content(",
    `    model=${quoted(model)},`,
    `    contents=${quoted(PROMPT)},`,
    ")",
    "print(answer.text)",
  ].join("\n");

const only = (title: string, language: Code["language"], code: Code["code"]): readonly Code[] => [
  { id: "code", title, language, code },
];

export const LIBRARIES: readonly Program[] = [
  {
    id: "curl",
    title: "curl",
    kind: "library",
    family: "chat",
    page: "https://platform.openai.com/docs/api-reference/chat/create",
    embeds: true,
    codes: only("Shell", "shell", curlCode),
    userAgent: /^curl\//i,
  },
  {
    id: "python",
    title: "Python",
    kind: "library",
    family: "chat",
    page: "https://github.com/openai/openai-python",
    embeds: true,
    install: "pip install openai",
    codes: only("Python", "python", pythonCode),
    userAgent: /^(?:Async)?OpenAI\/Python/i,
  },
  {
    id: "javascript",
    title: "Node.js",
    kind: "library",
    family: "chat",
    page: "https://github.com/openai/openai-node",
    embeds: true,
    install: "npm install openai",
    codes: only("JavaScript", "javascript", javascriptCode),
    userAgent: /^OpenAI\/JS/i,
  },
  {
    id: "go",
    title: "Go",
    kind: "library",
    family: "chat",
    page: "https://github.com/openai/openai-go",
    install: "go get github.com/openai/openai-go/v3",
    codes: only("Go", "javascript", goCode),
    userAgent: /^OpenAI\/Go/i,
  },
  {
    id: "anthropic-python",
    title: "Anthropic Python",
    kind: "library",
    family: "messages",
    page: "https://github.com/anthropics/anthropic-sdk-python",
    prefers: /claude/i,
    install: "pip install anthropic",
    codes: only("Python", "python", anthropicCode),
    userAgent: /^(?:Async)?Anthropic\/Python/i,
  },
  {
    id: "google-python",
    title: "Google Gen AI Python",
    kind: "library",
    family: "gemini",
    page: "https://github.com/googleapis/python-genai",
    prefers: /gemini/i,
    install: "pip install google-genai",
    codes: only("Python", "python", googleCode),
    userAgent: /^google-genai-sdk\//i,
  },
];
