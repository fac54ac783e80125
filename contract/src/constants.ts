/** Every number and preset of spec section 9; the test beside this file quotes the spec's line for each. */

// Paging
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "./query.ts";
export const PAGE_SIZES = [10, 20, 50, 100] as const;
export const PAGE_SIZE_STORAGE_KEY = "page-size";
export const PRICE_EDITOR_PAGE_SIZE = 10;
export const MODELS_SHOWN_BEFORE_COLLAPSE = 10;

// Timing
export const EMAIL_CODE_RESEND_SECONDS = 30;
export const PASSWORD_RESET_LOCK_SECONDS = 30;
export const WECHAT_CODE_VALID_MINUTES = 3;
export const TOKEN_PAGE_REDIRECT_MS = 1_500;
export const SETUP_RELOAD_MS = 1_500;
export const FOOTER_POLL_COUNT = 5;
export const FOOTER_POLL_INTERVAL_MS = 200;

// Limits
export const PASSWORD_MINIMUM_LENGTH = 8;
export const PASSWORD_MAXIMUM_LENGTH = 20;
export const USERNAME_MAXIMUM_LENGTH = 12;
export const REDEMPTION_NAME_MAXIMUM_LENGTH = 20;
export const REDEMPTION_BATCH_MAXIMUM = 100;

// Defaults
export const DEFAULT_LOGO = "/logo.png";
export const DEFAULT_PRICE = "7.3";
export const DEFAULT_MINIMUM_TOP_UP = 1;
export const DATA_GRANULARITIES = ["hour", "day", "week"] as const;
export const LOG_CLEAR_DEFAULT_MONTHS = 1;
export const LOG_RANGE_AHEAD_SECONDS = 3_600;
export const DEFAULT_ID_SORT = false;

// Quota display
export const DEFAULT_QUOTA_PER_UNIT = 500_000;
export const CURRENCY_DECIMALS = 2;
export const QUOTA_PER_UNIT_DECIMALS = 6;
export const SHORT_NUMBER_STEPS = [
  { from: 1e9, suffix: "B" },
  { from: 1e6, suffix: "M" },
  { from: 1e4, suffix: "k" },
] as const;

// Price display
export const USD_PER_MILLION_AT_RATIO_ONE = 2;
export const TOKENS_PER_PRICE = 1_000_000;
export const CALLS_PER_TOOL_PRICE = 1_000;
export const COMPLETION_RATIO_DECIMALS = 3;
export const FIRST_MODEL_PREFIX = "gpt";
export const RATIO_COLOUR_STEPS = [
  { above: 5, colour: "red" },
  { above: 3, colour: "orange" },
  { above: 1, colour: "blue" },
] as const;
export const RATIO_COLOUR_BASE = "green";

// Quota presets
export const QUOTA_PRESETS = [500_000, 5_000_000, 25_000_000, 50_000_000, 250_000_000, 500_000_000] as const;
export const NEW_TOKEN_QUOTA = 500_000;
export const NEW_CODE_QUOTA = 100_000;
export const NEW_CODE_COUNT = 1;
export const TOKEN_BATCH_PRESETS = [10, 20, 30, 100] as const;
export const TOKEN_NAME_SUFFIX_LENGTH = 6;
/** Seconds from now; -1 is never. */
export const EXPIRY_SHORTCUTS = { never: -1, hour: 3_600, day: 86_400, month: 30 * 86_400 } as const;

// Notification
export const WARNING_THRESHOLD_DEFAULTS = [100_000, 500_000] as const;
export const WARNING_THRESHOLD_PRESETS = [100_000, 500_000, 1_000_000, 5_000_000] as const;
export const QUOTA_MAIL_INTERVAL_HOURS = 2;
export const WEBHOOK_PLACEHOLDER = "{{value}}";

// Channel default
export const CHANNEL_DEFAULTS = { type: 1, auto_ban: 1, groups: ["default"], priority: 0, weight: 0 } as const;
export const CHANNEL_PRIORITY_MINIMUM = -999;

// Model families
export const RATE_LIMIT_DEFAULT_MINUTES = 1;
export const RATE_LIMIT_DEFAULT_SUCCESS_COUNT = 1_000;
export const GEMINI_THINKING_PERCENTAGE = "0.6";
export const GEMINI_THINKING_BUDGET_MAXIMUM = 24_576;
export const CLAUDE_THINKING_PERCENTAGE = "0.8";
export const PING_INTERVAL_SECONDS = 60;
export const CLAUDE_DEFAULT_MAX_TOKENS = 8_192;
export const CLAUDE_SMALL_MAX_TOKENS = 4_096;

// Log thresholds
export const SLOW_TOTAL_SECONDS = [101, 300] as const;
export const SLOW_FIRST_TOKEN_SECONDS = [3, 10] as const;
export const RESPONSE_TIME_STEPS_SECONDS = [
  { upTo: 1, colour: "green" },
  { upTo: 3, colour: "lime" },
  { upTo: 5, colour: "yellow" },
] as const;
export const RESPONSE_TIME_COLOUR_ABOVE = "red";
export const TASK_SLOW_SECONDS = 60;

// Playground
export const PLAYGROUND_DEFAULTS = {
  model: "gpt-4o-mini",
  temperature: 0,
  maxTokens: 0,
  systemPrompt: "You are a helpful assistant. Answer clearly and to the point.",
} as const;

// Layout
export const SIDE_BAR_WIDTH = { collapsed: 60, open: 200 } as const;
export const ENTRY_PAGE_WIDTH = 500;
export const MOBILE_BREAKPOINT = 600;

// Setup (reference: the account the wizard makes)
export const OPENING_QUOTA = 100_000_000;
