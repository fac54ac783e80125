/** The efforts that OpenAI's models accept, as its documentation lists them: any other is answered with a 400. */
import { expect, test } from "vitest";
import type { Effort } from "./neutral.ts";
import { takenEffort } from "./openai-models.ts";

const ALL: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** What is sent for each effort, and which of them are warned of. */
function sent(model: string, hasPlainEfforts = false): { efforts: (Effort | undefined)[]; warned: Effort[] } {
  const warned: Effort[] = [];
  const efforts = ALL.map((effort) => takenEffort(effort, { model, hasPlainEfforts }, () => warned.push(effort)));
  return { efforts, warned };
}

test.each([
  // developers.openai.com/api/reference/resources/chat, reasoning_effort: before gpt-5.1 no model knows none
  ["gpt-5", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
  ["gpt-5-mini-2025-08-07", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
  ["openai/gpt-5-nano", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
  ["o3", ["low", "low", "low", "medium", "high", "high", "high"]],
  ["o4-mini-2025-04-16", ["low", "low", "low", "medium", "high", "high", "high"]],
  // "defaults to (and only supports) high"
  ["gpt-5-pro", ["high", "high", "high", "high", "high", "high", "high"]],
  // gpt-5.1 has none and has no minimal; xhigh comes with gpt-5.1-codex-max and all that follow it
  ["gpt-5.1", ["none", "low", "low", "medium", "high", "high", "high"]],
  ["gpt-5.1-2025-11-13", ["none", "low", "low", "medium", "high", "high", "high"]],
  ["gpt-5.2", ["none", "low", "low", "medium", "high", "xhigh", "xhigh"]],
  ["gpt-5.4-mini", ["none", "low", "low", "medium", "high", "xhigh", "xhigh"]],
  ["gpt-5.2-pro", ["medium", "medium", "medium", "medium", "high", "xhigh", "xhigh"]],
  // developers.openai.com/api/docs/models/gpt-5.3-codex and its elder ones: they always reason
  ["gpt-5-codex", ["low", "low", "low", "medium", "high", "high", "high"]],
  ["gpt-5.1-codex-mini", ["low", "low", "low", "medium", "high", "high", "high"]],
  ["gpt-5.1-codex-max", ["low", "low", "low", "medium", "high", "xhigh", "xhigh"]],
  ["gpt-5.3-codex", ["low", "low", "low", "medium", "high", "xhigh", "xhigh"]],
  // developers.openai.com/api/docs/models/gpt-5.6-terra has max as well
  ["gpt-5.6-terra", ["none", "low", "low", "medium", "high", "xhigh", "max"]],
] as const)("%s is sent an effort it knows, never a lower one where there is a choice", (model, efforts) => {
  const { efforts: found, warned } = sent(model);
  expect(found).toEqual(efforts);
  // A client that asked for no thinking pays for some, so it is warned.
  expect(warned).toEqual(efforts[0] === "none" ? [] : ["none"]);
});

test("other vendors' models are sent what was asked for", () => {
  expect(sent("deepseek-reasoner")).toEqual({ efforts: [...ALL], warned: [] });
  expect(takenEffort(undefined, { model: "gpt-5" }, () => undefined)).toBeUndefined();
});

test("a model that is not known, at a server of any kind, is sent low, medium, high or nothing", () => {
  const efforts = [undefined, "low", "low", "medium", "high", "high", "high"];
  expect(sent("qwen3-8b", true)).toEqual({ efforts, warned: ["none"] });
  expect(sent("gpt-5.6-terra", true).efforts).toEqual(
    ALL.filter((effort) => effort !== "minimal").toSpliced(1, 0, "low"),
  );
});

test("a model that cannot reason is sent no effort, with a warning unless none was wanted", () => {
  const { efforts, warned } = sent("gpt-4o");
  expect(efforts).toEqual(ALL.map(() => undefined));
  expect(warned).toEqual(ALL.slice(1));
});
