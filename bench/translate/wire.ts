/** Payloads of `npm run bench -- translate`: requests of four client formats, and the events of two upstream formats. */
import { STAMP_DIGITS, monotonicMicroseconds } from "../provider/answers.ts";

export type ClientFormat = "chat" | "messages" | "responses" | "gemini";

/** Model of a channel that has no other format than chat completions: a Responses call to it is translated. */
export const CHAT_ONLY_MODEL = "gpt-4o";
/** Model of a channel that is Anthropic's. */
export const MESSAGES_MODEL = "claude-haiku-4-5";
const MESSAGES_PATH = "/v1/messages";

/** High enough that no stream outgrows what is held for it: extending is a cost of its own. */
const MAX_TOKENS = 8192;
const QUESTION = "What is a turnpike, and why would somebody name a gateway after one?";
const TOOL = { name: "write_file", description: "Writes a file." };
const SCHEMA = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const MESSAGES = [{ role: "user", content: QUESTION }];

/** A streamed call as a client of each format sends it. */
const CALLS: Readonly<Record<ClientFormat, (model: string, hasTools: boolean) => { path: string; body: object }>> = {
  chat: (model, hasTools) => ({
    path: "/v1/chat/completions",
    body: {
      model,
      messages: MESSAGES,
      max_tokens: MAX_TOKENS,
      stream: true,
      stream_options: { include_usage: true },
      ...(hasTools ? { tools: [{ type: "function", function: { ...TOOL, parameters: SCHEMA } }] } : {}),
    },
  }),
  messages: (model, hasTools) => ({
    path: MESSAGES_PATH,
    body: {
      model,
      messages: MESSAGES,
      max_tokens: MAX_TOKENS,
      stream: true,
      ...(hasTools ? { tools: [{ ...TOOL, input_schema: SCHEMA }] } : {}),
    },
  }),
  responses: (model, hasTools) => ({
    path: "/v1/responses",
    body: {
      model,
      input: QUESTION,
      max_output_tokens: MAX_TOKENS,
      stream: true,
      ...(hasTools ? { tools: [{ type: "function", ...TOOL, parameters: SCHEMA, strict: true }] } : {}),
    },
  }),
  // This format has the arguments of a call in one piece, which would be no stream.
  gemini: (model) => ({
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: {
      contents: [{ role: "user", parts: [{ text: QUESTION }] }],
      generationConfig: { maxOutputTokens: MAX_TOKENS },
    },
  }),
};

/** Path and JSON body of a call. */
export function callOf(format: ClientFormat, model: string, hasTools: boolean): { path: string; body: string } {
  const { path, body } = CALLS[format](model, hasTools);
  return { path, body: JSON.stringify(body) };
}

/** Before the sending time, which begins the text of every event. */
const STAMP = '"@';
const ANY_STAMP = Buffer.from(STAMP);

/** How a client finds the text: Responses repeats all of it at the end, where it is not to be counted again. */
export const STAMP_MARKS: Readonly<Record<ClientFormat, Buffer>> = {
  chat: ANY_STAMP,
  messages: ANY_STAMP,
  responses: Buffer.from(`"delta":${STAMP}`),
  gemini: ANY_STAMP,
};
/** The longest end of a piece that can hold the beginning of a stamp and never a whole one. */
export const carryBytes = (mark: Buffer): number => mark.length + STAMP_DIGITS - 1;

/** The answers' tokens: as models cut them, with what JSON escapes, and with letters of two, three and four bytes. */
const WORDS =
  ' A| turn|pike| is| a| "toll"| road|.|\n\n|One| pays| to| use| it|:| 3| €|,| Straße|、|料金所| 🛣| —| C:\\|\t- **|bar|riers'.split(
    "|",
  );

/** One kind of stream: the first frames, the frame of a token, and the last frames. */
export interface Script {
  readonly opening: readonly string[];
  /** Before and after the text of an event. */
  readonly head: string;
  readonly tail: string;
  /** As they stand inside the JSON string of the event. */
  readonly words: readonly string[];
  readonly closing: readonly string[];
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, fields: object = {}): string => `event: ${type}\n${data({ type, ...fields })}`;
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** An event around the text that replaces `STAMP` in the example. */
function around(example: string): { head: string; tail: string } {
  const at = example.indexOf(STAMP) + STAMP.length;
  return { head: example.slice(0, at), tail: example.slice(at) };
}

