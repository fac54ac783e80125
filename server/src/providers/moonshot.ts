/** Moonshot's Kimi as the console and the relay list it: channel type 25 (platform.kimi.com/docs/models; abroad api.moonshot.ai). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 25,
  slug: "moonshot",
  name: "Moonshot (Kimi)",
  defaultBaseUrl: "https://api.moonshot.cn",
  models: [
    "kimi-k3.1-pro",
    "kimi-k3.1-pro-highspeed",
    "kimi-k3",
    "kimi-k2.7-code",
    "kimi-k2.7-code-highspeed",
    "kimi-k2.6",
    "moonshot-v1-8k",
    "moonshot-v1-32k",
    "moonshot-v1-128k",
  ],
  operations: ["chat", "models"],
  mark: { glyph: "K", colour: "#5a6475" },
};
