/** Tests of the models, requests and prices of the studio. */
import { expect, test } from "vitest";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import {
  choicesOf,
  FIRST_OPTIONS,
  fittingOptions,
  priceOf,
  requestOf,
  type StudioModel,
  studioModels,
} from "./studio.ts";

const GROUPS = { default: { desc: "", ratio: 1 }, vip: { desc: "", ratio: 0.5 } };
const entry = (model_name: string, kind: PricingEntry["kind"], more: Partial<PricingEntry> = {}): PricingEntry =>
  ({
    model_name,
    kind,
    quota_type: 1,
    model_price: 0.04,
    model_ratio: 0,
    enable_groups: ["default"],
    has_price: true,
    ...more,
  }) as PricingEntry; // the fields that are read

const ENTRIES = [
  entry("gpt-4o", "chat"),
  entry("whisper-1", "audio"),
  entry("tts-1", "audio", { quota_type: 0, model_ratio: 7.5 }),
  entry("sora-2", "video", { model_price: 0.1 }),
  entry("mj_imagine", "image", { model_price: 0.1 }),
  entry("mj_upscale", "image"),
  entry("suno_music", "audio"),
  entry("suno_lyrics", "audio"),
  entry("dall-e-3", "image", { enable_groups: ["vip"] }),
  entry("gpt-image-1", "image", { quota_type: 0 }),
  entry("of-others", "image", { enable_groups: ["others"] }),
];
const MODELS = studioModels(ENTRIES, GROUPS, "default");
const model = (name: string): StudioModel => {
  const found = MODELS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} is not offered`);
  return found;
};
const wish = (name: string, prompt: string, more: Partial<typeof FIRST_OPTIONS> = {}) => ({
  prompt,
  options: fittingOptions(model(name), { ...FIRST_OPTIONS, ...more }),
});

test("models that draw, sing, speak or film in a group of the person are offered, and none that listens or only goes on", () => {
  expect(MODELS.map(({ name, kind, way, group }) => [name, kind, way, group])).toEqual([
    ["dall-e-3", "picture", "images", "vip"],
    ["gpt-image-1", "picture", "images", "default"],
    ["mj_imagine", "picture", "drawing", "default"],
    ["suno_music", "song", "song", "default"],
    ["tts-1", "speech", "speech", "default"],
    ["sora-2", "film", "film", "default"],
  ]);
});

test.each([
  ["dall-e-3", "a cat", { size: "1792x1024" }, { usd: 0.04, isExact: true }],
  ["mj_imagine", "a cat", {}, { usd: 0.1, isExact: true }],
  ["sora-2", "a cat", { seconds: 8 }, { usd: 0.8, isExact: false }],
  ["tts-1", "Good morning", {}, { usd: 0.00018, isExact: true }],
  ["gpt-image-1", "a cat", {}, undefined],
] as const)("%s: the price is known before it is sent, where it can be", (name, prompt, more, expected) => {
  const price = priceOf(model(name), wish(name, prompt, more));
  expect(price === undefined ? undefined : { ...price, usd: Number(price.usd.toFixed(8)) }).toEqual(expected);
});

test("each way is asked in its own form, in the group in which the model is", () => {
  expect(requestOf(model("dall-e-3"), wish("dall-e-3", "a cat"))).toEqual({
    path: "/pg/images/generations",
    body: { group: "vip", model: "dall-e-3", prompt: "a cat", n: 1, size: "1024x1024" },
  });
  expect(requestOf(model("mj_imagine"), wish("mj_imagine", "a cat", { size: "16:9" })).body).toEqual({
    group: "default",
    prompt: "a cat --ar 16:9",
  });
  expect(requestOf(model("suno_music"), wish("suno_music", "rain", { isLyrics: true, style: "folk" })).body).toEqual({
    group: "default",
    prompt: "rain",
    tags: "folk",
  });
  expect(requestOf(model("sora-2"), wish("sora-2", "a cat", { seconds: 12 })).body).toMatchObject({
    duration: 12,
    size: "1280x720",
  });
  expect(requestOf(model("tts-1"), wish("tts-1", "Hi")).body).toMatchObject({ input: "Hi", voice: "alloy" });
});

test("a choice that another model does not take becomes that model's first", () => {
  expect(fittingOptions(model("sora-2"), { ...FIRST_OPTIONS, size: "16:9", seconds: 5, count: 4 })).toMatchObject({
    size: "1280x720",
    seconds: 4,
    count: 1,
  });
  expect(choicesOf(model("dall-e-3")).counts).toEqual([]);
});
