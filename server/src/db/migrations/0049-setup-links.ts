/** Migration 49: one-time addresses of scripts that write a program's configuration. */
import { integer, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const setupLinks: Migration = {
  id: 49,
  name: "setup-links",
  steps: createTable({
    name: "setup_links",
    columns: {
      code_hash: text(43),
      user_id: integer(),
      token_id: integer(),
      program: text(32),
      shell: text(16),
      model: text(256),
      origin: text(500),
      expires_time: integer(),
    },
    primaryKey: ["code_hash"],
    indexes: [["expires_time"]],
  }),
};
