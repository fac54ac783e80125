/** The drawing log and the task log: whole, opened, filtered, empty, late and broken, with what their cells open. */
import type { GalleryPage, Step } from "./gallery-page.ts";

/** Opens the n-th row, as a table row or as a card. */
const open = (index = 0): Step => ({
  click: 'main td > button[aria-expanded="false"], main li > button[aria-expanded="false"]',
  index,
});
const PICTURE: Step = { click: "main button:has(.tabler-icon-photo)" };
const NOTHING = { data: [] };

export const TASK_PAGES: readonly GalleryPage[] = [
  { name: "drawing", path: "/midjourney?size=20", as: "root" },
  { name: "tasks", path: "/task?range=days30&size=20", as: "root" },
];

export const TASK_STATES: readonly GalleryPage[] = [
  { name: "drawing-own", path: "/midjourney", as: "user" },
  { name: "drawing-opened", path: "/midjourney?status=SUCCESS", as: "root", steps: [open(1)] },
  {
    name: "drawing-picture",
    path: "/midjourney?status=SUCCESS",
    as: "root",
    steps: [PICTURE, { wait: "dialog[open] img[data-state=shown]" }],
  },
  {
    name: "drawing-picture-failed",
    path: "/midjourney?action=UPSCALE",
    as: "root",
    steps: [PICTURE, { wait: 'dialog[open] [role="alert"]' }],
    // From where the upstream keeps it, or through the gateway.
    answers: [{ url: "**/{media,mj/image}/**", answer: "fails" }],
  },
  { name: "drawing-failed", path: "/midjourney?status=FAILURE", as: "root", steps: [open()] },
  {
    name: "drawing-empty",
    path: "/midjourney",
    as: "user",
    answers: [{ url: "**/api/mj/self?*", answer: NOTHING }],
  },
  { name: "drawing-loading", path: "/midjourney", as: "root", answers: [{ url: "**/api/mj?*", answer: "never" }] },
  { name: "drawing-broken", path: "/midjourney", as: "root", answers: [{ url: "**/api/mj?*", answer: "fails" }] },
  { name: "tasks-own", path: "/task?range=days30", as: "user" },
  { name: "tasks-song", path: "/task?range=days30&action=MUSIC&status=SUCCESS", as: "root", steps: [open(0)] },
  { name: "tasks-lyrics", path: "/task?range=days30&action=LYRICS&status=SUCCESS", as: "root", steps: [open()] },
  { name: "tasks-video", path: "/task?range=days30&platform=video&status=SUCCESS", as: "root", steps: [open()] },
  { name: "tasks-failed", path: "/task?range=days30&status=FAILURE", as: "root", steps: [open()] },
  {
    name: "tasks-record",
    path: "/task?range=days30&status=SUCCESS",
    as: "root",
    steps: [
      open(),
      { click: 'main button:text-matches("^(Full record|完整记录)$")', index: -1 },
      { wait: '[role="dialog"] pre' },
    ],
  },
  { name: "tasks-empty", path: "/task", as: "root", answers: [{ url: "**/api/task?*", answer: NOTHING }] },
];
