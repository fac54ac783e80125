/** Content in parts becomes text with the thinking beside it, and all else stays unchanged. */
import { expect, test } from "vitest";
import { DIALECTS } from "../registry.ts";
import { dataFrame } from "../stream/sse-event.ts";
import { ThinkingApartPipe, thinkingApart } from "./thinking-apart.ts";

const THOUGHT = {
  type: "thinking",
  thinking: [
    { type: "text", text: "h" },
    { type: "text", text: "m" },
  ],
};
const TEXT = { type: "text", text: "so" };
const choice = (content: unknown, name: string, more: object = {}): object => ({
  index: 0,
  [name]: { role: "assistant", content, ...more },
  finish_reason: null,
});

test.each([
  [[THOUGHT, TEXT], { content: "so", reasoning_content: "hm" }],
  [[TEXT, TEXT], { content: "soso" }],
  [[THOUGHT], { content: "", reasoning_content: "hm" }],
  ["so", { content: "so" }],
  [null, { content: null }],
  [
    [THOUGHT, { type: "image_url", image_url: "https://a" }],
    { content: [THOUGHT, { type: "image_url", image_url: "https://a" }] },
  ],
])("%j is %j", (content, said) => {
  const call = { tool_calls: [{ id: "c" }] };
  const answer = { id: "a", choices: [choice(content, "message", call)], usage: { total_tokens: 3 } };
  const [apart] = thinkingApart(answer)["choices"] as [{ message: object }];
  expect(apart.message).toEqual({ role: "assistant", ...said, ...call });
  expect(thinkingApart(answer)).toMatchObject({ id: "a", usage: { total_tokens: 3 } });
});

test("in a stream only events with parts are written anew, with their long numbers", () => {
  const info = { model: "m", requestId: "r", createdAt: 1, asksUsage: true, isArray: false };
  const settings = { hidesUsage: false, isChat: true, choices: 1 };
  const pipe = new ThinkingApartPipe(DIALECTS["openai-chat"].createPassthrough(info, settings));
  const sent = (frame: string): string => {
    const bytes = Buffer.from(frame);
    pipe.push(bytes, bytes.toString("latin1"));
    return Buffer.from(pipe.out, "latin1").toString("utf8");
  };
  const plain = 'data: {"choices": [{"index":0, "delta": {"content": "Grüße"}}]}\n\n';
  expect(sent(plain)).toBe(plain);
  const parts = dataFrame({ id: 7, choices: [choice([THOUGHT, { type: "text", text: "Grüße" }], "delta")] });
  const apart = sent(parts.replace('"id":7', '"id":90071992547409931'));
  expect(apart).toContain('"content":"Grüße","reasoning_content":"hm"');
  expect(apart).toContain('"id":90071992547409931');
  expect(pipe.words.bytes).toBeGreaterThan(0);
});
