/** Which options must be set before another may be turned on, so that no switch locks people out. */
import type { OPTION_CATALOGUE } from "./catalogue.ts";

type OptionName = keyof typeof OPTION_CATALOGUE;
/** Values by the names of their options. */
type CurrentValues = Readonly<Record<OptionName, unknown>>;

/** Each switch, and what it cannot work without. */
const PREREQUISITES: Partial<Record<OptionName, readonly OptionName[]>> = {
  GitHubOAuthEnabled: ["GitHubClientId", "GitHubClientSecret"],
  "oidc.enabled": [
    "oidc.client_id",
    "oidc.client_secret",
    "oidc.authorization_endpoint",
    "oidc.token_endpoint",
    "oidc.user_info_endpoint",
  ],
  LinuxDOOAuthEnabled: ["LinuxDOClientId", "LinuxDOClientSecret"],
  WeChatAuthEnabled: ["WeChatServerAddress", "WeChatServerToken"],
  TelegramOAuthEnabled: ["TelegramBotToken", "TelegramBotName"],
  TurnstileCheckEnabled: ["TurnstileSiteKey", "TurnstileSecretKey"],
  EmailVerificationEnabled: ["SMTPServer", "SMTPAccount"],
  EmailDomainRestrictionEnabled: ["EmailDomainWhitelist"],
};

/**
 * One of these has to stay on, or nobody could log in any more. Only ways that this version serves are listed: a switch of another
 * one that is on lets nobody in.
 */
const LOGIN_METHODS: readonly OptionName[] = ["PasswordLoginEnabled"];

const isBlank = (value: unknown): boolean => value === "" || (Array.isArray(value) && value.length === 0);

/**
 * What stands against giving `name` this value, as a sentence for the operator; undefined where nothing does.
 * A secret counts as set by its decrypted value in `current`.
 */
export function brokenPrerequisite(name: OptionName, value: unknown, current: CurrentValues): string | undefined {
  if (value === true) return missingFor(name, current);
  if (value === false) return lastLoginMethod(name, current);
  return isBlank(value) ? switchThatNeeds(name, current) : undefined;
}

function missingFor(name: OptionName, current: CurrentValues): string | undefined {
  const missing = PREREQUISITES[name]?.find((needed) => isBlank(current[needed]));
  return missing === undefined ? undefined : `Please set ${missing} first`;
}

function lastLoginMethod(name: OptionName, current: CurrentValues): string | undefined {
  if (!LOGIN_METHODS.includes(name) || current[name] === false) return undefined;
  const isAnotherOn = LOGIN_METHODS.some((method) => method !== name && current[method] === true);
  return isAnotherOn
    ? undefined
    : "This is the only way to log in that works here; without it nobody could log in any more";
}

function switchThatNeeds(name: OptionName, current: CurrentValues): string | undefined {
  const user = Object.entries(PREREQUISITES).find(
    ([owner, needed]) => needed.includes(name) && current[owner as OptionName] === true,
  );
  return user === undefined ? undefined : `${user[0]} needs this; please turn it off first`;
}
