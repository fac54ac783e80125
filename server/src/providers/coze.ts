/** Coze as the console and the relay list it: channel type 49, one agent a channel (coze.cn/docs/developer_guides/chat_v3; abroad api.coze.com). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 49,
  slug: "coze",
  name: "Coze",
  defaultBaseUrl: "https://api.coze.cn",
  dialects: ["vendor"],
  keyHint: "pat_...",
  models: [],
  operations: ["chat"],
  paths: { chat: "/v3/chat" },
  notice: "coze",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.coze.cn" },
    { name: "other", label: "agentId", isRequired: true, pattern: "^\\d{1,32}$", placeholder: "7428000000000000000" },
  ],
  mark: { glyph: "C", colour: "#4d53e8" },
};
