/** Migration 25: headers and settings of what a channel sends, and remarks on channels and users. */
import { long, nullable, text } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const channelHeaders: Migration = {
  id: 25,
  name: "channel-headers",
  steps: [
    addColumn("channels", "header_override", nullable(long())),
    addColumn("channels", "settings", nullable(long())),
    addColumn("channels", "remark", text(255, "")),
    addColumn("users", "remark", text(255, "")),
  ],
};
