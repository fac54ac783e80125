/** Midjourney proxy plus as the console lists it: channel type 5 (providers/midjourney-proxy.ts). */
import { midjourneyProxy } from "../midjourney-proxy.ts";
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = midjourneyProxy({
  id: 5,
  slug: "midjourney-plus",
  name: "Midjourney proxy plus",
  mark: { glyph: "M+", colour: "#374151" },
});
