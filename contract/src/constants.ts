/** Limits, thresholds and presets that users of the product notice. */

// Limits
export const PASSWORD_MINIMUM_LENGTH = 8;
export const PASSWORD_MAXIMUM_LENGTH = 128;
/** Fits the 64 characters of the columns that keep it, also where each takes two units. */
export const USERNAME_MAXIMUM_LENGTH = 32;
/** Until another code or link may be asked for by mail. */
export const MAIL_RESEND_SECONDS = 30;

// Log
export const LOG_RANGE_AHEAD_SECONDS = 3_600;
export const SLOW_TOTAL_SECONDS = [101, 300] as const;
export const SLOW_FIRST_TOKEN_SECONDS = [3, 10] as const;

// Quota
export const QUOTA_PRESETS = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000] as const;
export const NEW_TOKEN_QUOTA = 500_000;
/** Opening balance of the administrator whom the setup wizard creates. */
export const OPENING_QUOTA = 100_000_000;

// Tokens
export const TOKEN_BATCH_PRESETS = [10, 20, 30, 100] as const;
/** Seconds from now; -1 is never. */
export const EXPIRY_SHORTCUTS = { never: -1, hour: 3_600, day: 86_400, month: 30 * 86_400 } as const;

/** What a row of the usage log is about. */
export const LOG_TYPE = { topUp: 1, consumption: 2, admin: 3, system: 4, error: 5 } as const;