function chatChunk(choices: readonly object[], usage: object | null = null): string {
  return data({
    id: "chatcmpl-benchmark0000000000000001",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "gpt-4o-mini-2024-07-18",
    service_tier: "default",
    system_fingerprint: "fp_benchmark",
    choices,
    usage,
    obfuscation: "Xq3f",
  });
}

const chatDelta = (delta: object, finish_reason: string | null = null): string =>
  chatChunk([{ index: 0, delta, logprobs: null, finish_reason }]);
const chatArguments = (text: string): string =>
  chatDelta({ tool_calls: [{ index: 0, function: { arguments: text } }] });

const CHAT_CLOSING = [
  chatChunk([], { prompt_tokens: 24, completion_tokens: 100, total_tokens: 124 }),
  "data: [DONE]\n\n",
];

const CHAT_TEXT: Script = {
  opening: [chatDelta({ role: "assistant", content: "", refusal: null })],
  ...around(chatDelta({ content: "@" })),
  words: WORDS.map(escaped),
  closing: [chatDelta({}, "stop"), ...CHAT_CLOSING],
};

const CHAT_CALL = { index: 0, id: "call_benchmark", type: "function", function: { name: TOOL.name, arguments: "" } };

const CHAT_TOOL: Script = {
  opening: [
    chatDelta({ role: "assistant", content: null, tool_calls: [CHAT_CALL], refusal: null }),
    chatArguments('{"text":"'),
  ],
  ...around(chatArguments("@")),
  words: WORDS.map((word) => escaped(escaped(word))),
  closing: [chatArguments('"}'), chatDelta({}, "tool_calls"), ...CHAT_CLOSING],
};

const blockDelta = (delta: object): string => named("content_block_delta", { index: 0, delta });
const USAGE = { input_tokens: 24, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
const MESSAGE = {
  id: "msg_benchmark",
  type: "message",
  role: "assistant",
  model: MESSAGES_MODEL,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: USAGE,
};

function messagesScript(block: object, opening: readonly string[], word: string, ending: readonly string[]) {
  const stop_reason = ending.length === 0 ? "end_turn" : "tool_use";
  return {
    opening: [
      named("message_start", { message: MESSAGE }),
      named("content_block_start", { index: 0, content_block: block }),
      ...opening,
    ],
    ...around(word),
    closing: [
      ...ending,
      named("content_block_stop", { index: 0 }),
      named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { ...USAGE, output_tokens: 100 } }),
      named("message_stop"),
    ],
  };
}

const MESSAGES_TEXT: Script = {
  ...messagesScript({ type: "text", text: "" }, [], blockDelta({ type: "text_delta", text: "@" }), []),
  words: WORDS.map(escaped),
};

const inputDelta = (partial_json: string): string => blockDelta({ type: "input_json_delta", partial_json });

const MESSAGES_TOOL: Script = {
  ...messagesScript(
    { type: "tool_use", id: "toolu_benchmark", name: TOOL.name, input: {} },
    [inputDelta('{"text":"')],
    inputDelta("@"),
    [inputDelta('"}')],
  ),
  words: WORDS.map((word) => escaped(escaped(word))),
};

/** The answer to a request, given as its bytes: a call of the tool where it names tools. */
export function scriptFor(request: Buffer): Script {
  const hasTools = request.includes('"tools":[');
  if (request.includes(`POST ${MESSAGES_PATH} `)) return hasTools ? MESSAGES_TOOL : MESSAGES_TEXT;
  return hasTools ? CHAT_TOOL : CHAT_TEXT;
}

/** The frame of the n-th token of a stream, stamped with the moment it is made. */
export function wordFrame({ head, tail, words }: Script, index: number): string {
  const stamp = String(monotonicMicroseconds()).padStart(STAMP_DIGITS, "0");
  return `${head}${stamp}${words[index % words.length] ?? ""}${tail}`;
}

/** One HTTP chunk. */
export const httpChunk = (frames: string): string => `${Buffer.byteLength(frames).toString(16)}\r\n${frames}\r\n`;
