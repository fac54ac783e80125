/** Who has a conversation: forgotten after its time and beyond the bound, asked of other processes where they share something. */
import { expect, test } from "vitest";
import { Conversations } from "./conversations.ts";

function sharing() {
  const texts = new Map<string, string>();
  const told: string[] = [];
  const cache = {
    isShared: true,
    share: async (key: string, text: string) => {
      texts.set(key, text);
      told.push(`${key}=${text}`);
    },
    shared: async (key: string) => texts.get(key),
  };
  return { cache, texts, told };
}
const alone = { ...sharing().cache, isShared: false };

test("is known for its time, and the ones used least lately go first beyond the bound", () => {
  const conversations = new Conversations(alone, 2);
  conversations.note("a", 1, 60, 0);
  expect([conversations.channelOf("a", 59_999), conversations.channelOf("a", 60_000)]).toEqual([1, undefined]);
  conversations.note("b", 2, 60, 0);
  conversations.note("a", 3, 60, 0);
  conversations.note("c", 4, 60, 0);
  expect(["a", "b", "c"].map((key) => conversations.channelOf(key, 1))).toEqual([3, undefined, 4]);
});

test("alone nobody is asked or told", () => {
  const { cache, told } = sharing();
  const conversations = new Conversations({ ...cache, isShared: false });
  conversations.note("a", 1, 60, 0);
  expect([conversations.channelOf("b", 0), told]).toEqual([undefined, []]);
});

test("others are told of a new channel at once and of the same one only when half its time is over", () => {
  const { cache, told } = sharing();
  const conversations = new Conversations(cache);
  for (const nowMs of [1, 10_000, 29_000, 31_000, 40_000]) conversations.note("a", 1, 60, nowMs);
  expect(told).toEqual(["conversation:a=1", "conversation:a=1"]);
  conversations.note("a", 2, 60, 41_000);
  expect(told).toHaveLength(3);
});

test("what this process does not know is asked, and nonsense counts as nothing", async () => {
  const { cache, texts } = sharing();
  const conversations = new Conversations(cache);
  texts.set("conversation:a", "7").set("conversation:b", "none");
  expect(await Promise.all(["a", "b", "c"].map((key) => conversations.channelOf(key, 0)))).toEqual([
    7,
    undefined,
    undefined,
  ]);
});
