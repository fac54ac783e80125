/** Migration 16: call_hours counts the failed attempts too after which another channel or key was asked. Earlier ones are not known. */
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
