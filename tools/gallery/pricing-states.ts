/** States of the price list: other groups, drawers of every kind of price, the drawing of the ratios, and lists that are empty, late or broken. */
import type { Step } from "./gallery-page.ts";
import type { GalleryPage } from "./gallery-page.ts";

const PRICES = "**/api/pricing*";
const OPEN: Step = {
  click: "main tbody button:has(.tabler-icon-chevron-right), main li div:last-child > button:last-child",
};

const FIGURES = "**/api/pricing/model?*";
const CACHE = "**/api/pricing/cache?*";
const A_MONTH_AGO_S = Math.floor(Date.now() / 1000) - 30 * 86_400;
const NO_CALLS = {
  data: { of_everybody: false, calls: 0, prompt_tokens: 0, cached_tokens: 0, since: A_MONTH_AGO_S, clients: [] },
};
const TO_CACHE: Step = {
  scrollTo:
    'main section:has(h2:text-matches("from the cache|缓存命中", "i")) > :last-child, main h2:text-matches("cached tokens|缓存统计", "i")',
};
const MODEL = "/models/claude-sonnet-4-5";

const model = (name: string, keyword: string): GalleryPage => ({
  name: `pricing-model-${name}`,
  path: `/pricing?keyword=${keyword}`,
  as: "root",
  steps: [OPEN, { wait: '[role="dialog"]' }],
});

export const PRICING_STATES: readonly GalleryPage[] = [
  model("tiers", "claude-sonnet-4-5"),
  model("picture", "gemini-2.5-flash-image"),
  model("call", "dall-e-3"),
  model("unpriced", "qwen3-8b"),
  { name: "pricing-group", path: "/pricing?group=batch", as: "root" },
  {
    name: "pricing-help",
    path: "/pricing",
    as: "root",
    steps: [
      { click: "main thead button:has(.tabler-icon-help-circle)", isOptional: true },
      // A phone has no column to ask from: the words stand with the formula.
      { click: "main details[data-is-folded] > summary", isOptional: true },
    ],
  },
  {
    name: "pricing-selected",
    path: "/pricing",
    as: "root",
    steps: [
      { click: 'main tbody input[type="checkbox"]', index: 1, isOptional: true },
      { click: 'main tbody input[type="checkbox"]', index: 3, isOptional: true },
    ],
  },
  { name: "pricing-nothing", path: "/pricing?keyword=nobody-sells-this", as: "root" },
  { name: "pricing-loading", path: "/pricing", as: "root", answers: [{ url: PRICES, answer: "never" }] },
  { name: "pricing-broken", path: "/pricing", as: "root", answers: [{ url: PRICES, answer: "fails" }] },
  {
    name: "pricing-sorted",
    path: "/pricing?sort=-output&usable=1",
    as: "root",
  },
  { name: "model", path: MODEL, as: "root" },
  { name: "model-user", path: MODEL, as: "user" },
  { name: "model-guest", path: MODEL, as: "guest" },
  { name: "model-call", path: "/models/dall-e-3", as: "user" },
  { name: "model-code", path: MODEL, as: "user", steps: [{ click: 'main nav button:has-text("Anthropic")' }] },
  { name: "model-unknown", path: "/models/no-such-model", as: "user" },
  {
    name: "model-loading",
    path: MODEL,
    as: "user",
    steps: [{ scrollTo: "main div[aria-hidden]:has(> i)" }],
    answers: [{ url: FIGURES, answer: "never" }],
  },
  {
    name: "model-broken",
    path: MODEL,
    as: "user",
    steps: [{ scrollTo: 'main [role="alert"]' }],
    answers: [{ url: FIGURES, answer: "fails" }],
  },
  { name: "model-cache", path: MODEL, as: "root", steps: [TO_CACHE] },
  {
    name: "model-cache-none",
    path: "/models/gpt-4.1",
    as: "user",
    steps: [TO_CACHE],
    answers: [{ url: CACHE, answer: NO_CALLS }],
  },
  {
    name: "model-cache-broken",
    path: MODEL,
    as: "user",
    steps: [TO_CACHE],
    answers: [{ url: CACHE, answer: "fails" }],
  },
  {
    name: "models-compared",
    path: "/models/compare?models=claude-sonnet-4-5,gpt-4.1,gemini-2.5-flash-image,dall-e-3",
    as: "root",
  },
  { name: "models-compared-none", path: "/models/compare", as: "guest" },
];
