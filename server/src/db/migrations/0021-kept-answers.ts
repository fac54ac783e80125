/** Migration 21: the owner and size of a response stored under an idempotency key, and each user's total, so that it can be bounded. */
import { integer } from "./columns.ts";
import { addColumn, createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

export const keptAnswers: Migration = {
  id: 21,
  name: "kept-answers",
  steps: [
    addColumn("idempotency_keys", "user_id", integer(0)),
    addColumn("idempotency_keys", "answer_bytes", integer(0)),
    ...createTable({
      name: "kept_answers",
      columns: { user_id: integer(), answers: integer(0), bytes: integer(0) },
      primaryKey: ["user_id"],
    }),
  ],
};
