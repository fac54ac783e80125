/** The official libraries as clients of the relay; what each makes of an answer is read to one form. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import type { Heard } from "./heard.ts";
import { readChat } from "./read-chat.ts";
import { readGemini } from "./read-gemini.ts";
import { readMessages } from "./read-messages.ts";
import { readResponses } from "./read-responses.ts";

export interface Question {
  url: string;
  key: string;
  model: string;
  text: string;
  isStream: boolean;
  /** Functions that the client offers, by name. */
  tools: readonly string[];
  /** Custom tools of OpenAI's formats, which others cannot offer. */
  customTools: readonly string[];
}

export interface CorpusClient {
  name: DialectName;
  /** Throws what the library throws. */
  ask(question: Question): Promise<Heard>;
}

const SCHEMA = { type: "object" as const, properties: {}, additionalProperties: true };
const MAX_TOKENS = 4096;
const openAi = ({ url, key }: Question): OpenAI => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const maybe = (name: string, tools: readonly object[]): object => (tools.length === 0 ? {} : { [name]: tools });

/** The stream's message by the library, with the thinking that the library does not know. */
async function streamedChat(library: OpenAI, body: object): Promise<Fields> {
  const stream = library.chat.completions.stream({
    ...(body as OpenAI.ChatCompletionCreateParamsNonStreaming),
    stream_options: { include_usage: true },
  } as never);
  let thinking = "";
  stream.on("chunk", (chunk) => {
    const delta = fieldsOf(chunk.choices[0]?.delta);
    const piece = delta["reasoning_content"] ?? delta["reasoning"];
    thinking += typeof piece === "string" ? piece : "";
  });
  const completion = await stream.finalChatCompletion();
  const message = completion.choices[0]?.message;
  if (message !== undefined) Object.assign(message, { reasoning_content: thinking });
  return fieldsOf(completion);
}

const chat: CorpusClient = {
  name: "openai-chat",
  async ask(question) {
    const { model, text, isStream, tools, customTools } = question;
    const offered = [
      ...tools.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } })),
      ...customTools.map((name) => ({ type: "custom", custom: { name } })),
    ];
    const body = { model, messages: [{ role: "user", content: text }], ...maybe("tools", offered) };
    const library = openAi(question);
    const answer = isStream
      ? await streamedChat(library, body)
      : fieldsOf(await library.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming));
    return readChat([answer], false);
  },
};

const responses: CorpusClient = {
  name: "openai-responses",
  async ask(question) {
    const { model, text, isStream, tools, customTools } = question;
    const offered = [
      ...tools.map((name) => ({ type: "function", name, parameters: SCHEMA, strict: false })),
      ...customTools.map((name) => ({ type: "custom", name })),
    ];
    const body = { model, input: text, store: false, ...maybe("tools", offered) };
    const library = openAi(question);
    const answer = isStream
      ? await library.responses.stream(body as never).finalResponse()
      : await library.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    return readResponses([fieldsOf(answer)], false);
  },
};

const messages: CorpusClient = {
  name: "anthropic-messages",
  async ask(question) {
    const { url, key, model, text, isStream, tools } = question;
    const offered = tools.map((name) => ({ name, input_schema: SCHEMA }));
    const body = {
      model,
      max_tokens: MAX_TOKENS,
      messages: [{ role: "user" as const, content: text }],
      ...maybe("tools", offered),
    };
    const library = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
    const answer = isStream ? await library.messages.stream(body).finalMessage() : await library.messages.create(body);
    return readMessages([fieldsOf(answer)], false);
  },
};

const gemini: CorpusClient = {
  name: "gemini",
  async ask({ url, key, model, text, isStream, tools }) {
    const library = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
    const functionDeclarations = tools.map((name) => ({ name, parametersJsonSchema: SCHEMA }));
    const request = {
      model,
      contents: text,
      config: tools.length === 0 ? {} : { tools: [{ functionDeclarations }] },
    };
    const answers: Fields[] = [];
    if (isStream)
      for await (const chunk of await library.models.generateContentStream(request)) answers.push(fieldsOf(chunk));
    else answers.push(fieldsOf(await library.models.generateContent(request)));
    return readGemini(listOf(answers) as readonly Fields[]);
  },
};

export const CLIENTS: readonly CorpusClient[] = [chat, responses, messages, gemini];
