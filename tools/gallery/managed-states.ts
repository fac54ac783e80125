/** States of things that a configuration file manages: their marks in lists and forms, and where they are locked. */
import type { ManagedMark } from "../../contract/src/configuration/marks.ts";
import type { GalleryPage, StubbedAnswer } from "./gallery-page.ts";

const mark = (kind: ManagedMark["kind"], name: string, more: Partial<ManagedMark> = {}): ManagedMark => ({
  kind,
  name,
  target_id: 0,
  managed_by: "production",
  is_locked: false,
  updated_time: 1_795_000_000,
  updated_by: "root",
  ...more,
});

const MARKS: readonly StubbedAnswer[] = [
  {
    url: "**/api/configuration/managed*",
    answer: {
      data: [
        mark("channel", "openai", { target_id: 1 }),
        mark("channel", "claude", { target_id: 2, is_locked: true, updated_by: "" }),
        mark("option", "SystemName"),
        mark("option", "Logo", { is_locked: true }),
        mark("option", "RetryTimes", { is_locked: true, updated_by: "" }),
        mark("price", "gpt-4.1"),
        mark("price", "gpt-5", { is_locked: true }),
      ],
    },
  },
];

export const MANAGED_STATES: readonly GalleryPage[] = [
  { name: "managed-channels", path: "/channel", as: "root", answers: MARKS },
  { name: "managed-channel", path: "/channel/edit/1", as: "root", answers: MARKS },
  { name: "managed-channel-locked", path: "/channel/edit/2", as: "root", answers: MARKS },
  { name: "managed-channel-page-locked", path: "/channel/2?tab=edit", as: "root", answers: MARKS },
  { name: "managed-settings", path: "/setting?option=RetryTimes", as: "root", answers: MARKS },
  { name: "managed-logo", path: "/setting?option=SystemName", as: "root", answers: MARKS },
  { name: "managed-prices", path: "/prices", as: "root", answers: MARKS },
];
