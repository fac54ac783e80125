/** Chat programs and CC Switch: what is typed into each, and its import link where it has one. Pure. */
import { type Connection, type Program, inProject, versioned } from "./program.ts";
import { yamlString } from "./quoting.ts";

const key = (name: string) => ({ name, value: (connection: Connection) => connection.key, isSecret: true });
const origin = (name: string) => ({ name, value: (connection: Connection) => connection.origin });
const withVersion = (name: string) => ({ name, value: versioned });
const model = (name: string) => ({ name, value: (connection: Connection) => connection.model });

const base64Of = (value: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));

/**
 * Taken by providersImport.ts of github.com/CherryHQ/cherry-studio, which reads base64 of the usual alphabet, percent-encoded, and shows what it got
 * before it keeps it.
 */
const cherryLink = (connection: Connection): string => {
  const data = { id: "new-api", baseUrl: connection.origin, apiKey: connection.key };
  return `cherrystudio://providers/api-keys?v=1&data=${encodeURIComponent(base64Of(data))}`;
};

/**
 * src-tauri/src/deeplink/provider.rs of github.com/farion1231/cc-switch. Its field `configUrl` is read and not fetched yet, so the key
 * has to be in the link.
 */
const switchLink =
  (app: string, endpointOf: (connection: Connection) => string) =>
  (connection: Connection): string => {
    const host = URL.parse(connection.origin)?.host ?? connection.origin;
    const fields = {
      resource: "provider",
      app,
      name: host,
      endpoint: endpointOf(connection),
      apiKey: connection.key,
      homepage: connection.origin,
      model: connection.model,
      enabled: "true",
    };
    const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `ccswitch://v1/import?${query.join("&")}`;
  };

const nextChatLink = (connection: Connection): string =>
  `https://app.nextchat.dev/#/?settings=${encodeURIComponent(JSON.stringify({ key: connection.key, url: connection.origin }))}`;

/** https://lobehub.com/docs/self-hosting/advanced/settings-url-share */
const lobeLink = (connection: Connection): string => {
  const openai = { apiKey: connection.key, baseURL: versioned(connection) };
  const settings = { keyVaults: { openai } };
  return `https://lobehub.com/?settings=${encodeURIComponent(JSON.stringify(settings))}`;
};

/** Name of the variable that LibreChat reads the key from: its documentation keeps keys out of librechat.yaml. */
const LIBRECHAT_KEY = "TURNPIKE_API_KEY";

const libreChatConfig = (connection: Connection): string =>
  [
    "version: 1.2.1",
    "endpoints:",
    "  custom:",
    '    - name: "Turnpike"',
    `      apiKey: "\${${LIBRECHAT_KEY}}"`,
    `      baseURL: ${yamlString(versioned(connection))}`,
    "      models:",
    `        default: [${yamlString(connection.model)}]`,
    "        fetch: true",
    "      titleConvo: true",
    '      titleModel: "current_model"',
  ].join("\n");

export const CHAT_PROGRAMS: readonly Program[] = [
  {
    id: "cherry-studio",
    title: "Cherry Studio",
    kind: "chat",
    family: "chat",
    page: "https://docs.cherry-ai.com/docs/en-us/pre-basic/providers/newapi",
    fields: [origin("API Host"), key("API Key"), model("Model ID")],
    links: [{ title: "Cherry Studio", link: cherryLink }],
    userAgent: /CherryStudio\//i,
  },
  {
    id: "cc-switch",
    title: "CC Switch",
    kind: "chat",
    family: "messages",
    page: "https://github.com/farion1231/cc-switch",
    links: [
      { title: "Claude Code", link: switchLink("claude", (connection) => connection.origin) },
      { title: "Codex", link: switchLink("codex", versioned) },
      { title: "Gemini CLI", link: switchLink("gemini", (connection) => connection.origin) },
    ],
  },
  {
    id: "lobehub",
    title: "LobeHub",
    kind: "chat",
    family: "chat",
    page: "https://lobehub.com/docs/self-hosting/advanced/settings-url-share",
    fields: [withVersion("API Proxy URL"), key("API Key"), model("Model List")],
    links: [{ title: "LobeHub", link: lobeLink }],
  },
  {
    id: "nextchat",
    title: "NextChat",
    kind: "chat",
    family: "chat",
    page: "https://github.com/ChatGPTNextWeb/NextChat",
    fields: [origin("OpenAI Endpoint"), key("OpenAI API Key"), model("Custom Models")],
    links: [{ title: "NextChat", link: nextChatLink }],
  },
  {
    id: "open-webui",
    title: "Open WebUI",
    kind: "chat",
    family: "chat",
    page: "https://docs.openwebui.com/getting-started/quick-start/connect-a-provider/starting-with-openai-compatible/",
    fields: [withVersion("URL"), key("API Key"), model("Model IDs (Filter)")],
  },
  {
    id: "librechat",
    title: "LibreChat",
    kind: "chat",
    family: "chat",
    page: "https://www.librechat.ai/docs/quick_start/custom_endpoints",
    files: [{ paths: inProject("librechat.yaml"), content: libreChatConfig }],
    // Lines of its file .env, which librechat.yaml names.
    environment: ({ key: value }) => [[LIBRECHAT_KEY, value]],
  },
  {
    id: "dify",
    title: "Dify",
    kind: "chat",
    family: "chat",
    // Its labels: models/openai_api_compatible/provider/openai_api_compatible.yaml of github.com/langgenius/dify-official-plugins
    page: "https://marketplace.dify.ai/plugins/langgenius/openai_api_compatible",
    embeds: true,
    fields: [
      { name: "Model Provider", value: () => "OpenAI-API-compatible" },
      model("Model Name"),
      key("API Key"),
      withVersion("API Base URL"),
    ],
    needsPublicAddress: true,
  },
];
