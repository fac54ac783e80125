/** Tests of sticky conversations: forgotten after their time and beyond the bound, and shared with other processes by the cache. */
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
const of = (channelId: number, keyId = 0) => ({ channelId, keyId });
const alone = { ...sharing().cache, isShared: false };

test("is known for its time, and the ones used least lately go first beyond the bound", () => {
  const conversations = new Conversations(alone, 2);
  conversations.note("a", of(1), 60, 0);
  expect([conversations.holderOf("a", 59_999), conversations.holderOf("a", 60_000)]).toMatchObject([of(1), undefined]);
  conversations.note("b", of(2), 60, 0);
  conversations.note("a", of(3), 60, 0);
  conversations.note("c", of(4), 60, 0);
  expect(["a", "b", "c"].map((key) => conversations.holderOf(key, 1))).toMatchObject([of(3), undefined, of(4)]);
});

test("alone no other process is asked or written to", () => {
  const { cache, told } = sharing();
  const conversations = new Conversations({ ...cache, isShared: false });
  conversations.note("a", of(1), 60, 0);
  expect([conversations.holderOf("b", 0), told]).toEqual([undefined, []]);
});

test("a new channel is shared at once and the same one only when half its time is over", () => {
  const { cache, told } = sharing();
  const conversations = new Conversations(cache);
  for (const nowMs of [1, 10_000, 29_000, 31_000, 40_000]) conversations.note("a", of(1), 60, nowMs);
  expect(told).toEqual(["conversation:a=1", "conversation:a=1"]);
  conversations.note("a", of(2), 60, 41_000);
  expect(told).toHaveLength(3);
  conversations.note("a", of(2, 8), 60, 42_000);
  expect(told.at(-1)).toBe("conversation:a=2 8");
});

test("what this process does not know is asked, and nonsense counts as nothing", async () => {
  const { cache, texts } = sharing();
  const conversations = new Conversations(cache);
  for (const [key, text] of Object.entries({ a: "7", b: "7 3", d: "none", e: "7 x", f: "7 3 1", g: "0" }))
    texts.set(`conversation:${key}`, text);
  expect(await Promise.all([..."abcdefg"].map((key) => conversations.holderOf(key, 0)))).toEqual([
    of(7),
    of(7, 3),
    ...Array.from({ length: 5 }),
  ]);
});
