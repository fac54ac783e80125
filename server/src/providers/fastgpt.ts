/** FastGPT as the console and the relay list it: channel type 22, one app a key (doc.fastgpt.io/docs/development/openapi/chat). */
import type { ProviderDeclaration } from "../provider.ts";

const SET_IN_THE_APP = "it is set in the FastGPT app, which passes over it";

export const manifest: ProviderDeclaration = {
  id: 22,
  slug: "fastgpt",
  name: "FastGPT",
  defaultBaseUrl: "https://api.fastgpt.in/api",
  keyHint: "fastgpt-...",
  models: [],
  operations: ["chat"],
  supportsStreamUsage: false,
  hasPlaceholderUsage: true,
  notice: "fastgpt",
  fields: [{ name: "base_url", label: "privateUrl", isRequired: false, placeholder: "https://api.fastgpt.in/api" }],
  refusedFields: {
    temperature: SET_IN_THE_APP,
    top_p: SET_IN_THE_APP,
    max_tokens: SET_IN_THE_APP,
    max_completion_tokens: SET_IN_THE_APP,
    tools: "the app has tools of its own",
    tool_choice: "the app has tools of its own",
  },
  mark: { glyph: "F", colour: "#3370ff" },
};
