/** Migration 45: pictures that the operator uploaded for the site, by their content. */
import { integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const sitePictures: Migration = {
  id: 45,
  name: "site-pictures",
  steps: createTable({
    name: "site_pictures",
    columns: {
      hash: text(32),
      media_type: text(16),
      created_time: integer(),
      content: long(),
    },
    primaryKey: ["hash"],
  }),
};
