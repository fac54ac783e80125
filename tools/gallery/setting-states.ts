/** States of the settings page: each tab, and options that are changed, refused, in conflict, searched for, late or broken. */
import type { GalleryPage, Step } from "./gallery-page.ts";

/** The list alone, not the descriptions. */
const OPTIONS = "**/api/option";

const control = (option: string): Step => ({ focus: `[id="option-${option}-control"]` });
const typed = (option: string, text: string): readonly Step[] => [
  control(option),
  { press: "ControlOrMeta+a" },
  { type: text },
];

export const SETTING_TABS: readonly GalleryPage[] = ["operation", "ratelimit", "models", "system"].map((tab) => ({
  name: `setting-${tab}`,
  path: `/setting?tab=${tab}`,
  as: "root",
}));

export const SETTING_STATES: readonly GalleryPage[] = [
  {
    name: "setting-bars",
    path: "/setting?tab=other&section=bars",
    as: "root",
    steps: [{ wait: "#option-SidebarModulesAdmin fieldset" }, { scrollTo: "#option-HeaderNavModules" }],
  },
  {
    name: "setting-changed",
    path: "/setting?tab=operation&section=quota",
    as: "root",
    steps: [
      ...typed("QuotaForNewUser", "200000"),
      ...typed("ChannelDisableThreshold", "30"),
      control("AutomaticDisableChannelEnabled"),
      { press: "Space" },
    ],
  },
  {
    name: "setting-refused",
    path: "/setting?tab=operation",
    as: "root",
    steps: [...typed("QuotaPerUnit", "0"), { press: "Enter" }, { wait: '[data-option="QuotaPerUnit"] [role="alert"]' }],
  },
  {
    name: "setting-conflict",
    path: "/setting?option=QuotaForInviter",
    as: "root",
    steps: [
      ...typed("QuotaForInviter", "77000"),
      { raise: "QuotaForInviter" },
      { press: "Enter" },
      { wait: '[data-option="QuotaForInviter"] [role="alert"] button' },
    ],
  },
  {
    name: "setting-secret",
    path: "/setting?option=SMTPToken",
    as: "root",
    steps: [{ wait: '[data-option="SMTPToken"] button[id]' }],
  },
  {
    name: "setting-details",
    path: "/setting?option=RetryTimes",
    as: "root",
    steps: [{ click: '[data-option="RetryTimes"] button' }, { pauseMs: 400 }],
  },
  {
    name: "setting-search",
    path: "/setting?tab=operation",
    as: "root",
    steps: [{ focus: 'main input[type="search"]' }, { type: "quota" }, { wait: '[role="option"]' }],
  },
  { name: "setting-loading", path: "/setting", as: "root", answers: [{ url: OPTIONS, answer: "never" }] },
  { name: "setting-broken", path: "/setting", as: "root", answers: [{ url: OPTIONS, answer: "fails" }] },
];
