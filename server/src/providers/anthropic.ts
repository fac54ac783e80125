/** Anthropic: channel type 14. */
import {
  CLAUDE_QUIRKS,
  claudeName,
  siteHeaders,
  withSiteSettings,
} from "../dialects/anthropic-messages/vendors/site-settings.ts";
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "./provider.ts";

// Where an operation of Anthropic goes and how it is authorised (platform.claude.com/docs/en/api/overview, /versioning).

/** The version that requests of other formats are written for, and that clients without a version mean. */
const DEFAULT_VERSION = "2023-06-01";
/** From this version on the vendor's own clients send the key as a bearer token. */
const BEARER_VERSION = "2026-10-21";

const VERSION = /^\d{4}-\d\d-\d\d$/;

const keyHeader = (version: string, key: string): Record<string, string> =>
  VERSION.test(version) && version >= BEARER_VERSION ? { authorization: `Bearer ${key}` } : { "x-api-key": key };

/** Base URL and path in one; a base that already ends in `/v1` has no second one. */
function urlOf(base: string, path: string): string {
  const trimmed = base.replace(/\/+$/, "");
  return trimmed + (trimmed.endsWith("/v1") && path.startsWith("/v1/") ? path.slice(3) : path);
}

/** The site's headers replace the client's; its version and betas are passed on, and the version decides the key's header. */
function endpoint(channel: ProviderChannel, { operation, path, headers, site }: ProviderCall): ProviderRequest {
  const given: Readonly<Record<string, string>> = { ...headers, ...siteHeaders(site) };
  const version = given["anthropic-version"] ?? DEFAULT_VERSION;
  const all = { ...keyHeader(version, channel.key), "anthropic-version": version, ...given };
  const url = urlOf(channel.baseUrl, operation === "models" ? "/v1/models?limit=1000" : path);
  return { url, headers: Object.entries(all).flat() };
}

export const anthropic = defineProvider({
  id: 14,
  slug: "anthropic",
  name: "Anthropic Claude",
  dialects: ["anthropic-messages"],
  defaultBaseUrl: "https://api.anthropic.com",
  keyHint: "sk-ant-...",
  operations: ["chat", "count_tokens", "models"],
  supportsStreamUsage: false,
  forwardedHeaders: ["anthropic-version", "anthropic-beta"],
  forwardedFamily: "anthropic-",
  mark: { glyph: "A", colour: "#d97757" },
  endpoint,
  // What the site's settings make of requests for Claude.
  quirks: CLAUDE_QUIRKS,
  modelName: claudeName,
  prepare: withSiteSettings,
});
