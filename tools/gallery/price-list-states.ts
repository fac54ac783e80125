/** States of the price list: no address yet, a list that was fetched, one with nothing new, one that could not be read, and what was accepted. */
import type { GalleryPage, Step } from "./gallery-page.ts";

const path = "/setting?tab=operation&section=price_list";
const SOURCE = "https://prices.example/list.json";

const price = (ratio: string) => ({
  kind: "per_token",
  ratio,
  completion_ratio: "4",
  cache_ratio: "0.5",
  cache_creation_ratio: "1",
  image_ratio: "1",
  audio_ratio: "1",
  audio_completion_ratio: "1",
});

const line = (
  provider: string,
  id: string,
  before: string | null,
  after: string | null,
  models: readonly string[],
) => ({
  provider,
  id,
  change: before === null ? "added" : after === null ? "removed" : "changed",
  alters: ["price"],
  before: before === null ? null : price(before),
  after: after === null ? null : price(after),
  models,
  own: models.slice(1),
  rule: null,
  before_id: null,
});

const LIST = {
  shipped: { version: "0.1.8", date: "2026-09-23", since: 1_790_000_000 },
  models: 1_370,
  previous: { version: "0.1.7", date: "2026-09-16", since: 1_789_000_000 },
  changes: [line("openai", "gpt-4o", "1.5", "1.25", [])],
  accepted: [
    {
      id: 2,
      source: SOURCE,
      created_time: 1_790_400_000,
      created_by: "root",
      undone_time: 0,
      undone_by: null,
      count: 12,
      lines: ["gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-pro"].map((id) => ({
        provider: "openai",
        id,
        is_removed: false,
      })),
      is_older: false,
    },
    {
      id: 1,
      source: SOURCE,
      created_time: 1_789_900_000,
      created_by: null,
      undone_time: 1_789_950_000,
      undone_by: "root",
      count: 1,
      lines: [{ provider: "openai", id: "gpt-4o", is_removed: false }],
      is_older: true,
    },
  ],
  source: SOURCE,
  differing: 3,
};

const FETCHED = {
  source: SOURCE,
  base: "0",
  rules: 1_402,
  unused_providers: [],
  lines: [
    line("openai", "gpt-5", "0.625", "0.5", ["gpt-5"]),
    line("openai", "gpt-6", null, "2.5", []),
    line("anthropic", "claude-sonnet-4-5", "1.5", "1.8", ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"]),
    line("google", "gemini-1.5-flash", "0.0375", null, ["gemini-1.5-flash"]),
  ],
};

const NOW = { url: "**/api/prices/list", answer: { data: LIST } } as const;
const FETCH: readonly Step[] = [{ wait: "form + div button" }, { click: "form + div button" }];
const fetched = (answer: "never" | "fails" | { data: unknown }) => [NOW, { url: "**/api/prices/list/fetch", answer }];

export const PRICE_LIST_STATES: readonly GalleryPage[] = [
  { name: "price-list", path, as: "root", steps: [{ wait: "form + div button" }] },
  { name: "price-list-accepted", path, as: "root", answers: [NOW] },
  {
    name: "price-list-fetched",
    path,
    as: "root",
    steps: [...FETCH, { wait: 'main input[type="checkbox"]' }, { scrollTo: 'main input[type="checkbox"]' }],
    answers: fetched({ data: FETCHED }),
  },
  {
    name: "price-list-nothing-new",
    path,
    as: "root",
    steps: [...FETCH, { wait: "[role=note]" }],
    answers: fetched({ data: { ...FETCHED, lines: [] } }),
  },
  { name: "price-list-fetching", path, as: "root", steps: FETCH, answers: fetched("never") },
  {
    name: "price-list-failed",
    path,
    as: "root",
    steps: [...FETCH, { wait: "[role=alert]" }, { scrollTo: "[role=alert] button" }],
    answers: fetched("fails"),
  },
];
