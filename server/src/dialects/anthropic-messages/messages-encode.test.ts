/** Blocks that the vendor wrote itself, in conversations that continue with another vendor. */
import { expect, test } from "vitest";
import type { JsonObject } from "../neutral/neutral.ts";
import { decodeRequest } from "./request-decode.ts";

const said = (block: JsonObject) =>
  decodeRequest({
    model: "m",
    max_tokens: 5,
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [block] },
    ],
  });

test("the summary of a compaction is sent as text, since its client may have dropped what it summarises", () => {
  const { messages, unknownFields } = said({ type: "compaction", content: "We spoke of cats." });
  expect(messages[1]?.parts).toEqual([{ kind: "text", text: "We spoke of cats." }]);
  expect(unknownFields).toEqual([]);
});

test.each([
  { type: "compaction", content: null, encrypted_content: "x" },
  { type: "mcp_tool_listing", server_name: "s", tools: [] },
  { type: "advisor_tool_result", tool_use_id: "a", content: {} },
])("what only the vendor can read is dropped with a warning: $type", (block) => {
  expect(said(block).unknownFields).toEqual(["messages[1].content[0]"]);
});
