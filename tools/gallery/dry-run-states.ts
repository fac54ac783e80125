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

export const DRY_RUN_STATES: readonly GalleryPage[] = [
  { name: "dry-run", path, as: "root", steps: [{ wait: RUN }] },
  { name: "dry-run-result", path, as: "root", steps: [{ wait: RUN }, ...RULE, { wait: "table" }] },
  {
    name: "dry-run-running-out",
    path,
    as: "root",
    isState: true,
    steps: [{ wait: RUN }, ...RULE, { wait: "table" }, { scrollTo: "section table:last-of-type" }],
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
