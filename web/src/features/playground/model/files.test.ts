/** Files of text are distinguished from others, stand whole in the prompt, and count in its price. */
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { beginConversation, said } from "./conversation.ts";
import { inputEstimate, isText, withFiles } from "./files.ts";

test.each([
  ["notes.md", "", true],
  ["data.csv", "text/csv", true],
  ["main.RS", "", true],
  ["a.svg", "image/svg+xml", false],
  ["a.pdf", "application/pdf", false],
  ["a.ts", "video/mp2t", true],
  ["binary", "application/octet-stream", false],
])("%s of the type '%s' is text: %s", (name, type, expected) => expect(isText({ name, type })).toBe(expected));

test("a file stands behind the prompt under its name, fenced by more ticks than it has itself", () => {
  expect(withFiles("Look.", [{ name: "a.md", text: "```js\n1\n```\n" }])).toBe(
    "Look.\n\na.md\n````\n```js\n1\n```\n````",
  );
  expect(withFiles("", [{ name: "a", text: "x" }])).toBe("a\n```\nx\n```");
  expect(withFiles("Only words", [])).toBe("Only words");
});

test("the estimate counts what was said before, the system prompt and the files, for each model", () => {
  const begun = beginConversation("a", { userId: 1, group: "default", model: "m", system: "s".repeat(100) });
  const [lane] = begun.lanes;
  if (lane === undefined) throw new Error("a conversation has a lane");
  const talked = { ...lane, messages: [said("u", "user", "x".repeat(200), 1)] };
  const conversation = { ...begun, lanes: [talked, { ...lane, id: "other" }] };
  const entry = { quota_type: 0, model_ratio: 1, completion_ratio: 0, has_price: true } as PricingEntry; // the fields that are read
  const priced = [1, 2].map((groupRatio) => ({ entry, groupRatio, maxTokens: undefined }));
  // (400 + 2 x 200 characters) / 4 x $2 / 1M
  expect(inputEstimate(conversation, "y".repeat(100), priced)).toEqual({
    tokens: 150,
    usd: expect.closeTo(0.0004, 8),
    isWhole: true,
  });
});
