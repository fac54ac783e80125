/** Pictures of channel health and of the public status page: ranges, an opened channel, models in trouble, and pages without a response. */
import { FAILURE_KINDS } from "../../contract/src/call-figures.ts";
import type { HealthPage, ModelsAvailability } from "../../contract/src/features/health.ts";
import type { GalleryPage } from "./gallery-page.ts";

export const HEALTH_PAGES: readonly GalleryPage[] = [
  { name: "channel-health", path: "/channel/health?hours=168", as: "root" },
  { name: "status-page", path: "/status", as: "guest" },
];

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const NOW_S = Math.floor(Date.now() / 1000);
const HOUR = Math.floor(NOW_S / HOUR_S) * HOUR_S;

const NO_TIMES = { count: 0, average_ms: null, p50_ms: null, p95_ms: null };

/** A channel of which this share of the calls fails from a cell on. */
function channel(id: number, more: Partial<HealthPage["items"][number]>, callsACell = 40, failsFrom = 24) {
  const cells = Array.from({ length: 24 }, (_, index) => {
    const failed = index >= failsFrom ? Math.ceil(callsACell * 0.4) : 0;
    return {
      at: HOUR - (23 - index) * HOUR_S,
      succeeded: callsACell - failed,
      failed,
      refused: 0,
      p50_ms: 400 + ((index * 37) % 90),
      p95_ms: 1100 + ((index * 211) % 700),
    };
  });
  const sum = (of: "succeeded" | "failed") => cells.reduce((total, cell) => total + cell[of], 0);
  return {
    id,
    name: `Lane ${id}`,
    type: 1,
    status: "enabled" as const,
    breakers: [],
    figures: {
      succeeded: sum("succeeded"),
      failed: sum("failed"),
      failures: { ...Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, 0])), upstream: sum("failed") },
      first_token: { ...NO_TIMES, count: sum("succeeded"), p50_ms: 431, p95_ms: 1460 },
      total: NO_TIMES,
    } as HealthPage["items"][number]["figures"],
    cells,
    last_failure: null,
    ...more,
  };
}

const TROUBLE: HealthPage = {
  items: [
    channel(
      1,
      {
        name: "OpenAI, team account",
        breakers: [{ reason: "resting_as_asked", until_ms: Date.now() + 3_600_000, processes: 2, key_mark: "" }],
        last_failure: {
          at: NOW_S - 140,
          is_exact: true,
          kind: "rate_limited",
          words: "Rate limit reached for gpt-4.1 in organization on tokens per min (TPM): Limit 30000, Used 29800.",
        },
      },
      120,
      20,
    ),
    channel(2, {
      name: "Spare, disabled after failures",
      status: "auto_disabled",
      last_failure: { at: HOUR - 3 * HOUR_S, is_exact: false, kind: "key_refused", words: "" },
    }),
    channel(3, { name: "Claude direct" }),
    channel(4, { name: "Hardly used" }, 0.125, 22),
    channel(5, { name: "Switched off yesterday", status: "disabled" }),
  ],
  total: 5,
  start: HOUR - 23 * HOUR_S,
  cell_seconds: HOUR_S,
  cell_count: 24,
  open: 1,
};

const FIRST_DAY = Math.floor(NOW_S / DAY_S) * DAY_S - 29 * DAY_S;

const model = (
  name: string,
  more: Partial<ModelsAvailability["models"][number]> = {},
): ModelsAvailability["models"][number] => ({
  model: name,
  state: "up",
  day_share: 0.999,
  month_share: 0.998,
  days: Array.from({ length: 30 }, (_, day) => (day === 11 ? "fair" : day < 3 ? "few" : "good")),
  ...more,
});

const IMPAIRED: ModelsAvailability = {
  models: [
    model("claude-sonnet-4-5"),
    model("gemini-2.5-pro", { state: "degraded", day_share: 0.91 }),
    model("gpt-4.1", {
      state: "down",
      day_share: 0.62,
      days: model("").days.map((day, at) => (at > 27 ? "bad" : day)),
    }),
    model("text-embedding-3-small", { day_share: null, month_share: null, days: model("").days.map(() => "few") }),
  ],
  is_cut: false,
  start: FIRST_DAY,
  made_at: NOW_S,
};

const OFF = { url: "**/api/status/models", answer: { success: false, code: "status_page_off", data: null } } as const;

export const HEALTH_STATES: readonly GalleryPage[] = [
  { name: "channel-health-day", path: "/channel/health", as: "root" },
  { name: "channel-health-month", path: "/channel/health?hours=720", as: "root" },
  {
    name: "channel-health-models",
    path: "/channel/health?hours=720",
    as: "root",
    steps: [{ click: "tbody button[aria-expanded]" }, { wait: "tbody tr + tr th" }],
  },
  {
    name: "channel-health-trouble",
    path: "/channel/health",
    as: "root",
    answers: [{ url: "**/api/channel/health*", answer: { data: TROUBLE } }],
    steps: [{ focus: "tbody td a" }],
  },
  {
    name: "channel-health-loading",
    path: "/channel/health",
    as: "root",
    answers: [{ url: "**/api/channel/health*", answer: "never" }],
  },
  {
    name: "channel-health-failed",
    path: "/channel/health",
    as: "root",
    answers: [{ url: "**/api/channel/health*", answer: "fails" }],
    steps: [{ wait: '[role="alert"]' }],
  },
  {
    name: "channel-health-empty",
    path: "/channel/health",
    as: "root",
    answers: [{ url: "**/api/channel/health*", answer: { data: { ...TROUBLE, items: [], total: 0, open: 0 } } }],
  },
  { name: "channel-health-nothing-found", path: "/channel/health?keyword=zzzz", as: "root" },
  {
    name: "status-page-impaired",
    path: "/status",
    as: "guest",
    answers: [{ url: "**/api/status/models", answer: { data: IMPAIRED } }],
    steps: [{ focus: 'main [role="img"][tabindex]' }],
  },
  {
    name: "status-page-loading",
    path: "/status",
    as: "guest",
    answers: [{ url: "**/api/status/models", answer: "never" }],
  },
  {
    name: "status-page-failed",
    path: "/status",
    as: "guest",
    answers: [{ url: "**/api/status/models", answer: "fails" }],
    steps: [{ wait: '[role="alert"]' }],
  },
  {
    name: "status-page-empty",
    path: "/status",
    as: "guest",
    answers: [{ url: "**/api/status/models", answer: { data: { ...IMPAIRED, models: [] } } }],
  },
  { name: "status-page-off", path: "/status", as: "guest", answers: [OFF] },
];
