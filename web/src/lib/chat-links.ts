/** Chat links of the settings: templates with words of this API family for address and key, filled for one token. Pure but for the server's address. */
import { serverAddress } from "./status.ts";

export interface ChatLink {
  name: string;
  template: string;
}

/** Name and link template of each chat application; in the settings, each map holds one name. */
export const chatLinks = (chats: readonly Record<string, string>[]): ChatLink[] =>
  chats.flatMap((chat) => Object.entries(chat).map(([name, template]) => ({ name, template })));

/**
 * The agents that CC Switch configures, with what stands behind the address for each (src-tauri/src/deeplink/parser.rs of
 * github.com/farion1231/cc-switch): Codex wants the address with its version.
 */
const CC_SWITCH_APPS = [
  ["Claude Code", "claude", ""],
  ["Codex", "codex", "%2Fv1"],
  ["Gemini CLI", "gemini", ""],
] as const;

/** An agent's import link of CC Switch, as a template. */
const ccSwitchTemplate = (app: string, suffix: string): string =>
  `ccswitch://v1/import?resource=provider&app=${app}&name={host}&endpoint={address}${suffix}` +
  "&apiKey={key}&homepage={address}&enabled=true";

const wordOf = (template: string): string => template.trim().toLowerCase();

/** Links as people choose among them: the word `ccswitch` is one for each agent that CC Switch knows. */
export const offeredLinks = (links: readonly ChatLink[]): ChatLink[] =>
  links.flatMap((link) =>
    wordOf(link.template) === "ccswitch"
      ? CC_SWITCH_APPS.map(([title, app, suffix]) => ({
          name: `${link.name} · ${title}`,
          template: ccSwitchTemplate(app, suffix),
        }))
      : [link],
  );

/** Whether a template is for the extension FluentRead, which takes its settings from the page. */
export const isForFluentRead = (template: string): boolean => wordOf(template).startsWith("fluent");

/** Words that stand for the whole settings of an app: JSON in base64, encoded for an address. */
const CONFIGS: Readonly<Record<string, (baseUrl: string, apiKey: string) => object>> = {
  "{cherryConfig}": (baseUrl, apiKey) => ({ id: "new-api", baseUrl, apiKey }),
  "{aionuiConfig}": (baseUrl, apiKey) => ({ platform: "new-api", baseUrl, apiKey }),
  "{deepchatConfig}": (baseUrl, apiKey) => ({ id: "new-api", baseUrl, apiKey }),
};

/** Whether following the template passes a key on. */
export const carriesKey = (template: string): boolean =>
  ["{key}", ...Object.keys(CONFIGS)].some((word) => template.includes(word)) ||
  ["ccswitch", "fluent"].some((word) => wordOf(template).startsWith(word));

const base64Of = (value: object): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));

/**
 * {address} becomes the encoded server address, {host} its host, {key} the token with its prefix, and the words of apps their settings.
 * `key` comes without `sk-`.
 */
function fillChatLink(template: string, key: string): string {
  const address = serverAddress();
  const filled = template
    .replaceAll("{address}", encodeURIComponent(address))
    .replaceAll("{host}", encodeURIComponent(URL.parse(address)?.host ?? address))
    .replaceAll("{key}", `sk-${key}`);
  return Object.entries(CONFIGS).reduce(
    (text, [word, config]) => text.replaceAll(word, encodeURIComponent(base64Of(config(address, `sk-${key}`)))),
    filled,
  );
}

/** Schemes that run code in the page instead of navigating. */
const RUNNING_SCHEMES = new Set(["javascript:", "data:", "vbscript:", "blob:"]);

/** The filled link, or undefined where the template does not give a permitted URL, because the settings are wrong. */
export function usableChatLink(template: string, key: string): string | undefined {
  const [first = { template }] = offeredLinks([{ name: "", template }]);
  const link = fillChatLink(first.template.trim(), key);
  const address = URL.parse(link);
  return address === null || RUNNING_SCHEMES.has(address.protocol) ? undefined : link;
}

/** The receiver of the data in a link: the host of a site, or the scheme of an app on this machine (`deskchat://`). */
export function receiverOf(link: string): string {
  const address = URL.parse(link);
  if (address === null) return "";
  return ["http:", "https:"].includes(address.protocol) ? address.host : `${address.protocol}//`;
}

/** The receiver of what a template passes on; "" where it leads nowhere. */
export const receiverOfTemplate = (template: string): string =>
  isForFluentRead(template) ? "FluentRead" : receiverOf(usableChatLink(template, "") ?? "");

/** What FluentRead puts into the page, and takes settings by (entrypoints/utils/newApi.ts of github.com/Bistutu/FluentRead). */
const FLUENT_READ = { element: "fluent-new-api-container", event: "fluent:prefill" };

/** Hands address and key to the extension FluentRead, which asks before it takes them. @returns false where the extension is not there */
export function sendToFluentRead(key: string, page: Pick<Document, "getElementById">): boolean {
  const container = page.getElementById(FLUENT_READ.element);
  if (container === null) return false;
  const detail = { id: "new-api", baseUrl: serverAddress(), apiKey: `sk-${key}` };
  container.dispatchEvent(new CustomEvent(FLUENT_READ.event, { detail }));
  return true;
}
