/** States of the playground: its start where a model stands in or none is there, an answer with everything that Markdown has, models side by side, the chat as code, its panel, sharing it, an ended session. */
import type { GalleryPage, Step } from "./gallery-page.ts";

const ASKED: readonly Step[] = [
  { click: "#content textarea[rows='1']" },
  { type: "Show me a binary search, please" },
  { press: "Enter" },
  { wait: 'article[data-status="complete"]:last-of-type .katex-display' },
];

const withoutChats = (entries: readonly { kind: string }[]) => entries.filter(({ kind }) => kind !== "chat");

const state = (name: string, steps: readonly Step[], path = "/playground"): GalleryPage => ({
  name: `playground-${name}`,
  path,
  as: "root",
  steps,
});

export const PLAYGROUND_STATES: readonly GalleryPage[] = [
  state("answer", ASKED),
  state("compare", [{ click: "button:has(.tabler-icon-columns)" }, ...ASKED]),
  state("code", [{ click: "button:has(.tabler-icon-code)" }]),
  state("panel", [{ click: "button:has(.tabler-icon-adjustments)", isOptional: true }]),
  state("share", [...ASKED, { click: "button:has(.tabler-icon-share)" }]),
  state("share-days", [
    ...ASKED,
    { click: "button:has(.tabler-icon-share)" },
    { click: "dialog button[aria-haspopup=listbox]" },
    { wait: "dialog [role=option]" },
  ]),
  state("expired", [], "/playground?expired=true"),
  state("stand-in", [{ wait: 'main a[href^="/studio"]' }], "/playground?model=dall-e-3"),
  {
    ...state("no-model", [{ wait: 'main [role="region"] h2 ~ div a' }], "/playground?model=gpt-4.1"),
    answers: [{ url: "**/api/pricing{?*,}", answer: { from: withoutChats } }],
  },
];
