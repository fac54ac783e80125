/** Chat programs and CC Switch: what is typed into each, and its import link where it has one. Pure. */
import { type Connection, type Program, versioned } from "./program.ts";

const key = (name: string) => ({ name, value: (connection: Connection) => connection.key, isSecret: true });
const origin = (name: string) => ({ name, value: (connection: Connection) => connection.origin });
const withVersion = (name: string) => ({ name, value: versioned });
const model = (name: string) => ({ name, value: (connection: Connection) => connection.model });

const base64Of = (value: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));

/** src/renderer/src/pages/settings/ProviderSettings of github.com/CherryHQ/cherry-studio takes id, baseUrl and apiKey. */
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

const lobeLink = (connection: Connection): string => {
  const openai = { apiKey: connection.key, baseURL: versioned(connection) };
  const settings = { keyVaults: { openai } };
  return `https://chat-preview.lobehub.com/?settings=${encodeURIComponent(JSON.stringify(settings))}`;
};

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
    page: "https://lobehub.com/docs/self-hosting/environment-variables/model-provider",
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
    page: "https://docs.openwebui.com/getting-started/quick-start/starting-with-openai-compatible",
    fields: [withVersion("URL"), key("Key"), model("Model IDs")],
  },
];
