/** Migration 14: one table for image tasks, songs and videos, in place of two that were never written to. */
import { createTable, dropIndex, dropTable } from "./steps.ts";
import type { Migration } from "./steps.ts";
import { id, integer, long, nullable, text, type TableDefinition } from "./columns.ts";

const TASKS: TableDefinition = {
  name: "tasks",
  columns: {
    id: id(),
    created_at: integer(),
    updated_at: integer(),
    platform: text(32),
    action: text(64),
    task_id: text(255),
    request_id: text(64),
    user_id: integer(),
    token_id: integer(0),
    channel_id: integer(0),
    channel_key_id: integer(0),
    model: text(255),
    quota: integer(0),
    charge: text(16),
    code: integer(0),
    status: text(32),
    progress: integer(0),
    prompt: long(),
    result_url: long(),
    fail_code: text(64, ""),
    fail_reason: long(),
    submit_time_ms: integer(0),
    start_time_ms: integer(0),
    finish_time_ms: integer(0),
    notify_url: long(),
    notify_hash: text(64, ""),
    properties: long(),
    data: long(),
    next_poll_time: integer(0),
    silent_polls: integer(0),
    deleted_at: nullable(integer()),
  },
  unique: [["request_id"]],
  indexes: [["user_id", "id"], ["task_id"], ["platform", "submit_time_ms", "id"], ["next_poll_time", "id"]],
};

/** Indexes of migration 1 whose table this migration drops. */
const OLD_INDEXES: readonly (readonly [string, readonly string[]])[] = [
  ["midjourneys", ["user_id", "id"]],
  ["midjourneys", ["mj_id"]],
  ["midjourneys", ["submit_time_ms", "id"]],
  ["midjourneys", ["status", "id"]],
  ["tasks", ["submit_time", "id"]],
  ["tasks", ["status", "id"]],
];

export const tasks: Migration = {
  id: 14,
  name: "tasks",
  minimumSchema: 14,
  steps: [
    ...OLD_INDEXES.map(([table, columns]) => dropIndex(table, columns)),
    dropTable("midjourneys"),
    dropTable("tasks"),
    ...createTable(TASKS),
  ],
};
