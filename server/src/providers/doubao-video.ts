/** Films of Doubao (Seedance) by Volcengine's Ark alone: channel type 54 (volcengine.com/docs/82379/1520757). */
import { defineProvider } from "./define.ts";

export const doubaoVideo = defineProvider({
  id: 54,
  slug: "doubao-video",
  name: "Doubao video",
  defaultBaseUrl: "https://ark.cn-beijing.volces.com",
  apiRoot: "/api/v3",
  models: [
    "doubao-seedance-2-5-260628",
    "doubao-seedance-2-0-260128",
    "doubao-seedance-2-0-fast-260128",
    "doubao-seedance-2-0-mini-260615",
    "doubao-seedance-1-5-pro-251215",
    "doubao-seedance-1-0-pro-250528",
    "doubao-seedance-1-0-pro-fast-251015",
    "doubao-seedance-1-0-lite-t2v-250428",
    "doubao-seedance-1-0-lite-i2v-250428",
  ],
  operations: ["videos"],
  canTest: false,
  mark: { glyph: "豆", colour: "#3b82f6" },
});
