/** Midjourney proxy as the console lists it: channel type 2 (providers/midjourney-proxy.ts). */
import { midjourneyProxy } from "../midjourney-proxy.ts";
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = midjourneyProxy({
  id: 2,
  slug: "midjourney",
  name: "Midjourney proxy",
  mark: { glyph: "M", colour: "#1f2937" },
});
