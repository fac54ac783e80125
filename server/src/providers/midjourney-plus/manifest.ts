/** Midjourney proxy plus as the console lists it: channel type 5, a server that operators run themselves (github.com/novicezk/midjourney-proxy). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 5,
  slug: "midjourney-plus",
  name: "Midjourney proxy plus",
  defaultBaseUrl: "",
  keyHint: "mj-api-secret",
  models: [
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
  ],
  operations: [],
  canTest: false,
  notice: "notRelayed",
  mark: { glyph: "M+", colour: "#374151" },
};
