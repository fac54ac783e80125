/** Tests of exported conversations, which have what is shown, and of searches in them. */
import { expect, test } from "vitest";
import { beginConversation, type Conversation, type Message } from "./conversation.ts";
import { exported, found } from "./exported.ts";

const NAMES = { user: "You", assistant: "Answer", tool: "Result" };
const message = (id: string, role: Message["role"], content: string, more: Partial<Message> = {}): Message => ({
  id,
  role,
  content,
  createAt: 1,
  status: "complete",
  ...more,
});

function chat(id: string, messages: readonly Message[], more: Partial<Conversation> = {}): Conversation {
  const begun = beginConversation(id, { userId: 7, group: "default", model: "gpt-4o", system: "Be kind." });
  return { ...begun, lanes: begun.lanes.map((lane) => ({ ...lane, messages })), ...more };
}
const CAT = chat("a", [
  message("u", "user", "What is a cat?"),
  message("r", "assistant", "<think>hm</think>An animal.", { model: "gpt-4o" }),
  message("d", "divider", ""),
]);

test("Markdown has the title, the system prompt, who said what, and no thinking", () => {
  expect(exported(CAT, "markdown", NAMES)).toEqual({
    name: "What-is-a-cat.md",
    type: "text/markdown",
    text: "# What is a cat?\n\n> Be kind.\n\n**You**\n\nWhat is a cat?\n\n**Answer (gpt-4o)**\n\nAn animal.\n\n---\n",
  });
});

test("JSON has everything but whose it is", () => {
  const { name, text } = exported({ ...CAT, name: "../猫 / 1" }, "json", NAMES);
  expect(name).toBe("猫-1.json");
  const read = JSON.parse(text) as Record<string, unknown>;
  expect(read).toMatchObject({ id: "a", lanes: [{ messages: [{ content: "What is a cat?" }, {}, {}] }] });
  expect(read).not.toHaveProperty("userId");
});

test("words are found in any order in names and messages, and pinned chats stand first", () => {
  const dog = chat("b", [message("u", "user", "Dogs?")], { name: "About DOGS", isPinned: true });
  expect(found([CAT, dog], "").map(({ id }) => id)).toEqual(["b", "a"]);
  expect(found([CAT, dog], "animal cat").map(({ id }) => id)).toEqual(["a"]);
  expect(found([CAT, dog], "about").map(({ id }) => id)).toEqual(["b"]);
  expect(found([CAT, dog], "fish")).toEqual([]);
});
