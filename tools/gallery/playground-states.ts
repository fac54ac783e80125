/** States of the playground: an answer with everything that Markdown has, models side by side, the chat as code, its panel, sharing it, an ended session. */
import type { GalleryPage, Step } from "./gallery-page.ts";

const ASKED: readonly Step[] = [
  { click: "#content textarea[rows='1']" },
  { type: "Show me a binary search, please" },
  { press: "Enter" },
  { wait: 'article[data-status="complete"]:last-of-type .katex-display' },
];

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
  state("expired", [], "/playground?expired=true"),
];
