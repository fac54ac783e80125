/** States of balances on the channels page: being refreshed, one that cannot be read, where they are refreshed from, and in what intervals. */
import type { RunProgress } from "../../contract/src/channels/channel-tests.ts";
import type { GalleryPage } from "./gallery-page.ts";

const UNDER_WAY: RunProgress = {
  running: true,
  done: 7,
  total: 12,
  failed: 1,
  disabled: 0,
  stopped: false,
  failures: [{ id: 7, name: "Media" }],
  started_time: 1,
  finished_time: 0,
};

/** The balance's note in the row of the channel whose account is closed. */
const FAILED_NOTE = '[role="note"][aria-label*="403"]';

export const BALANCE_STATES: readonly GalleryPage[] = [
  {
    name: "channel-balances-running",
    path: "/channel",
    as: "root",
    answers: [{ url: "**/api/channel/update_balance/progress", answer: { data: UNDER_WAY } }],
    steps: [{ wait: '[role="progressbar"]' }],
  },
  { name: "channel-balance-failed", path: "/channel", as: "root", steps: [{ focus: FAILED_NOTE }] },
  {
    name: "channel-balance-menu",
    path: "/channel",
    as: "root",
    steps: [{ click: 'button[aria-label*="DeepSeek"]:is([aria-label^="Actions"], [aria-label$="的操作"])' }],
  },
  { name: "channel-balance-tags", path: "/channel?tags=1", as: "root" },
  {
    name: "channel-intervals",
    path: "/setting?tab=operation",
    as: "root",
    steps: [{ scrollTo: '[data-option="ChannelUpdateFrequency"]' }],
  },
];
