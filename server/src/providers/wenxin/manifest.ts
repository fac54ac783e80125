/** Baidu's Wenxin Workshop (version 1 of Qianfan's API) as the console and the relay list it: channel type 15 (cloud.baidu.com/doc/WENXINWORKSHOP/s/xlmokikxe). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 15,
  slug: "wenxin",
  name: "Baidu Wenxin (v1)",
  defaultBaseUrl: "https://aip.baidubce.com",
  keyHint: "API_KEY|SECRET_KEY",
  keyForms: [["API_KEY", "SECRET_KEY"]],
  // A token in exchange for the key goes in the address (before-send.ts).
  keyHeader: "",
  dialects: ["vendor"],
  models: [
    "ERNIE-4.0-8K",
    "ERNIE-4.0-Turbo-8K",
    "ERNIE-4.0-Turbo-128K",
    "ERNIE-3.5-8K",
    "ERNIE-3.5-128K",
    "ERNIE-Speed-Pro-128K",
    "ERNIE-Speed-8K",
    "ERNIE-Speed-128K",
    "ERNIE-Lite-8K",
    "ERNIE-Lite-Pro-128K",
    "ERNIE-Tiny-8K",
    "ERNIE-Character-8K",
    "ERNIE-Functions-8K",
    "Embedding-V1",
    "bge-large-zh",
    "bge-large-en",
    "tao-8k",
  ],
  operations: ["chat", "embeddings"],
  mark: { glyph: "W", colour: "#2932e1" },
};
