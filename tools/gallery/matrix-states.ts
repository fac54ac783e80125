/** States of the tests in the channel form: a model that passes, and one whose key is refused, with the way to its repair. */
import type { GalleryPage } from "./gallery-page.ts";

const FORM = "/channel/edit/1";
const TEST = "button:has(svg.tabler-icon-player-play):not([aria-label])";
const DRAFT = "**/api/channel/test/draft";

export const MATRIX_STATES: readonly GalleryPage[] = [
  {
    name: "channel-matrix",
    path: FORM,
    as: "root",
    isState: true,
    answers: [{ url: DRAFT, answer: { data: null, time: 0.412, cost: 12 } }],
    steps: [{ click: TEST }, { wait: 'button[aria-label*="412"]' }],
  },
  {
    name: "channel-matrix-refused",
    path: FORM,
    as: "root",
    isState: true,
    answers: [
      {
        url: DRAFT,
        answer: {
          data: null,
          success: false,
          message: "status 401: Incorrect API key provided",
          time: 0.2,
          failure: { code: "upstream_status", values: { status: 401, message: "Incorrect API key provided" } },
        },
      },
    ],
    steps: [{ click: TEST }, { wait: '[role="alert"] li' }],
  },
  {
    name: "channel-matrix-slow",
    isStill: true,
    path: FORM,
    as: "root",
    isState: true,
    answers: [
      {
        url: DRAFT,
        answer: {
          data: null,
          success: false,
          message: "No answer within 60 s",
          time: 60,
          failure: { code: "timeout", values: { seconds: 60 } },
        },
      },
    ],
    steps: [{ click: TEST }, { wait: '[role="alert"] li' }],
  },
];
