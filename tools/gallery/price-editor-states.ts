/** States of the price editor and of the list of models without a price: drawers in both ways of billing, tiers, many at once, nothing, late, broken. */
import type { GalleryPage, Step } from "./gallery-page.ts";

const PRICES = "/setting?tab=operation&section=prices";
const UNPRICED = "/setting?tab=operation&section=unpriced_models";
const ANSWER = "**/api/prices";

const OPENED: Step = { wait: '[role="dialog"] [role="radiogroup"]' };
const INPUT = '[role="dialog"] input[inputmode="decimal"]';

const drawer = (name: string, model: string, ...steps: readonly Step[]): GalleryPage => ({
  name: `prices-${name}`,
  path: `${PRICES}&model=${model}`,
  as: "root",
  steps: [OPENED, ...steps],
});

export const PRICE_EDITOR_STATES: readonly GalleryPage[] = [
  { name: "prices", path: PRICES, as: "root" },
  { name: "prices-nothing", path: `${PRICES}&keyword=nobody-sells-this`, as: "root" },
  { name: "prices-loading", path: PRICES, as: "root", answers: [{ url: ANSWER, answer: "never" }] },
  { name: "prices-broken", path: PRICES, as: "root", answers: [{ url: ANSWER, answer: "fails" }] },
  { name: "prices-empty", path: PRICES, as: "root", answers: [{ url: ANSWER, answer: { data: [] } }] },
  drawer("drawer", "gpt-4o"),
  drawer("ratios", "gpt-4o", { click: '[role="dialog"] [role="radio"]', index: 3 }),
  drawer("call", "gpt-4o", { click: '[role="dialog"] [role="radio"]', index: 1 }),
  drawer("tiers", "gemini-2.5-pro", { click: INPUT }, { type: "4" }, { scrollTo: '[role="dialog"] [role="alert"]' }),
  drawer("wrong", "gpt-4o", { click: INPUT }, { type: "abc" }, { press: "Control+Enter" }),
  { name: "prices-add", path: `${PRICES}&open=add`, as: "root", steps: [OPENED] },
  {
    name: "prices-bulk",
    path: `${PRICES}&open=bulk`,
    as: "root",
    steps: [OPENED, { click: '[role="dialog"] input' }, { type: "g*, claude*" }, { click: INPUT }, { type: "1.2" }],
  },
  { name: "unpriced", path: UNPRICED, as: "root" },
  { name: "unpriced-empty", path: UNPRICED, as: "root", answers: [{ url: ANSWER, answer: { data: [] } }] },
  {
    name: "unpriced-missing",
    path: UNPRICED,
    as: "root",
    steps: [{ click: 'main form button[type="submit"]' }, { wait: '[aria-invalid="true"]' }],
  },
];
