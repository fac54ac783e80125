/** Tests of the playground's choices: the own group first, a placeholder where there is none, models that can chat. */
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { groupChoices, modelIn, modelsOf, readsImages } from "./choices.ts";

const entry = (model_name: string, kind: PricingEntry["kind"], enable_groups: string[]) =>
  ({ model_name, kind, enable_groups }) as PricingEntry;
const ENTRIES = [
  entry("o4-mini", "chat", ["default", "vip"]),
  entry("gpt-4o-mini", "chat", ["vip"]),
  entry("text-embedding-3-small", "embeddings", ["vip"]),
];

test("the own group is first, and a placeholder of ratio 1 stands where there are none", () => {
  const groups = { default: { desc: "Everyone", ratio: 1 }, vip: { desc: "Few", ratio: 0.5 } };
  expect(groupChoices(groups, "vip").map(({ name, ratio }) => [name, ratio])).toEqual([
    ["vip", 0.5],
    ["default", 1],
  ]);
  expect(groupChoices({}, "")).toEqual([{ name: "default", description: "", ratio: 1 }]);
});

test("models of the group that chat; the default one unless another is wanted and offered", () => {
  expect(modelsOf(ENTRIES, "vip").map(({ model_name }) => model_name)).toEqual(["gpt-4o-mini", "o4-mini"]);
  expect(modelsOf(ENTRIES, "auto")).toHaveLength(2);
  expect(modelIn(modelsOf(ENTRIES, "vip"), "o4-mini")).toBe("o4-mini");
  expect(modelIn(modelsOf(ENTRIES, "vip"), "gone")).toBe("gpt-4o-mini");
  expect(modelIn(modelsOf(ENTRIES, "default"), "")).toBe("o4-mini");
  expect(modelIn([], "gone")).toBe("");
});

test("pictures are refused only where the price list says that a model reads none", () => {
  expect(readsImages({ input_modalities: ["text", "audio"] })).toBe(false);
  expect(readsImages({ input_modalities: ["text", "image"] })).toBe(true);
  expect(readsImages({})).toBe(true);
  expect(readsImages(undefined)).toBe(true);
});
