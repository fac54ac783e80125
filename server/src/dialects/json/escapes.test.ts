/** Passed-through text counts the same however it is escaped, and a stream is finished when each choice is. */
import { expect, test } from "vitest";
import type { FrameKind, StreamPipe } from "../stream/stream.ts";
import type { DialectName } from "../neutral/neutral.ts";
import { DIALECTS } from "../registry.ts";

const INFO = { model: "m", requestId: "r", createdAt: 1, asksUsage: true, isArray: false } as const;

const pipeOf = (name: DialectName, choices = 1): StreamPipe =>
  DIALECTS[name].createPassthrough(INFO, { hidesUsage: false, isChat: true, choices });

function push(pipe: StreamPipe, event: string): FrameKind {
  const bytes = Buffer.from(event);
  return pipe.push(bytes, bytes.toString("latin1"));
}

const EVENTS: readonly (readonly [DialectName, (words: string) => string])[] = [
  ["openai-chat", (words) => `data: {"choices":[{"index":0,"delta":{"content":${words}}}]}\n\n`],
  [
    "openai-responses",
    (words) => `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":${words}}\n\n`,
  ],
  [
    "anthropic-messages",
    (words) =>
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${words}}}\n\n`,
  ],
  ["gemini", (words) => `data: {"candidates":[{"content":{"parts":[{"text":${words}}]},"index":0}]}\r\n\r\n`],
];

const asAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

test.each(EVENTS)("%s: escaped text counts as the text it stands for", (name, eventOf) => {
  const words = 'Grüße, 你好 🙂 \n "quoted" \\ and \u0007.';
  const [plain, escaped] = [pipeOf(name), pipeOf(name)];
  push(plain, eventOf(JSON.stringify(words)));
  push(escaped, eventOf(asAscii(JSON.stringify(words))));
  const bytes = Buffer.byteLength(words);
  expect(plain.words.bytes).toBe(bytes);
  expect([escaped.words.tokens, escaped.words.cautiousTokens]).toEqual([
    plain.words.tokens,
    plain.words.cautiousTokens,
  ]);
});

test.each<[DialectName, string]>([
  ["openai-chat", 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason": ""}]}\n\n'],
  ["gemini", 'data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason": "","index":0}]}\r\n\r\n'],
])("%s: an event with an empty finish reason is no end, and passes through at once", (name, event) => {
  const pipe = pipeOf(name);
  expect([push(pipe, event), push(pipe, event), pipe.hasFinish, pipe.deltas]).toEqual(["delta", "delta", false, 2]);
});

test("a chat stream of several choices is finished with the last of them", () => {
  const pipe = pipeOf("openai-chat", 3);
  const finish = (index: number): string => `{"index":${index},"delta":{},"finish_reason":"stop"}`;
  push(pipe, `data: {"choices":[${finish(0)}]}\n\n`);
  expect(pipe.hasFinish).toBe(false);
  push(pipe, `data: {"choices":[${finish(1)},${finish(2)}]}\n\n`);
  expect(pipe.hasFinish).toBe(true);
});
