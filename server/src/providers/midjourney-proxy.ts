/** What the two kinds of Midjourney proxy share: servers that operators run themselves (github.com/novicezk/midjourney-proxy). */
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
];

type Own = Pick<ProviderDeclaration, "id" | "slug" | "name" | "mark">;

/** The manifest of one kind. */
export const midjourneyProxy = (own: Own): ProviderDeclaration => ({
  ...own,
  defaultBaseUrl: "",
  keyHint: "mj-api-secret",
  models: MODELS,
  operations: ["drawings"],
  keyHeader: "mj-api-secret",
  canTest: false,
});
