/** Midjourney proxies of two kinds, servers that operators run themselves: channel types 2 and 5 (github.com/novicezk/midjourney-proxy). */
import { defineProvider } from "./define.ts";
import type { ProviderDeclaration } from "./provider.ts";

/** A name for each action, by which it is priced. */
const MODELS: readonly string[] = [
  "mj_imagine",
  "mj_describe",
  "mj_blend",
  "mj_upscale",
  "mj_variation",
  "mj_reroll",
  "mj_modal",
  "mj_inpaint",
  "mj_zoom",
  "mj_custom_zoom",
  "mj_shorten",
  "mj_high_variation",
  "mj_low_variation",
  "mj_pan",
  "swap_face",
  "mj_upload",
  "mj_video",
  "mj_edits",
];

/** What both kinds have in common. */
const COMMON = {
  defaultBaseUrl: "",
  keyHint: "mj-api-secret",
  models: MODELS,
  operations: ["drawings"],
  keyHeader: "mj-api-secret",
  canTest: false,
} as const satisfies Partial<ProviderDeclaration>;

export const midjourney = defineProvider({
  id: 2,
  slug: "midjourney",
  name: "Midjourney proxy",
  mark: { glyph: "M", colour: "#1f2937" },
  ...COMMON,
});

export const midjourneyPlus = defineProvider({
  id: 5,
  slug: "midjourney-plus",
  name: "Midjourney proxy plus",
  mark: { glyph: "M+", colour: "#374151" },
  ...COMMON,
});
