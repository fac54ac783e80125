/** Migration 16: call_hours also counts failed attempts that were retried with another channel or key. Earlier ones are unknown. */
import { integer } from "./columns.ts";
import { addColumn } from "./steps.ts";
import type { Migration } from "./steps.ts";

const KINDS = [
  "key_refused",
  "rate_limited",
  "timeout",
  "upstream",
  "broken_off",
  "no_channel",
  "gateway",
  "refused",
] as const;

export const retriedAttempts: Migration = {
  id: 16,
  name: "retried-attempts",
  steps: KINDS.map((kind) => addColumn("call_hours", `retried_${kind}`, integer(0))),
};
