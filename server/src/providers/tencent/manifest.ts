/** Tencent's Hunyuan as the console and the relay list it: channel type 23 (cloud.tencent.com/document/product/1729/104753, /105701, /111007). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 23,
  slug: "tencent",
  name: "Tencent Hunyuan",
  defaultBaseUrl: "https://hunyuan.tencentcloudapi.com",
  keyHint: "AppId|SecretId|SecretKey, or sk-...",
  keyForms: [["AppId", "SecretId", "SecretKey"], ["APIKey"]],
  // A pair of secrets signs requests of the vendor's own format, an API key has the compatible service (dialects-of.ts).
  dialects: ["vendor", "openai-chat"],
  operations: ["chat", "embeddings", "images"],
  mark: { glyph: "H", colour: "#0055e9" },
};
