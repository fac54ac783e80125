/** Security headers of responses. Content-Security-Policy has no 'unsafe-inline': styles carry a nonce, scripts are files. */
import { framedAddressOf } from "../../../../contract/src/address.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";

/** For every answer of the console listener. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "SAMEORIGIN",
  "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
  // Camera and microphone are left out: the chat frame hands them on.
  "Permissions-Policy": "geolocation=(), payment=(), usb=(), serial=(), hid=()",
};

/** Where the client's side is https: for a year browsers ask this host by https alone. Its subdomains are not ours to decide for. */
export const HTTPS_ONLY = "max-age=31536000";

/** For everything that is not a page: nothing in it may run or be framed. */
export const API_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * For the page that posts a form to a payment gateway: browsers apply the page's `form-action` to redirects behind the form, and a gateway's
 * redirects are not known beforehand, so there is none. Only its one script can run in it, and the page has no dynamic content.
 */
export const PAYMENT_FORM_POLICY =
  "default-src 'none'; script-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

/** Script origins of the widgets that the options enable. */
function widgetOrigins(options: OptionValues): string[] {
  const turnstile = options.TurnstileCheckEnabled ? ["https://challenges.cloudflare.com"] : [];
  const telegram = options.TelegramOAuthEnabled ? ["https://telegram.org"] : [];
  return [...turnstile, ...telegram];
}

/** Origins of the frames that widgets of the options open. */
function widgetFrames(options: OptionValues): string[] {
  const turnstile = options.TurnstileCheckEnabled ? ["https://challenges.cloudflare.com"] : [];
  const telegram = options.TelegramOAuthEnabled ? ["https://oauth.telegram.org"] : [];
  return [...turnstile, ...telegram];
}

/** Origins of the pages the operator has framed: home, about, user agreement, privacy policy, and chat clients. Nothing else is ever framed. */
function framedOrigins(options: OptionValues): string[] {
  const texts = [
    options.HomePageContent,
    options.About,
    options["legal.user_agreement"],
    options["legal.privacy_policy"],
  ];
  const pages = texts.map((text) => framedAddressOf(text)?.origin);
  const chats = options.Chats.flatMap((chat) => Object.values(chat)).map((template) => {
    const address = /^https?:\/\//i.test(template) ? URL.parse(template) : null;
    return address?.origin;
  });
  return [...new Set([...pages, ...chats])].filter((origin) => origin !== undefined && origin !== "null") as string[];
}

/** Origins of the API addresses on the dashboard, which its speed test asks; none while they are turned off. */
function testedOrigins(options: OptionValues): string[] {
  if (!options["console_setting.api_info_enabled"]) return [];
  const origins = options["console_setting.api_info"].map(({ url }) => URL.parse(url)?.origin);
  return [...new Set(origins)].filter((origin) => origin !== undefined);
}

/**
 * The policy of a page whose style elements carry `nonce`. Frames show what the options name and nothing else; pictures come from
 * anywhere (logos, drawings) since they cannot run.
 */
export function pagePolicy(nonce: string, options: OptionValues): string {
  return [
    "default-src 'self'",
    ["script-src 'self'", ...widgetOrigins(options)].join(" "),
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' https: http: data: blob:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...testedOrigins(options)].join(" "),
    "media-src 'self' https: http: data: blob:",
    "worker-src 'self' blob:",
    ["frame-src 'self'", ...widgetFrames(options), ...framedOrigins(options)].join(" "),
    "frame-ancestors 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}
