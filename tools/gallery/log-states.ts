/** States of the usage log: opened receipts of every kind, filters, dialogs, and lists that are empty, late or broken. */
import type { Step } from "./gallery-page.ts";
import { extremeLogs } from "./extremes.ts";
import type { GalleryPage } from "./gallery-page.ts";

/** Opens the receipt of the n-th row, as a table row or as a card. */
const open = (index = 0): Step => ({
  click: 'main tr button[aria-expanded="false"], main li > button[aria-expanded="false"]',
  index,
});

const receipt = (name: string, query: string, index = 0): GalleryPage => ({
  name: `logs-receipt-${name}`,
  path: `/log?${query}`,
  as: "root",
  steps: [open(index)],
});

/** What it is about stands below the fold of a phone. */
const RETRIED = receipt("retried", "model_name=claude-sonnet-4-5", 1);

const CALENDAR = "main button:has(.tabler-icon-calendar)";
const MORE: Step = { click: "main header button:has(.tabler-icon-dots)" };
const CLEAR: readonly Step[] = [MORE, { click: '[role="menuitem"]' }, { wait: '[role="dialog"]' }];

/** The funnel of a phone; there is none on a wider screen. */
const FILTERS_ON_PHONE: Step = { click: "main button:has(.tabler-icon-filter)", isOptional: true };

const NO_ROWS = { data: { items: [], total: 0, total_is_capped: false, page: 1, page_size: 10 } };
const LIST = "**/api/log?*";

const EXTREMES = { data: { ...NO_ROWS.data, items: extremeLogs(Math.floor(Date.now() / 1000)), total: 10_000 } };

const CLEARING = {
  running: true,
  target_timestamp: 1_750_000_000,
  done: 184_000,
  total: 412_000,
  stopped: false,
  failed: false,
  started_by: "ada",
  started_time: 1_760_000_000,
  finished_time: 0,
};

export const LOG_STATES: readonly GalleryPage[] = [
  { ...RETRIED, steps: [...(RETRIED.steps ?? []), { scrollTo: "[data-axis]" }] },
  receipt("tier", "model_name=claude-sonnet-4-5"),
  receipt("cache-and-tools", "model_name=claude-haiku-4-5"),
  receipt("audio", "model_name=gpt-4o-audio-preview"),
  receipt("picture", "model_name=gemini-2.5-flash-image"),
  receipt("fixed", "model_name=dall-e-3"),
  receipt("left", "model_name=gpt-5"),
  receipt("failed", "type=5"),
  receipt("admin", "type=3"),
  { ...receipt("user", "range=week&type=2"), name: "logs-receipt-own", as: "user" },
  { name: "logs-own", path: "/log?range=week", as: "user" },
  {
    name: "logs-view-save",
    path: "/log?range=week&type=5&min_quota=1",
    as: "root",
    steps: [{ click: "main div:has(> nav) button[aria-haspopup]" }, { wait: '[role="dialog"] form' }],
  },
  {
    name: "logs-filtered",
    path: "/log?range=week&model_name=gpt-5%25&username=lin&group=default",
    as: "root",
  },
  { name: "logs-range", path: "/log", as: "root", steps: [FILTERS_ON_PHONE, { click: CALENDAR }] },
  {
    name: "logs-filter-open",
    path: "/log",
    as: "root",
    steps: [FILTERS_ON_PHONE, { click: "main button:has(.tabler-icon-plus)" }],
  },
  {
    name: "logs-columns",
    path: "/log",
    as: "root",
    steps: [{ click: "main button:has(.tabler-icon-columns-3)", isOptional: true }],
  },
  { name: "logs-clear", path: "/log", as: "root", steps: CLEAR },
  {
    name: "logs-clearing",
    path: "/log",
    as: "root",
    answers: [{ url: "**/api/log/clear/progress", answer: { data: CLEARING } }],
    steps: [{ pauseMs: 1200 }],
  },
  {
    name: "logs-person",
    path: "/log?type=2",
    as: "root",
    steps: [{ click: "main tbody tr td:nth-child(4) button", isOptional: true }],
  },
  { name: "logs-by-model", path: "/log?range=week&group_by=model", as: "root" },
  { name: "logs-by-program", path: "/log?range=week&group_by=client", as: "root" },
  { name: "logs-nothing", path: "/log?range=week&model_name=nobody-called-this", as: "root" },
  { name: "logs-first", path: "/log", as: "user", answers: [{ url: "**/api/log/self?*", answer: NO_ROWS }] },
  {
    name: "logs-extremes",
    path: "/log",
    as: "root",
    answers: [{ url: LIST, answer: EXTREMES }],
    steps: [open(), { pauseMs: 300 }],
  },
  {
    name: "logs-extreme-failure",
    path: "/log",
    as: "root",
    answers: [{ url: LIST, answer: EXTREMES }],
    steps: [open(2), { pauseMs: 300 }],
  },
  { name: "logs-loading", path: "/log", as: "root", answers: [{ url: LIST, answer: "never" }] },
  { name: "logs-broken", path: "/log", as: "root", answers: [{ url: LIST, answer: "fails" }] },
];
