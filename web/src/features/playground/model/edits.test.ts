/** Tests of edits to a thread: none of them produces messages that a vendor would refuse. */
import { expect, test } from "vitest";
import { beginConversation, type Message, settled, titleOf } from "./conversation.ts";
import { comparedFrom, context, contextCleared, edited, isUnanswered, openCalls, removed } from "./edits.ts";
import { parametersOf, remembered } from "./parameters.ts";
import { bodyOf } from "./request.ts";
import { toolsOf } from "./tools.ts";

const message = (id: string, role: Message["role"], more: Partial<Message> = {}): Message => ({
  id,
  role,
  content: id,
  createAt: 1,
  status: "complete",
  ...more,
});
const CALL = { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' };
const calling = message("a1", "assistant", { content: "", toolCalls: [CALL] });
const result = message("t1", "tool", { content: "12 °C", toolCallId: "call_1" });
const ids = (thread: readonly Message[]) => thread.map(({ id }) => id).join(" ");

const BEGUN = beginConversation("abc", {
  userId: 1,
  group: "default",
  model: "gpt-4o",
  system: "Be kind.",
});
const lane = { id: "l", group: "vip", model: "gpt-4o", messages: [] };
const bodyFor = (thread: readonly Message[], tools = "") => bodyOf({ ...BEGUN, tools }, lane, thread, {});

test("a conversation begins with nothing that anybody did not say", () => {
  expect(BEGUN.lanes[0]?.messages).toEqual([]);
  expect(titleOf(BEGUN)).toBe("");
});

test("editing drops what answered the old words, deleting a reply takes the results of its tools along", () => {
  const thread = [message("u1", "user"), calling, result, message("u2", "user"), message("a2", "assistant")];
  expect(ids(edited(thread, "u2", "else", "u3"))).toBe("u1 a1 t1 u3");
  expect(edited(thread, "u2", "else", "u3").at(-1)).toMatchObject({ content: "else", versions: { at: 1 } });
  expect(ids(removed(thread, "a1"))).toBe("u1 u2 a2");
  expect(ids(removed(thread, "u1"))).toBe("a1 t1 u2 a2");
  expect(removed(thread, "gone")).toBe(thread);
});

test("a cleared context is shown and not sent, and clearing it again takes that back", () => {
  const thread = [message("u1", "user"), message("a1", "assistant")];
  const cleared = contextCleared(thread, "d", 9);
  expect(ids(cleared)).toBe("u1 a1 d");
  expect(context([...cleared, message("u2", "user")]).map(({ id }) => id)).toEqual(["u2"]);
  expect(contextCleared(cleared, "e", 9)).toEqual(thread);
  expect(contextCleared([], "d", 9)).toEqual([]);
});

test("calls wait for their results until something else is said", () => {
  expect(openCalls([calling])).toEqual([CALL]);
  expect(openCalls([calling, result])).toEqual([]);
  expect(openCalls([calling, message("u2", "user")])).toEqual([]);
  expect(openCalls([{ ...calling, status: "incomplete" }])).toEqual([]);
});

test("what was under way when the page was left is over", () => {
  const broken = { ...BEGUN, lanes: [{ ...lane, messages: [message("a1", "assistant", { status: "incomplete" })] }] };
  expect(settled(broken).lanes[0]?.messages[0]).toMatchObject({ status: "complete", isStopped: true });
});

test("a request has the system prompt first, pictures as parts, and only what was chosen", () => {
  const thread = [
    message("u1", "user", { images: ["data:image/png;base64,AA=="] }),
    message("e", "assistant", { content: "" }),
  ];
  expect(bodyFor(thread)).toEqual({
    model: "gpt-4o",
    group: "vip",
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "u1" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
        ],
      },
    ],
  });
  const chosen = bodyOf({ ...BEGUN, system: " " }, lane, thread, { temperature: 0.3, max_tokens: 20 });
  expect(chosen).toMatchObject({ temperature: 0.3, max_tokens: 20, messages: [{ role: "user" }] });
  expect("top_p" in chosen).toBe(false);
});

test("calls are sent with all their results and otherwise not at all", () => {
  const thought = { ...calling, reasoning: "hm", reasoningDetails: [{ type: "reasoning.text", signature: "s" }] };
  expect(bodyFor([thought, result]).messages.slice(1)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }],
      reasoning_content: "hm",
      reasoning_details: [{ type: "reasoning.text", signature: "s" }],
    },
    { role: "tool", tool_call_id: "call_1", content: "12 °C" },
  ]);
  expect(bodyFor([calling, message("u2", "user")]).messages.slice(1)).toEqual([{ role: "user", content: "u2" }]);
  expect(bodyFor([result]).messages).toHaveLength(1);
});

test("tools are read in both spellings; errors in others are shown", () => {
  const one = { name: "a", parameters: { type: "object" } };
  expect(toolsOf(JSON.stringify([one, { type: "function", function: { name: "b" } }]))).toEqual([
    { type: "function", function: one },
    { type: "function", function: { name: "b" } },
  ]);
  const wrong = ["{", "{}", '[{"name":"a b"}]', '[{"name":"a","parameters":[]}]', '[{"name":"a"},{"name":"a"}]', " "];
  expect(wrong.map(toolsOf)).toEqual(["json", "list", "name", "parameters", "twice", []]);
  expect(bodyFor([], '[{"name":"a"}]').tools).toHaveLength(1);
  expect("tools" in bodyFor([], "{")).toBe(false);
});

test("parameters are kept by model; 0 and whatever is out of range is the model's default", () => {
  const all = remembered({ other: { temperature: 0.5 } }, "gpt-4o", {
    temperature: 0.30000000000000004,
    max_tokens: 7,
  });
  expect(parametersOf(all, "gpt-4o")).toEqual({ temperature: 0.3, top_p: undefined, max_tokens: 7 });
  expect(parametersOf(all, "other").temperature).toBe(0.5);
  expect(parametersOf(all, "toString")).toEqual({ temperature: undefined, top_p: undefined, max_tokens: undefined });
  const broken = { m: { temperature: 0, top_p: 1.4, max_tokens: 0 } };
  expect(Object.values(parametersOf(broken, "m")).filter(Boolean)).toEqual([]);
  expect(parametersOf({ m: { max_tokens: "12.9" } }, "m").max_tokens).toBe(12);
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${index}`, { temperature: 0.1 }]));
  expect(Object.keys(remembered(many, "new", {}))).toHaveLength(100);
});

test("another model is given the last question alone, and no answer of the first one", () => {
  const asked = [...(BEGUN.lanes[0]?.messages ?? []), message("u1", "user")];
  // There is no answer yet: the prompt stays.
  expect(comparedFrom(asked)).toEqual(asked);
  const answered = [...asked, message("r1", "assistant", { model: "gpt-4o" }), message("u2", "user"), result];
  expect(ids(comparedFrom([...answered, message("r2", "assistant", { model: "gpt-4o" })]))).toBe("u2");
  expect(isUnanswered(comparedFrom(answered))).toBe(true);
  expect(isUnanswered([...asked, calling])).toBe(false);
});
