/** When a failed call switches its channel off for good: a refused key, a closed account, an empty balance (reference 5). */

/** What the rules look at; providers/provider.ts UpstreamFailure has it. */
export interface JudgedFailure {
  /** HTTP status before any mapping: a mapped 401 says nothing about the key. */
  status: number;
  code: string;
  type: string;
  message: string;
}

export interface AutoDisableOptions {
  AutomaticDisableChannelEnabled: boolean;
  /** Lower case. */
  AutomaticDisableKeywords: readonly string[];
}

const DISABLING_CODES: ReadonlySet<string> = new Set(["invalid_api_key", "account_deactivated", "billing_not_active"]);
const DISABLING_TYPES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);

/** Why the channel should be switched off, or undefined. Needs the option and the channel's own auto-ban. */
export function disableReason(
  failure: JudgedFailure,
  isAutoBan: boolean,
  options: AutoDisableOptions,
): string | undefined {
  if (!isAutoBan || !options.AutomaticDisableChannelEnabled) return undefined;
  if (failure.status === 401) return `status 401: ${failure.message}`;
  if (DISABLING_CODES.has(failure.code)) return `${failure.code}: ${failure.message}`;
  if (DISABLING_TYPES.has(failure.type)) return `${failure.type}: ${failure.message}`;
  const text = failure.message.toLowerCase();
  const keyword = options.AutomaticDisableKeywords.find((each) => text.includes(each));
  return keyword === undefined ? undefined : `"${keyword}": ${failure.message}`;
}
