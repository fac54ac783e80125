/** Migration 51: responses that are made in the background, and the events of those that are streamed. */
import { flag, integer, long, text } from "./columns.ts";
import { createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const backgroundResponses: Migration = {
  id: 51,
  name: "background-responses",
  steps: [
    ...createTable({
      name: "background_responses",
      columns: {
        id: text(64),
        user_id: integer(),
        process_id: text(64),
        model: text(255),
        status: text(16),
        is_streamed: flag(),
        is_cancel_asked: flag(),
        response: long(),
        bytes: integer(),
        upstream_id: text(200),
        created_time: integer(),
      },
      primaryKey: ["id"],
      indexes: [["user_id", "created_time"], ["created_time"], ["process_id", "is_cancel_asked"]],
    }),
    ...createTable({
      name: "background_events",
      columns: { response_id: text(64), last_sequence: integer(), events: long(), created_time: integer() },
      primaryKey: ["response_id", "last_sequence"],
      indexes: [["created_time"]],
    }),
  ],
};
