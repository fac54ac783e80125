/** Editors and their extensions: the fields of their own settings, or their configuration files, as their vendors document them. Pure. */
import { type Connection, type Field, type Program, atHome, json, versioned } from "./program.ts";
import { yamlString } from "./quoting.ts";

/** Said where a form asks for it; people change it to what their model has. */
const CONTEXT_TOKENS = 128_000;

const openAiFields = (address: string, key: string, model: string): readonly Field[] => [
  { name: address, value: versioned },
  { name: key, value: (connection) => connection.key, isSecret: true },
  { name: model, value: (connection) => connection.model },
];

const zedSettings = (connection: Connection): string =>
  json({
    language_models: {
      openai_compatible: {
        Turnpike: {
          api_url: versioned(connection),
          available_models: [{ name: connection.model, display_name: connection.model, max_tokens: CONTEXT_TOKENS }],
        },
      },
    },
  });

const continueConfig = (connection: Connection): string =>
  [
    "name: Turnpike",
    "version: 1.0.0",
    "schema: v1",
    "models:",
    `  - name: ${yamlString(connection.model)}`,
    "    provider: openai",
    `    model: ${yamlString(connection.model)}`,
    `    apiBase: ${yamlString(versioned(connection))}`,
    `    apiKey: ${yamlString(connection.key)}`,
    // Else models named gpt-5 and o1 are asked for as Responses, and all others as chat.
    "    useResponsesApi: false",
    "    roles: [chat, edit, apply]",
  ].join("\n");

export const EDITORS: readonly Program[] = [
  {
    id: "cursor",
    title: "Cursor",
    kind: "editor",
    family: "chat",
    page: "https://cursor.com/docs/settings/api-keys",
    // Names that begin with claude- or gemini- go to the keys of those vendors there, past the other address.
    prefers: /^(?:gpt|o\d)/i,
    fields: openAiFields("Override OpenAI Base URL", "OpenAI API Key", "Add Custom Model"),
    needsPublicAddress: true,
  },
  {
    id: "cline",
    title: "Cline",
    kind: "editor",
    family: "chat",
    page: "https://docs.cline.bot/provider-config/openai-compatible",
    fields: [
      { name: "API Provider", value: () => "OpenAI Compatible" },
      ...openAiFields("Base URL", "OpenAI Compatible API Key", "Model ID"),
    ],
    userAgent: /^Cline\//i,
  },
  {
    id: "roo-code",
    title: "Roo Code",
    kind: "editor",
    family: "chat",
    page: "https://docs.roocode.com/providers/openai-compatible",
    fields: [
      { name: "API Provider", value: () => "OpenAI Compatible" },
      ...openAiFields("Base URL", "API Key", "Model"),
    ],
    userAgent: /^RooCode\//i,
  },
  {
    id: "zed",
    title: "Zed",
    kind: "editor",
    family: "chat",
    page: "https://zed.dev/docs/ai/llm-providers",
    files: [
      {
        paths: {
          unix: "~/.config/zed/settings.json",
          windows: "%APPDATA%\\Zed\\settings.json",
        },
        content: zedSettings,
      },
    ],
    environment: ({ key }) => [["TURNPIKE_API_KEY", key]],
    run: () => "zed",
    userAgent: /^Zed\//i,
  },
  {
    id: "continue",
    title: "Continue",
    kind: "editor",
    family: "chat",
    page: "https://docs.continue.dev/customize/model-providers/top-level/openai",
    files: [{ paths: atHome(".continue/config.yaml"), content: continueConfig }],
  },
];
