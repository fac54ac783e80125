/** The description of an OpenID provider (OpenID Connect Discovery 1.0), read for whoever fills in its endpoints. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { DiscoveredEndpoints } from "../../../../contract/src/features/options.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { askSite } from "./ask-site.ts";

const WELL_KNOWN = "/.well-known/openid-configuration";

function addressOf(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isWeb ? url : undefined;
}

/** What stands before the well-known path, or behind it as RFC 8414 has it; undefined where the address has no such path. */
function issuerOf({ origin, pathname }: URL): string | undefined {
  const at = pathname.indexOf(WELL_KNOWN);
  return at === -1 ? undefined : origin + pathname.slice(0, at) + pathname.slice(at + WELL_KNOWN.length);
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, "");

const failed = (cause?: unknown): AppError => new AppError("discovery_failed", { field: "url", cause });

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw failed(error);
  }
  throw failed();
}

function endpointIn(description: Readonly<Record<string, unknown>>, name: string): string {
  const text = description[name];
  if (typeof text === "string" && addressOf(text) !== undefined) return text;
  throw new AppError("discovery_incomplete", { field: "url", values: { name } });
}

/**
 * Fetches the description at `text`.
 * @throws AppError web_address_invalid, address_refused, discovery_failed, discovery_issuer where it belongs to another provider,
 * discovery_incomplete; each names the field `url`.
 */
export async function discoverOidc(context: Pick<ConsoleContext, "relay">, text: string): Promise<DiscoveredEndpoints> {
  const url = addressOf(text);
  if (url === undefined) throw new AppError("web_address_invalid", { field: "url" });
  const description = objectIn(await askSite(context, url.href, "url", failed));
  const { issuer } = description;
  const expected = issuerOf(url);
  if (typeof issuer !== "string")
    throw new AppError("discovery_incomplete", { field: "url", values: { name: "issuer" } });
  if (expected !== undefined && withoutSlash(issuer) !== withoutSlash(expected))
    throw new AppError("discovery_issuer", { field: "url", values: { issuer, expected } });
  return {
    issuer,
    authorization_endpoint: endpointIn(description, "authorization_endpoint"),
    token_endpoint: endpointIn(description, "token_endpoint"),
    user_info_endpoint: endpointIn(description, "userinfo_endpoint"),
  };
}
