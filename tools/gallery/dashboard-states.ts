/** States of the dashboard: other buckets, measures and users, a bar's tooltip, and pages that are empty, late or broken. */
import { hugeOverview } from "./extremes.ts";
import type { GalleryPage } from "./gallery-page.ts";

const OVERVIEW = "**/api/data/**overview*";

export const DASHBOARD_STATES: readonly GalleryPage[] = [
  {
    name: "dashboard-table",
    path: "/detail?as=table&show=tokens",
    as: "root",
    steps: [{ wait: "main table" }, { scrollTo: "main table td" }],
  },
  { name: "dashboard-week", path: "/detail?range=week", as: "root" },
  { name: "dashboard-hours", path: "/detail?range=day", as: "root" },
  { name: "dashboard-weeks", path: "/detail?range=quarter&by=week", as: "root" },
  { name: "dashboard-requests", path: "/detail?show=requests", as: "root" },
  { name: "dashboard-own", path: "/detail?scope=me", as: "root" },
  { name: "dashboard-user", path: "/detail?username=lin", as: "root" },
  { name: "dashboard-nobody", path: "/detail?username=nobody-of-this-name", as: "root" },
  { name: "dashboard-plain-user", path: "/detail", as: "user" },
  {
    name: "dashboard-read",
    path: "/detail",
    as: "root",
    steps: [{ focus: 'main [role="slider"]' }, { press: "Home" }],
  },
  {
    name: "dashboard-channels",
    path: "/detail",
    as: "root",
    steps: [{ click: 'main [role="tab"][aria-selected="false"]' }, { scrollTo: 'main [role="tabpanel"]' }],
  },
  {
    name: "dashboard-foot",
    path: "/detail",
    as: "root",
    steps: [{ scrollTo: 'main section[aria-labelledby="dashboard-calls-by"] tbody tr:last-of-type' }],
  },
  { name: "dashboard-margin", path: "/detail", as: "root", steps: [{ scrollTo: "#dashboard-margin" }] },
  {
    name: "dashboard-range",
    path: "/detail",
    as: "root",
    steps: [{ click: "main button:has(.tabler-icon-calendar)" }],
  },
  {
    name: "dashboard-huge",
    path: "/detail",
    as: "root",
    answers: [{ url: OVERVIEW, answer: { data: hugeOverview(Math.floor(Date.now() / 1000)) } }],
  },
  { name: "dashboard-loading", path: "/detail", as: "root", answers: [{ url: OVERVIEW, answer: "never" }] },
  { name: "dashboard-broken", path: "/detail", as: "root", answers: [{ url: OVERVIEW, answer: "fails" }] },
];
