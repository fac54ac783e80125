/** States of the panels of price tables, groups and chat links: as they open, changed, refused, loading and failed. */
import type { GalleryPage, Step } from "./gallery-page.ts";

const section = (name: string) => `/setting?section=${name}`;
const OPTIONS = "**/api/option";
const EDITOR = ".cm-content";
const typed = (text: string): Step[] => [{ wait: EDITOR }, { click: EDITOR }, { type: text }];
const REVIEW = "[role=region] button[data-variant=filled]";

export const TABLE_STATES: readonly GalleryPage[] = [
  { name: "price-tables", path: section("price_tables"), as: "root", steps: [{ wait: EDITOR }] },
  { name: "price-tables-broken", path: section("price_tables"), as: "root", steps: typed("x") },
  {
    name: "price-tables-loading",
    path: section("price_tables"),
    as: "root",
    answers: [{ url: OPTIONS, answer: "never" }],
  },
  { name: "groups", path: section("groups"), as: "root", steps: [{ wait: "[role=table]" }] },
  {
    name: "groups-changed",
    path: section("groups"),
    as: "root",
    steps: [{ wait: "[role=table]" }, { focus: "[role=table] input" }, { type: "9" }, { wait: REVIEW }],
  },
  {
    name: "groups-failed",
    path: section("groups"),
    as: "root",
    steps: [{ wait: "[role=alert]" }],
    answers: [{ url: "**/api/group/usage", answer: "fails" }],
  },
  { name: "chat-links", path: "/setting?option=Chats", as: "root", steps: [{ wait: '[data-option="Chats"] input' }] },
];
