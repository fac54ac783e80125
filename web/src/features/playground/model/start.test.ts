/** Promises of a chat's start: a prompt in the console's language, and in every case what to do next: another group, or what stands in. */
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { beginConversation } from "./conversation.ts";
import { defaultSystem, hasForeignDefault, startOf } from "./start.ts";

const entry = (model_name: string, kind: PricingEntry["kind"], enable_groups: string[]) =>
  ({ model_name, kind, enable_groups }) as PricingEntry;
const entries = [
  entry("gpt-4o", "chat", ["default", "vip"]),
  entry("o4-mini", "chat", ["vip", "hidden"]),
  entry("dall-e-3", "image", ["default", "drawing"]),
];
const groups = ["default", "vip", "drawing", "auto"].map((name) => ({ name, description: "", ratio: 1 }));
const begin = (group: string, model: string, wanted: string) => startOf({ entries, groups }, { group, model }, wanted);

test("the model that was asked for answers, or any where none was", () => {
  expect(begin("default", "gpt-4o", "gpt-4o")).toEqual({ state: "ready" });
  expect(begin("default", "gpt-4o", "")).toEqual({ state: "ready" });
});

test("a model of another kind, one of another group and one that is gone are said, with the group that has it", () => {
  const standIn = { state: "standIn", kind: undefined, group: undefined };
  expect(begin("default", "gpt-4o", "dall-e-3")).toEqual({ ...standIn, wanted: "dall-e-3", kind: "image" });
  expect(begin("default", "gpt-4o", "o4-mini")).toEqual({ ...standIn, wanted: "o4-mini", group: "vip" });
  expect(begin("default", "gpt-4o", "gone")).toEqual({ ...standIn, wanted: "gone" });
});

test("a group without a model that chats leads to those of the person's own groups that have one", () => {
  expect(begin("drawing", "", "dall-e-3")).toEqual({ state: "none", groups: ["default", "vip"] });
  expect(startOf({ entries: [], groups }, { group: "default", model: "" }, "")).toEqual({ state: "none", groups: [] });
});

test("the system prompt is of the console's language, and follows it until something is said", () => {
  const chat = (system: string) => beginConversation("a", { userId: 1, group: "", model: "", system });
  expect(defaultSystem("en")).toMatch(/^You are a helpful assistant/);
  expect(defaultSystem("zh")).toMatch(/^\p{Script=Han}+/u);
  expect(hasForeignDefault(chat(defaultSystem("en")), "zh")).toBe(true);
  expect(hasForeignDefault(chat(defaultSystem("zh")), "zh")).toBe(false);
  expect(hasForeignDefault(chat("Be brief."), "zh")).toBe(false);
  const [lane] = chat("").lanes;
  const message = { id: "1", role: "user", content: "Hi", createAt: 1, status: "complete" } as const;
  const begun = {
    ...chat(defaultSystem("en")),
    lanes: [{ id: "1", group: "", model: "", ...lane, messages: [message] }],
  };
  expect(hasForeignDefault(begun, "zh")).toBe(false);
});
