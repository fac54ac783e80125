/** States of the dry run of prices: its rules, its result, one that is under way and one that failed. */
import type { GalleryPage, Step } from "./gallery-page.ts";

const path = "/setting?tab=operation&section=dry_run";
const RUN = "button[data-variant=filled]";
const RULE: readonly Step[] = [
  { click: "section ul + button" },
  { focus: "section ul input[placeholder]" },
  { type: "gpt-*" },
  { click: RUN },
];
/** Prices at which balances last no week. */
const DEAR: readonly Step[] = [
  { click: "section ul + button" },
  { focus: "section ul input[placeholder]" },
  { type: "*" },
  { focus: 'section ul input[inputmode="decimal"]' },
  { press: "ControlOrMeta+a" },
  { type: "5000" },
  { click: RUN },
  { click: "details summary" },
  { scrollTo: "details li:last-of-type" },
];

export const DRY_RUN_STATES: readonly GalleryPage[] = [
  { name: "dry-run", path, as: "root", steps: [{ wait: RUN }] },
  { name: "dry-run-result", path, as: "root", steps: [{ wait: RUN }, ...RULE, { wait: "table" }] },
  {
    name: "dry-run-running-out",
    path,
    as: "root",
    steps: [{ wait: RUN }, ...DEAR],
  },
  {
    name: "dry-run-problem",
    path,
    as: "root",
    steps: [{ wait: RUN }, { click: "section ul + button" }, { click: RUN }, { wait: "[aria-invalid=true]" }],
  },
  {
    name: "dry-run-running",
    path,
    as: "root",
    steps: [{ wait: RUN }, { click: RUN }, { wait: "[role=progressbar]" }],
    answers: [{ url: "**/api/prices/dry_run", answer: "never" }],
  },
  {
    name: "dry-run-failed",
    path,
    as: "root",
    steps: [{ wait: RUN }, { click: RUN }, { wait: "[role=alert]" }],
    answers: [{ url: "**/api/prices/dry_run", answer: "fails" }],
  },
];
