/** iFlytek's Spark as the console and the relay list it: channel type 18 (xfyun.cn/doc/spark/Web.html; with an APIPassword xfyun.cn/doc/spark/HTTP调用文档.html). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 18,
  slug: "spark",
  name: "iFlytek Spark",
  defaultBaseUrl: "https://spark-api.xf-yun.com",
  keyHint: "APPID|APISecret|APIKey, or APIPassword",
  keyForms: [["APPID", "APISecret", "APIKey"], ["APIPassword"]],
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://spark-api.xf-yun.com" },
    {
      name: "other",
      label: "sparkVersion",
      isRequired: false,
      placeholder: "v2.1",
      pattern: String.raw`^(?:v\d+\.\d+|pro-128k|max-32k)$`,
    },
  ],
  // Three parts sign a WebSocket of the vendor's own format, a password has the compatible service (format.ts).
  dialects: ["vendor", "openai-chat"],
  models: [
    "SparkDesk",
    "SparkDesk-v1.1",
    "SparkDesk-v3.1",
    "SparkDesk-v3.5",
    "SparkDesk-v4.0",
    "lite",
    "generalv3",
    "pro-128k",
    "generalv3.5",
    "max-32k",
    "4.0Ultra",
    "x1",
  ],
  operations: ["chat"],
  supportsStreamUsage: false,
  mark: { glyph: "S", colour: "#1677e0" },
};
