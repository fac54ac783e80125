/** Checks of the settings page at other sites: an OpenID provider's description (OpenID Connect Discovery 1.0), a newer release, a test mail; and what this server runs on. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import type { DiscoveredEndpoints, SystemInfo, UpdateCheck } from "../../../../contract/src/features/options.ts";
import type { TestMessageResult } from "../../../../contract/src/notifications.ts";
import { DeliveryFault } from "../../notify/delivery-fault.ts";
import { nowSeconds } from "../../util/clock.ts";
import { addressOf } from "../accounts/email-codes.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { untrustedForwarder } from "./untrusted-forwarder.ts";
import { compareVersions } from "./versions.ts";

/** The body of an answer 200. Throws AppError address_refused for `field`, and whatever `failed` makes of anything else. */
async function askSite(
  { relay }: Pick<ConsoleContext, "relay">,
  url: string,
  field: string,
  failed: (cause: unknown) => AppError,
): Promise<string> {
  const headers = { accept: "application/json" };
  const answer = await relay.fetchGuarded({ method: "GET", url, headers }).catch((error: unknown) => {
    const isRefused = error instanceof AppError && error.code === "address_refused";
    throw isRefused ? new AppError("address_refused", { message: error.message, field, cause: error }) : failed(error);
  });
  if (answer.status !== 200) throw failed(new Error(`status ${answer.status}`));
  return answer.body;
}

const WELL_KNOWN = "/.well-known/openid-configuration";

function webAddressOf(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isWeb ? url : undefined;
}

/** The issuer path before the well-known path, or behind it as RFC 8414 has it; undefined where the address has no such path. */
function issuerOf({ origin, pathname }: URL): string | undefined {
  const at = pathname.indexOf(WELL_KNOWN);
  return at === -1 ? undefined : origin + pathname.slice(0, at) + pathname.slice(at + WELL_KNOWN.length);
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, "");

const discoveryFailed = (cause?: unknown): AppError => new AppError("discovery_failed", { field: "url", cause });

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw discoveryFailed(error);
  }
  throw discoveryFailed();
}

function endpointIn(description: Readonly<Record<string, unknown>>, name: string): string {
  const text = description[name];
  if (typeof text === "string" && webAddressOf(text) !== undefined) return text;
  throw new AppError("discovery_incomplete", { field: "url", values: { name } });
}

/**
 * Fetches the description at `text`.
 * @throws AppError web_address_invalid, address_refused, discovery_failed, discovery_issuer where it belongs to another provider,
 * discovery_incomplete; each names the field `url`.
 */
export async function discoverOidc(context: Pick<ConsoleContext, "relay">, text: string): Promise<DiscoveredEndpoints> {
  const url = webAddressOf(text);
  if (url === undefined) throw new AppError("web_address_invalid", { field: "url" });
  const description = objectIn(await askSite(context, url.href, "url", discoveryFailed));
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

const NOTES_MAX = 20_000;
const NAME_MAX = 200;

const optionalText = z.string().nullish().catch("");
const release = z.object({
  tag_name: z.string().trim().min(1).max(NAME_MAX),
  html_url: optionalText,
  name: optionalText,
  body: optionalText,
});

const updateCheckFailed = (cause: unknown): AppError =>
  new AppError("update_check_failed", { field: "UpdateCheckUrl", cause });

function releaseIn(body: string) {
  try {
    return release.parse(JSON.parse(body));
  } catch (error) {
    throw updateCheckFailed(error);
  }
}

/** The address if it can be a link, else "". */
const pageOf = (address: string): string => (URL.parse(address)?.protocol === "https:" ? address : "");

/** @throws AppError update_check_off where no address is set, address_refused, update_check_failed */
export async function checkForUpdate(
  context: Pick<ConsoleContext, "relay" | "snapshot" | "site">,
): Promise<UpdateCheck> {
  const { UpdateCheckUrl } = context.snapshot.options;
  if (UpdateCheckUrl === "") throw new AppError("update_check_off", { field: "UpdateCheckUrl" });
  const found = releaseIn(await askSite(context, UpdateCheckUrl, "UpdateCheckUrl", updateCheckFailed));
  const current = context.site.version;
  return {
    current,
    latest: found.tag_name,
    relation: compareVersions(found.tag_name, current),
    name: (found.name ?? "").slice(0, NAME_MAX),
    notes: (found.body ?? "").slice(0, NOTES_MAX),
    url: pageOf(found.html_url ?? ""),
  };
}

/** Versions of the server. */
export async function systemInfo({
  site,
  database,
  clock,
}: Pick<ConsoleContext, "site" | "database" | "clock">): Promise<SystemInfo> {
  const proxy = await untrustedForwarder({ database, clock, trustedProxies: site.trustedProxies });
  return {
    version: site.version,
    start_time: site.startTime,
    node_version: process.version,
    database_type: database.engine,
    ...(proxy === undefined ? {} : { untrusted_proxy: { address: proxy.address, is_private: proxy.isPrivate } }),
  };
}

const ANSWER_MAX = 500;

/** An address for a test mail. Throws AppError email_invalid, naming the field `to`. */
export function checkedAddress(to: string): string {
  try {
    return addressOf(to);
  } catch (error) {
    throw error instanceof AppError ? new AppError(error.code, { field: "to", cause: error }) : error;
  }
}

/** @returns what the mail server answered, or why it was not sent: in its own words, without the login. @throws AppError email_invalid */
export async function sendTestMail(
  context: Pick<ConsoleContext, "clock" | "deliver">,
  { user }: Pick<Session, "user">,
  { language }: Pick<RequestFacts, "language">,
  to: string,
): Promise<TestMessageResult> {
  const recipient = checkedAddress(to);
  try {
    const answer = await context.deliver({
      userId: user.id,
      method: "email",
      recipient,
      language,
      code: "mail_test",
      values: { username: user.username },
      time: nowSeconds(context.clock),
    });
    return { is_delivered: true, failure: "", answer: answer.slice(0, ANSWER_MAX) };
  } catch (error) {
    if (!(error instanceof DeliveryFault)) throw error;
    return { is_delivered: false, failure: error.kind, answer: error.detail };
  }
}
