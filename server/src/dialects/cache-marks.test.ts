/**
 * Cache breakpoints of a Messages client: sent to upstreams that support them, else named in a warning
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching).
 */
import { expect, test } from "vitest";
import type { DialectName, JsonObject } from "./neutral/neutral.ts";
import { DIALECTS } from "./registry.ts";
import { vendorFormat } from "./vendor-format.ts";

test("cache breakpoints of a Messages client go to vendors that support them; others are named as caching automatically", () => {
  const mark = { type: "ephemeral" };
  const body = {
    model: "m",
    max_tokens: 10,
    system: [{ type: "text", text: "rules", cache_control: { type: "ephemeral", ttl: "1h" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "read" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done", cache_control: mark }] },
    ],
  };
  const request = DIALECTS["anthropic-messages"].decodeRequest(body, { model: "", isStream: false });
  const sent = (cacheMarks?: "short" | "any") => {
    const warned = new Set<string>();
    const { messages } = DIALECTS["openai-chat"].encodeRequest({ ...request, cacheMarks }, (field) =>
      warned.add(field),
    );
    return { messages, warned: [...warned] };
  };
  expect(sent("any")).toEqual({
    warned: [],
    messages: [
      { role: "system", content: [{ type: "text", text: "rules", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      { role: "user", content: "read" },
      expect.objectContaining({ role: "assistant", content: null }),
      { role: "tool", tool_call_id: "t", content: [{ type: "text", text: "done", cache_control: mark }] },
    ],
  });
  expect(sent("short")).toMatchObject({
    warned: ["cache_control"],
    messages: [{ content: [{ cache_control: mark }] }, {}, {}, {}],
  });
  const plain = sent();
  expect(plain.warned).toEqual(["cache_control"]);
  expect(JSON.stringify(plain.messages)).not.toContain("cache_control");
});

const MARK = { cache_control: { type: "ephemeral" } };
const PICTURE = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
const TOOL = { name: "f", input_schema: { type: "object" } };
const CALLED = { type: "tool_use", id: "t", name: "f", input: {} };
const GIVEN = { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "x" }] };
const TALK = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [CALLED] },
  { role: "user", content: [GIVEN] },
];
/** Each place of a breakpoint (platform.claude.com/docs/en/build-with-claude/prompt-caching), and whether it is a text. */
const MARKED: readonly (readonly [place: string, isText: boolean, fields: JsonObject])[] = [
  ["instructions", true, { system: [{ type: "text", text: "r", ...MARK }], messages: TALK }],
  ["a text", true, { messages: [{ role: "user", content: [{ type: "text", text: "x", ...MARK }] }] }],
  ["a result", true, { messages: [...TALK.slice(0, 2), { role: "user", content: [{ ...GIVEN, ...MARK }] }] }],
  ["a picture", false, { messages: [{ role: "user", content: [{ ...PICTURE, ...MARK }] }] }],
  ["a tool", false, { messages: TALK, tools: [{ ...TOOL, ...MARK }] }],
  ["a call", false, { messages: [{ ...TALK[1], content: [{ ...CALLED, ...MARK }] }, TALK[2]] }],
];

test.each(MARKED)("a cache breakpoint on %s is sent or named", (_place, isText, fields) => {
  const body = { model: "m", max_tokens: 10, ...fields };
  const request = DIALECTS["anthropic-messages"].decodeRequest(body, { model: "", isStream: false });
  const warned = (name: DialectName, cacheMarks?: "any") => {
    const fieldNames = new Set<string>();
    const sent = DIALECTS[name].encodeRequest({ ...request, cacheMarks }, (field) => fieldNames.add(field));
    return [JSON.stringify(sent).includes("cache_control"), fieldNames.has("cache_control")];
  };
  for (const name of ["openai-chat", "openai-responses", "gemini"] as const)
    expect(warned(name)).toEqual([false, true]);
  expect(warned("openai-chat", "any")).toEqual([isText, !isText]);
  expect(warned("anthropic-messages")).toEqual([true, false]);
  const warnings = new Set<string>();
  const own = vendorFormat({ encodeRequest: () => ({}), decodeAnswer: () => undefined, createDecoder: never });
  own.encodeRequest(request, (field) => warnings.add(field));
  expect([...warnings]).toEqual(["cache_control"]);
});

function never(): never {
  throw new Error("no stream is read here");
}
