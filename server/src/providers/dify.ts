/** Dify as the console and the relay list it: channel type 37, one app a channel (docs.dify.ai/api-reference). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 37,
  slug: "dify",
  name: "Dify",
  defaultBaseUrl: "https://api.dify.ai",
  dialects: ["vendor"],
  keyHint: "app-...",
  models: [],
  operations: ["chat"],
  notice: "dify",
  fields: [
    { name: "base_url", label: "baseUrl", isRequired: false, placeholder: "https://api.dify.ai" },
    {
      name: "other",
      label: "appKind",
      isRequired: true,
      choices: [
        { value: "chat", label: "appChat" },
        { value: "completion", label: "appCompletion" },
        { value: "workflow", label: "appWorkflow" },
      ],
    },
  ],
  mark: { glyph: "D", colour: "#155eef" },
};
