/** Tests of what a share link shows: shown versions alone, nothing of costs or failures, pictures within the bound, and the way back into a chat. */
import { expect, test } from "vitest";
import { CHAT_SHARE_BYTES_MAX, sharedChat } from "../../../../../contract/src/features/playground.ts";
import { beginConversation, type Conversation, type Message, said } from "./conversation.ts";
import { conversationOf, modelsIn, snapshotOf } from "./share-snapshot.ts";

const BEGUN = beginConversation("c", { userId: 7, group: "vip", model: "gpt-4o", system: "Be brief." });
const withMessages = (...messages: Message[]): Conversation => ({
  ...BEGUN,
  lanes: BEGUN.lanes.map((lane) => ({ ...lane, messages })),
});
const answer: Message = {
  ...said("2", "assistant", "<think>Hm.</think>Yes\0.", 2),
  model: "gpt-4o",
  figures: { requestId: "req-1", quota: 5 },
  versions: { at: 1, others: [[said("x", "assistant", "An earlier answer", 1)]] },
};
const failed: Message = {
  ...said("4", "assistant", "", 4),
  status: "error",
  failure: { message: "balance 5", code: "x", status: 403 },
};

test("shows the versions that are shown, thoughts apart, and neither ids, costs, failures nor the system prompt", () => {
  const { chat, title } = snapshotOf(withMessages(said("1", "user", "Is it?", 1), answer, failed), false);
  expect(chat).toEqual({
    lanes: [
      {
        model: "gpt-4o",
        messages: [
          { role: "user", content: "Is it?" },
          { role: "assistant", content: "Yes.", reasoning: "Hm.", model: "gpt-4o" },
        ],
      },
    ],
  });
  expect(title).toBe("Is it?");
  expect(sharedChat.parse(chat)).toEqual(chat);
  expect(snapshotOf(withMessages(answer), true).chat.system).toBe("Be brief.");
});

test("takes pictures in their order for as long as the bound has room, and counts the others", () => {
  const url = (bytes: number) => `data:image/png;base64,${"A".repeat(bytes)}`;
  const large = url(CHAT_SHARE_BYTES_MAX - 400);
  const message = { ...said("1", "user", "See", 1), images: [large, url(4000), url(40)] };
  const { chat, pictures, leftOut, isTooLong } = snapshotOf(withMessages(message), false);
  expect([pictures, leftOut, isTooLong]).toEqual([2, 1, false]);
  expect(new TextEncoder().encode(JSON.stringify(chat)).length).toBeLessThanOrEqual(CHAT_SHARE_BYTES_MAX);
  const long = said("1", "user", "x".repeat(CHAT_SHARE_BYTES_MAX), 1);
  expect(snapshotOf(withMessages(long), false).isTooLong).toBe(true);
});

test("becomes a conversation of the reader, with ids of its own", () => {
  const { chat, title } = snapshotOf(withMessages(said("1", "user", "Is it?", 1), answer), false);
  const copy = conversationOf({ title, chat }, 9, 5000);
  expect(copy).toMatchObject({ userId: 9, system: "", name: "Is it?", updatedAt: 5000 });
  expect(copy.lanes[0]?.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "Is it?"],
    ["assistant", "Yes."],
  ]);
  expect(copy.id).not.toBe("c");
  expect(modelsIn(chat)).toEqual(["gpt-4o"]);
});
