/** Vidu: channel type 52, videos alone (platform.vidu.com/docs). */
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel } from "./provider.ts";

export const vidu = defineProvider({
  id: 52,
  slug: "vidu",
  name: "Vidu",
  defaultBaseUrl: "https://api.vidu.cn",
  keyHint: "vda_...",
  models: ["viduq3-pro", "viduq3-turbo", "viduq2-pro", "viduq2-turbo", "viduq2", "viduq1", "vidu2.0"],
  operations: ["videos"],
  canTest: false,
  mark: { glyph: "V", colour: "#7c3aed" },
  endpoint: ({ baseUrl, key }: ProviderChannel, { path }: ProviderCall) => ({
    url: baseUrl.replace(/\/+$/, "") + path,
    headers: ["authorization", `Token ${key}`],
  }),
});
