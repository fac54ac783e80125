/** Tests of the output of an answer that did not come to its end. */
import { expect, test } from "vitest";
import { PartialOutput } from "./partial-output.ts";

const message = (status: string, content: object[] = []) => ({ id: "msg_1", type: "message", status, content });

test("items that ended are there as they ended, one under way with the words so far", () => {
  const output = new PartialOutput();
  const reasoning = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
  const events = [
    { type: "response.output_item.added", output_index: 0, item: { ...reasoning, summary: [] } },
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    { type: "response.output_item.added", output_index: 1, item: message("in_progress") },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "One " },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "two" },
    { type: "response.refusal.delta", output_index: 1, content_index: 1, delta: "no" },
  ];
  const grown = events.map((event) => output.take(event));
  expect(grown.every((size) => size > 0)).toBe(true);
  expect(output.items).toEqual([
    reasoning,
    message("incomplete", [
      { type: "output_text", annotations: [], logprobs: [], text: "One two" },
      { type: "refusal", refusal: "no" },
    ]),
  ]);
});

test("places that no vendor has, and events without one, change nothing", () => {
  const output = new PartialOutput();
  for (const output_index of [-1, 1e9, "0", 0.5, undefined])
    expect(output.take({ type: "response.output_item.added", output_index, item: {} })).toBe(0);
  expect(output.take({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "x" })).toBe(0);
  expect(output.items).toEqual([]);
});
