/** Every number of spec section 9, each beside the spec's own words. */
import { expect, test } from "vitest";
import * as all from "./constants.ts";

const read = new Set<string>();

/** The constants, remembering which of them the table below looks at. */
const constants = new Proxy(all, {
  get(target, name) {
    read.add(String(name));
    return Reflect.get(target, name);
  },
});

/** What the spec says, and what this program has. */
const SPEC: readonly (readonly [string, unknown, unknown])[] = [
  ["Paging: default page size 10", constants.DEFAULT_PAGE_SIZE, 10],
  ["Paging: (shared constant, stored as page-size)", constants.PAGE_SIZE_STORAGE_KEY, "page-size"],
  ["Paging: options 10, 20, 50, 100", constants.PAGE_SIZES, [10, 20, 50, 100]],
  ["Paging: Model price editor and unset-models page size 10", constants.PRICE_EDITOR_PAGE_SIZE, 10],
  ["Paging: The models list shows 10 and collapses the rest", constants.MODELS_SHOWN_BEFORE_COLLAPSE, 10],
  ["Timing: email code resend countdown 30 s", constants.EMAIL_CODE_RESEND_SECONDS, 30],
  ["Timing: password-reset retry lock 30 s", constants.PASSWORD_RESET_LOCK_SECONDS, 30],
  ["Timing: WeChat verification code valid 3 minutes", constants.WECHAT_CODE_VALID_MINUTES, 3],
  ["Timing: redirect to token page 1.5 s", constants.TOKEN_PAGE_REDIRECT_MS, 1500],
  ["Timing: setup reload 1.5 s", constants.SETUP_RELOAD_MS, 1500],
  ["section 2, Footer: polled 5 times at 200 ms (times)", constants.FOOTER_POLL_COUNT, 5],
  ["section 2, Footer: polled 5 times at 200 ms (interval)", constants.FOOTER_POLL_INTERVAL_MS, 200],
  ["Limits: password minimum 8", constants.PASSWORD_MINIMUM_LENGTH, 8],
  ["section 5: username up to 12", constants.USERNAME_MAXIMUM_LENGTH, 12],
  ["section 5: registration password up to 20", constants.PASSWORD_MAXIMUM_LENGTH, 20],
  ["section 5: name 1-20 characters", constants.REDEMPTION_NAME_MAXIMUM_LENGTH, 20],
  ["section 5: at most 100 codes per batch", constants.REDEMPTION_BATCH_MAXIMUM, 100],
  ["Defaults: logo /logo.png", constants.DEFAULT_LOGO, "/logo.png"],
  ["Defaults: Payment price default 7.3 per dollar", constants.DEFAULT_PRICE, "7.3"],
  ["Defaults: minimum top-up 1", constants.DEFAULT_MINIMUM_TOP_UP, 1],
  ["Defaults: granularity options hour, day, week", constants.DATA_GRANULARITIES, ["hour", "day", "week"]],
  ["Defaults: Default log-clear time one month before now", constants.LOG_CLEAR_DEFAULT_MONTHS, 1],
  ["Defaults: recent period to one hour ahead", constants.LOG_RANGE_AHEAD_SECONDS, 3600],
  ["Defaults: Default sort by id is off", constants.DEFAULT_ID_SORT, false],
  ["Quota display: with 2 decimals", constants.CURRENCY_DECIMALS, 2],
  [
    "Quota display: 1e4 and up k, 1e6 and up M, 1e9 and up B",
    constants.SHORT_NUMBER_STEPS.map(({ from, suffix }) => [from, suffix]),
    [
      [1e9, "B"],
      [1e6, "M"],
      [1e4, "k"],
    ],
  ],
  ["Quota display: The default QuotaPerUnit is 500000", constants.DEFAULT_QUOTA_PER_UNIT, 500_000],
  ["Quota display: (6-decimal precision)", constants.QUOTA_PER_UNIT_DECIMALS, 6],
  ["Price display: Prompt price per 1M tokens = 2 × model ratio", constants.USD_PER_MILLION_AT_RATIO_ONE, 2],
  ["Price display: per 1M tokens", constants.TOKENS_PER_PRICE, 1_000_000],
  ["Price display: Web search and file search are priced per 1K calls", constants.CALLS_PER_TOOL_PRICE, 1000],
  ["Price display: Completion ratio shown with 3 decimals", constants.COMPLETION_RATIO_DECIMALS, 3],
  ["Price display: then names starting with gpt", constants.FIRST_MODEL_PREFIX, "gpt"],
  [
    "Price display: A ratio tag is green at 1 or below, blue above 1, orange above 3, red above 5",
    [
      ...constants.RATIO_COLOUR_STEPS.map(({ above, colour }) => `${colour} above ${above}`),
      constants.RATIO_COLOUR_BASE,
    ],
    ["red above 5", "orange above 3", "blue above 1", "green"],
  ],
  [
    "Quota presets: 500000 (1$), 5000000 (10$), 25000000 (50$), 50000000 (100$), 250000000 (500$), 500000000 (1000$)",
    constants.QUOTA_PRESETS,
    [1, 10, 50, 100, 500, 1000].map((dollars) => dollars * 500_000),
  ],
  ["Quota presets: New token default quota 500000", constants.NEW_TOKEN_QUOTA, 500_000],
  ["Quota presets: Default code quota 100000", constants.NEW_CODE_QUOTA, 100_000],
  ["Quota presets: count 1", constants.NEW_CODE_COUNT, 1],
  ["Quota presets: Token batch-create presets 10, 20, 30, 100", constants.TOKEN_BATCH_PRESETS, [10, 20, 30, 100]],
  ["Quota presets: a 6-character random suffix", constants.TOKEN_NAME_SUFFIX_LENGTH, 6],
  [
    "Quota presets: Expiry shortcuts: never, 1 hour, 1 day, 1 month (30 days)",
    constants.EXPIRY_SHORTCUTS,
    { never: -1, hour: 3600, day: 86_400, month: 2_592_000 },
  ],
  [
    "Notification: default warning threshold 100000 or 500000",
    constants.WARNING_THRESHOLD_DEFAULTS,
    [100_000, 500_000],
  ],
  [
    "Notification: presets 100000 (0.2$), 500000 (1$), 1000000 (5$), 5000000 (10$)",
    constants.WARNING_THRESHOLD_PRESETS,
    [100_000, 500_000, 1_000_000, 5_000_000],
  ],
  ["Notification: content with {{value}} placeholders", constants.WEBHOOK_PLACEHOLDER, "{{value}}"],
  ["section 5: quota warning email at most once per 2 hours", constants.QUOTA_MAIL_INTERVAL_HOURS, 2],
  [
    "Channel default: type 1, auto_ban 1, groups [default], priority 0, weight 0",
    constants.CHANNEL_DEFAULTS,
    { type: 1, auto_ban: 1, groups: ["default"], priority: 0, weight: 0 },
  ],
  ["section 5: priority minimum -999", constants.CHANNEL_PRIORITY_MINIMUM, -999],
  ["Model-family defaults: rate-limit duration 1 minute", constants.RATE_LIMIT_DEFAULT_MINUTES, 1],
  ["Model-family defaults: success count 1000", constants.RATE_LIMIT_DEFAULT_SUCCESS_COUNT, 1000],
  ["Model-family defaults: Gemini thinking budget percentage 0.6", constants.GEMINI_THINKING_PERCENTAGE, "0.6"],
  ["Model-family defaults: (tokens beyond 24576 ignored)", constants.GEMINI_THINKING_BUDGET_MAXIMUM, 24_576],
  ["Model-family defaults: Claude 0.8", constants.CLAUDE_THINKING_PERCENTAGE, "0.8"],
  ["Model-family defaults: ping interval 60 s", constants.PING_INTERVAL_SECONDS, 60],
  ["Model-family defaults: Claude default max tokens sample 8192", constants.CLAUDE_DEFAULT_MAX_TOKENS, 8192],
  ["Model-family defaults: (4096 for some models)", constants.CLAUDE_SMALL_MAX_TOKENS, 4096],
  ["Log thresholds: slow total time 101 s and 300 s", constants.SLOW_TOTAL_SECONDS, [101, 300]],
  ["Log thresholds: slow first-token time 3 s and 10 s", constants.SLOW_FIRST_TOKEN_SECONDS, [3, 10]],
  [
    "section 4: green up to 1 s; lime up to 3 s; yellow up to 5 s; red above",
    [
      ...constants.RESPONSE_TIME_STEPS_SECONDS.map(({ upTo, colour }) => `${colour} up to ${upTo}`),
      constants.RESPONSE_TIME_COLOUR_ABOVE,
    ],
    ["green up to 1", "lime up to 3", "yellow up to 5", "red"],
  ],
  ["Log thresholds: Drawing/task time-spent tag red above 60 s", constants.TASK_SLOW_SECONDS, 60],
  ["Playground defaults: model gpt-4o-mini", constants.PLAYGROUND_DEFAULTS.model, "gpt-4o-mini"],
  ["Playground defaults: temperature 0", constants.PLAYGROUND_DEFAULTS.temperature, 0],
  ["Playground defaults: max tokens 0", constants.PLAYGROUND_DEFAULTS.maxTokens, 0],
  [
    "Playground defaults: default system prompt starts 'You are a helpful assistant...'",
    constants.PLAYGROUND_DEFAULTS.systemPrompt.startsWith("You are a helpful assistant"),
    true,
  ],
  ["Layout: side bar 60 or 200 px", constants.SIDE_BAR_WIDTH, { collapsed: 60, open: 200 }],
  ["Layout: login and register pages 500 px", constants.ENTRY_PAGE_WIDTH, 500],
  ["Layout: mobile breakpoint 600", constants.MOBILE_BREAKPOINT, 600],
];

test.each(SPEC)("%s", (_line, actual, expected) => {
  expect(actual).toEqual(expected);
});

test("every constant is checked above, apart from the two that other pages give", () => {
  const fromElsewhere = ["MAX_PAGE_SIZE", "OPENING_QUOTA"];
  expect(Object.keys(all).filter((name) => !read.has(name))).toEqual(fromElsewhere);
});
